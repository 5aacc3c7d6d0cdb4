/** Time limits of commands under `timeout`: by a signal for what waits or runs statements, Python asks for them itself. */

import type { Cancel, Clock } from "../../../runtime.ts";
import type { CommandTime, PartTime } from "../command_time.ts";

interface TimeoutsOptions {
  readonly time: Pick<CommandTime, "beginPart">;
  readonly clock: Pick<Clock, "after">;
  /** Whether a command runs that ends itself at its time, and has something to say then. */
  readonly isBusy: () => boolean;
}

/** Result of a command, and whether its time was over. */
interface Limited<T> {
  readonly result: T;
  readonly isTimedOut: boolean;
}

const LEAST_WAIT_MS = 20;
/** A timer cannot be as long as every limit. */
const LONGEST_WAIT_MS = 60_000;

export class Timeouts {
  readonly #options: TimeoutsOptions;
  readonly #running = new Map<PartTime, AbortController>();

  constructor(options: TimeoutsOptions) {
    this.#options = options;
  }

  /** Runs a command, whose signal fires at the end of the time. */
  async within<T>(limitMs: number, run: (signal: AbortSignal) => Promise<T>): Promise<Limited<T>> {
    const part = this.#options.time.beginPart(limitMs);
    const abort = new AbortController();
    this.#running.set(part, abort);
    const cancel = this.#watch(part, abort.signal);
    try {
      const result = await run(abort.signal);
      return { result, isTimedOut: part.isReached };
    } finally {
      cancel();
      part.end();
      this.#running.delete(part);
    }
  }

  /** Before a statement: no more of them begins in a command whose time is over. */
  stopOverdue(): void {
    for (const [part, abort] of this.#running) if (part.isOver) abort.abort();
  }

  #watch(part: PartTime, signal: AbortSignal): Cancel {
    const { clock, isBusy } = this.#options;
    let cancel: Cancel = () => {};
    const wait = () => {
      const ms = Math.min(Math.max(part.leftMs, LEAST_WAIT_MS), LONGEST_WAIT_MS);
      cancel = clock.after(ms, () => {
        if (!isBusy()) this.stopOverdue();
        if (!signal.aborted) wait();
      });
    };
    wait();
    return () => cancel();
  }
}
