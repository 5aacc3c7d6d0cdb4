/**
 * Promises that several callers wait for. What fails is told to those who wait for it, and to nobody else: the next
 * caller has a try of its own.
 */

/** Value that is made by the first caller, and kept for all others until it is forgotten. */
export class Memo<T> {
  readonly #make: () => Promise<T>;
  #kept: Promise<T> | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  /** Rejects as making it does. */
  get(): Promise<T> {
    if (this.#kept !== undefined) return this.#kept;
    const making = Promise.try(this.#make);
    this.#kept = making;
    making.catch(() => {
      // Those who wait for it hear of the failure.
      if (this.#kept === making) this.#kept = undefined;
    });
    return making;
  }

  /** The next who asks has it made anew, also where it is being made at the moment. */
  forget(): void {
    this.#kept = undefined;
  }
}

/** Work of which there is one at a time for a name: those who ask meanwhile wait for the same. Nothing of it is kept. */
export class SharedWork<K, T> {
  readonly #running = new Map<K, Promise<T>>();

  /** Rejects as `work` does. */
  run(name: K, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const started = Promise.try(work).finally(() => {
      if (this.#running.get(name) === started) this.#running.delete(name);
    });
    this.#running.set(name, started);
    return started;
  }

  /** Nobody joins what is under way any more: under this name, or under any. */
  forget(name?: K): void {
    if (name === undefined) this.#running.clear();
    else this.#running.delete(name);
  }
}
