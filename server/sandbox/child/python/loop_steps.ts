/**
 * Steps of the loop of Python's tasks, which JavaScript's event loop runs. They end with their program: what is left of
 * them must neither run in the next command nor hold the interpreter's memory. One that ends the interpreter ends the
 * program, not the process.
 */

import type { Cancel, Clock } from "../../../runtime.ts";

type Step = () => unknown;

interface LoopStepsOptions {
  readonly clock: Pick<Clock, "after">;
  /** Pyodide's own, which is faster than a timer, but holds the interpreter for as long as it waits. */
  readonly schedule: (call: () => void, delayMs: number) => void;
}

/** A timer may be as late as this, in milliseconds. */
const SOON_MS = 2;

export class LoopSteps {
  readonly #options: LoopStepsOptions;
  readonly #timers = new Set<Cancel>();
  readonly #crash = Promise.withResolvers<never>();
  #hasEnded = false;

  constructor(options: LoopStepsOptions) {
    this.#options = options;
    this.#crash.promise.catch(() => {
      // The program has ended before it.
    });
  }

  /** Rejects where a step ends the interpreter, with what it has thrown. */
  get crash(): Promise<never> {
    return this.#crash.promise;
  }

  readonly schedule = (step: Step, delayMs: number): void => {
    const { clock, schedule } = this.#options;
    if (delayMs <= SOON_MS) return schedule(() => void this.#run(step), delayMs);
    const cancel = clock.after(delayMs, () => {
      this.#timers.delete(cancel);
      this.#run(step);
    });
    this.#timers.add(cancel);
  };

  /** No more of them runs. */
  end(): void {
    this.#hasEnded = true;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  async #run(step: Step): Promise<void> {
    if (this.#hasEnded) return;
    try {
      await step();
    } catch (error) {
      this.#crash.reject(error);
    }
  }
}
