/**
 * Looks on while something is under way, and counts time as it was seen: while nothing of this process ran, an
 * answer that had come could not be heard, and anyone who waits for it must not be told that there is none.
 */

import type { Cancel, Clock } from "../../../runtime.ts";

const WATCH_MS = 250;

export class StallAwareTimer {
  readonly #clock: Clock;
  readonly #look: () => void;
  #unseen = 0;
  #timer: Cancel | undefined;

  constructor(clock: Clock, look: () => void) {
    this.#clock = clock;
    this.#look = look;
  }

  /** Monotonic, ms; what a look came too late does not count. */
  get now(): number {
    return this.#clock.monotonic() - this.#unseen;
  }

  /** The next look is due in a moment, unless one is already. */
  start(): void {
    if (this.#timer) return;
    const due = this.#clock.monotonic() + WATCH_MS;
    this.#timer = this.#clock.after(WATCH_MS, () => {
      this.#timer = undefined;
      this.#unseen += Math.max(0, this.#clock.monotonic() - due);
      this.#look();
    });
  }

  stop(): void {
    this.#timer?.();
    this.#timer = undefined;
  }
}
