/** How many do something at the same time; more of them wait, first come first served. */

interface SemaphoreOptions {
  readonly most: number;
  /** How many wait at most. */
  readonly maxWaiting?: number;
  /** How long each waits at most. */
  readonly maxWait?: {
    readonly clock: { after(ms: number, run: () => void): () => void };
    readonly ms: number;
  };
}

export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** False where there is no place now. */
  tryTake(): boolean {
    if (this.#taken >= this.#options.most) return false;
    this.#taken++;
    return true;
  }

  /** False where too many wait already, or none has come free in time. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    if (this.tryTake()) return true;
    const { maxWaiting = Infinity, maxWait } = this.#options;
    if (this.#waiting.size >= maxWaiting) return false;
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const start = () => resolve(true);
    // A place must not be passed on to one who has stopped waiting.
    const giveUp = (end: () => void) => this.#waiting.delete(start) && end();
    const leave = () => giveUp(() => reject(signal.reason));
    this.#waiting.add(start);
    signal.addEventListener("abort", leave, { once: true });
    const cancel = maxWait?.clock.after(maxWait.ms, () => giveUp(() => resolve(false)));
    try {
      return await promise;
    } finally {
      cancel?.();
      signal.removeEventListener("abort", leave);
    }
  }

  /** The place passes on to the one that has waited longest. */
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
