/**
 * Gives back at the end what was taken, in the opposite order. Nothing of it keeps the rest from its turn: neither
 * what fails nor what does not end.
 */

import { endsWithin } from "../../shared/util/within.ts";
import type { Runtime } from "../runtime.ts";

/** Milliseconds that all closers without a time of their own may take together. */
export const COMMON_END_MS = 1_500;

interface Closer {
  /** For the log. */
  readonly name: string;
  readonly close: () => Promise<unknown>;
  /** A time of its own, ms. */
  readonly ms?: number;
}

export class CleanupStack {
  readonly #runtime: Pick<Runtime, "clock" | "log">;
  readonly #closers: Closer[] = [];

  constructor(runtime: Pick<Runtime, "clock" | "log">) {
    this.#runtime = runtime;
  }

  push(closer: Closer): void {
    this.#closers.unshift(closer);
  }

  /** The names of those that have failed or not ended in time. Does not throw. */
  async close(): Promise<readonly string[]> {
    const { clock } = this.#runtime;
    const unended: string[] = [];
    let common = COMMON_END_MS;
    for (const closer of this.#closers.splice(0)) {
      const begun = clock.monotonic();
      if (!await this.#hasEnded(closer, closer.ms ?? common)) unended.push(closer.name);
      if (closer.ms === undefined) common = Math.max(0, common - (clock.monotonic() - begun));
    }
    return unended;
  }

  async #hasEnded({ name, close }: Closer, ms: number): Promise<boolean> {
    const { clock, log } = this.#runtime;
    try {
      if (await endsWithin(close(), { clock, ms })) return true;
      log.error("Cannot wait any longer for the end of a part", { name });
    } catch (error) {
      log.error("Cannot end a part", { name, error: String(error) });
    }
    return false;
  }
}
