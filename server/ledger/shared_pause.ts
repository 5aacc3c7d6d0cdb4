/** A wait that many share and that ends early when there is news. */

import type { Cancel, Clock } from "../world.ts";

export class SharedPause {
  readonly #clock: Clock;
  readonly #ms: number;
  #open: { readonly promise: Promise<void>; readonly end: () => void; readonly cancel: Cancel } | undefined;
  #over = false;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Resolves after the time, or with the next `end`. */
  wait(): Promise<void> {
    if (this.#over) return Promise.resolve();
    if (this.#open) return this.#open.promise;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = { promise, end: resolve, cancel: this.#clock.after(this.#ms, () => this.end()) };
    return promise;
  }

  end(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.cancel();
    open?.end();
  }

  /** Nobody waits any more, now or later. */
  stop(): void {
    this.#over = true;
    this.end();
  }
}
