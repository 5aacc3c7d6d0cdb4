/** How many processes there are at the same time; more callers wait, first come first served. */

import type { Clock } from "../runtime.ts";

export interface ProcessSlotsOptions {
  readonly most: number;
  /** How long a caller waits. */
  readonly waitMs: number;
  readonly clock: Clock;
}

export class ProcessSlots {
  readonly #options: ProcessSlotsOptions;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(options: ProcessSlotsOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#taken >= this.#options.most;
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** False where there is none now. */
  tryTake(): boolean {
    if (this.isFull) return false;
    this.#taken++;
    return true;
  }

  /** False where none has come free in time. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<boolean> {
    if (this.tryTake()) return true;
    const { clock, waitMs } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const start = () => resolve(true);
    // A slot must not be passed on to one who has stopped waiting.
    const giveUp = (end: () => void) => this.#waiting.delete(start) && end();
    const leave = () => giveUp(() => reject(signal.reason));
    this.#waiting.add(start);
    signal.addEventListener("abort", leave, { once: true });
    const cancel = clock.after(waitMs, () => giveUp(() => resolve(false)));
    try {
      return await promise;
    } finally {
      cancel();
      signal.removeEventListener("abort", leave);
    }
  }

  /** The slot passes on to the one that has waited longest. */
  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
