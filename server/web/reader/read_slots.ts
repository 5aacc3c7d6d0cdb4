/** How many documents are read at the same time; more of them wait, first come first served. */

export interface ReadSlotsOptions {
  readonly concurrency: number;
  readonly maxWaiting: number;
}

export interface ReadSlot {
  /** Lets the next one in. */
  release(): void;
}

export class ReadSlots {
  readonly #options: ReadSlotsOptions;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(options: ReadSlotsOptions) {
    this.#options = options;
  }

  /** Undefined where too many wait already. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<ReadSlot | undefined> {
    signal.throwIfAborted();
    const { concurrency, maxWaiting } = this.#options;
    if (this.#taken < concurrency) this.#taken++;
    else if (this.#waiting.length >= maxWaiting) return undefined;
    else await this.#turn(signal);
    return { release: () => this.#release() };
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(start);
    });
  }

  /** The slot passes on to the one that has waited longest. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken--;
    else next();
  }
}
