/** The deadlines of all connections, looked at once a second: a timer for each of their waits would cost more. */

import type { Cancel, Clock } from "../world.ts";

const SWEEP_MS = 1_000;

/** What waits for its client. */
export interface Waiting {
  /** The sweep after which it has waited for too long; Infinity while it waits for nobody. */
  readonly due: number;
  late(): void;
}

export class Sweeper<One extends Waiting = Waiting> {
  readonly #clock: Clock;
  readonly #waiting = new Set<One>();
  #sweep = 0;
  #cancel: Cancel | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get all(): ReadonlySet<One> {
    return this.#waiting;
  }

  /** The sweep that comes `ms` from now, or up to a second later. */
  in(ms: number): number {
    return this.#sweep + Math.ceil(ms / SWEEP_MS);
  }

  add(one: One): void {
    this.#waiting.add(one);
    this.#cancel ??= this.#clock.after(SWEEP_MS, this.#look);
  }

  delete(one: One): void {
    this.#waiting.delete(one);
    if (this.#waiting.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  readonly #look = (): void => {
    this.#cancel = this.#clock.after(SWEEP_MS, this.#look);
    this.#sweep++;
    for (const one of this.#waiting) {
      if (one.due < this.#sweep) one.late();
    }
  };
}
