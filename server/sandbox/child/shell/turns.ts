/**
 * The interpreter waits for nothing but itself, so that timers and the pipe would never have a turn in a loop: it lets
 * them have one every few milliseconds.
 */

import { pause } from "../../../../shared/util/pause.ts";

const EVERY_MS = 20;

export class Turns {
  readonly #monotonic: () => number;
  #last: number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
    this.#last = monotonic();
  }

  get isDue(): boolean {
    return this.#monotonic() - this.#last >= EVERY_MS;
  }

  async yield(): Promise<void> {
    await pause();
    this.#last = this.#monotonic();
  }
}
