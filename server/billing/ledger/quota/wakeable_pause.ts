/** A wait that ends early when there is news, also news that came while nobody was waiting yet. */

import type { Cancel, Clock } from "../../../runtime.ts";

export class WakeablePause {
  readonly #clock: Clock;
  #open: { readonly end: () => void; readonly cancel: Cancel } | undefined;
  #news = false;
  #over = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Marks all news so far as seen. */
  reset(): void {
    this.#news = this.#over;
  }

  /** Resolves after the time, with the next news, or at once when there was some since `reset`. For one at a time. */
  wait(ms: number): Promise<void> {
    if (this.#news) return Promise.resolve();
    // Ends with the clock.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = { end: resolve, cancel: this.#clock.after(ms, () => this.#end()) };
    return promise;
  }

  wake(): void {
    this.#news = true;
    this.#end();
  }

  /** Nobody waits any more, now or later. */
  stop(): void {
    this.#over = true;
    this.wake();
  }

  #end(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.cancel();
    open?.end();
  }
}
