/**
 * The time that a document may take by the clock. The keeper limits each by the time of the processor, which a busy machine
 * stretches; documents that are read side by side make the machine busy themselves, so each of them is held to the clock.
 */

import type { Clock } from "../../runtime.ts";

/** Milliseconds from its arrival, its wait for others among them. */
export const READ_MS = 11_000;
/** Milliseconds until one that was alone is looked at again. */
const LOOK_MS = 500;

/** The time of a document is over. */
export class ReadOverdue extends Error {
  override readonly name = "ReadOverdue";
}

interface Reading {
  /** Others have been read, or have waited, at the same time. */
  isBeside: boolean;
}

export class ReadDeadlines {
  readonly #clock: Pick<Clock, "after">;
  readonly #reading = new Set<Reading>();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** The signal is aborted with a {@link ReadOverdue} when the time is over, and with its own reason when the caller leaves. */
  async within<Result>(caller: AbortSignal, read: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const over = new AbortController();
    const reading: Reading = { isBeside: this.#reading.size > 0 };
    for (const other of this.#reading) other.isBeside = true;
    this.#reading.add(reading);
    const look = () => {
      if (reading.isBeside) over.abort(new ReadOverdue("The document was not read in time."));
      else cancel = this.#clock.after(LOOK_MS, look);
    };
    let cancel = this.#clock.after(READ_MS, look);
    try {
      return await read(AbortSignal.any([caller, over.signal]));
    } finally {
      cancel();
      this.#reading.delete(reading);
    }
  }
}
