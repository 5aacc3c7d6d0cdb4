/** Does something now and then, in steps that nobody notices, until nothing is left to be done. */

import type { Cancel, Clock } from "../../../runtime.ts";

/** Between two steps. */
const PAUSE_MS = 1_000;

export interface RetentionJobOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  /** Until the first time; as long as between two, by default. */
  readonly firstMs?: number;
  /** One step. Tells whether there may be more to do. Does not throw. */
  readonly step: () => Promise<boolean>;
}

/** Sweeps from its first time on until it is closed. */
export class RetentionJob {
  readonly #options: RetentionJobOptions;
  #cancel: Cancel;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: RetentionJobOptions) {
    this.#options = options;
    this.#cancel = this.#after(options.firstMs ?? options.everyMs);
  }

  /** Waits for a step that is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    // Ends with the step, whose store calls have their deadlines.
    await this.#running;
  }

  #after(ms: number): Cancel {
    return this.#options.clock.after(ms, () => {
      this.#running = this.#step();
    });
  }

  async #step(): Promise<void> {
    const more = await this.#options.step();
    if (!this.#closed) this.#cancel = this.#after(more ? PAUSE_MS : this.#options.everyMs);
  }
}
