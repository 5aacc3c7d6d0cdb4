/** Whether somebody uses the page: it is in sight, and a key, a pointer or a wheel was used a moment ago. */

import type { Clock } from "./clock.ts";

/** Time after an input in which whatever is read is read because of it. */
const SOON_MS = 5_000;

const inputs = ["pointerdown", "keydown", "wheel", "touchstart", "input", "drop"] as const;

export class PageUse {
  readonly #clock: Pick<Clock, "now">;
  /** Opening the page is a use. Milliseconds since the epoch. */
  #usedAt: number;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
    this.#usedAt = clock.now();
    const note = () => {
      this.#usedAt = this.#clock.now();
    };
    for (const input of inputs) addEventListener(input, note, { capture: true, passive: true });
  }

  get isNow(): boolean {
    return this.#clock.now() - this.#usedAt < SOON_MS;
  }
}
