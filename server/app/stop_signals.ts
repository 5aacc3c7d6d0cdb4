/**
 * Signals that stop the gateway. The first one lets running requests end; a later one does not wait for them. One that
 * comes right behind the first is the same one: `deno task` passes on what a terminal or a supervisor sends to its
 * whole process group, so the gateway gets it twice.
 */

import type { Clock, Logger } from "../runtime.ts";

/** A signal within this time behind the first is a repetition of it, ms. */
export const REPETITION_MS = 1_000;

interface StopSignalsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Pick<Logger, "info" | "error">;
  /** Lets running requests end; whether nothing was left. */
  readonly stop: () => Promise<boolean>;
  /** Ends the process. */
  readonly exit: (isClean: boolean) => void;
}

export class StopSignals {
  readonly #options: StopSignalsOptions;
  /** Monotonic ms of the first signal. */
  #begunAt: number | undefined;

  constructor(options: StopSignalsOptions) {
    this.#options = options;
  }

  /** Resolves when the signal has had its effect. */
  async receive(signal: string): Promise<void> {
    const { clock, log, stop, exit } = this.#options;
    if (this.#begunAt === undefined) {
      this.#begunAt = clock.monotonic();
      log.info("Gateway stopping; draining requests", { signal });
      return exit(await stop());
    }
    if (clock.monotonic() - this.#begunAt < REPETITION_MS) return;
    log.error("Gateway ends at once by a second signal; running requests are dropped", { signal });
    exit(false);
  }
}
