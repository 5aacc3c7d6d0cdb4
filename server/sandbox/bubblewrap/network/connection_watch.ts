/** The time that one connection may take. */

import type { Cancel, Clock } from "../../../runtime.ts";

/** Without a byte in either direction. */
export const IDLE_MS = 30_000;
/** From the connection to its end. */
export const LIFE_MS = 120_000;

const MS_PER_S = 1_000;

export class ConnectionWatch {
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  readonly #outer: AbortSignal;
  readonly #cancelLife: Cancel;
  #cancelIdle: Cancel;

  /** `outer`: ends it as well. */
  constructor(clock: Clock, outer: AbortSignal) {
    this.#clock = clock;
    this.#outer = outer;
    this.#cancelLife = this.#after(LIFE_MS, `A connection may last ${LIFE_MS / MS_PER_S} s.`);
    this.#cancelIdle = this.#afterIdle();
    outer.addEventListener("abort", this.#leave);
    if (outer.aborted) this.#leave();
  }

  /** Fires where the time is over; its reason is for the model. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Something has come or gone. */
  go(): void {
    this.#cancelIdle();
    this.#cancelIdle = this.#afterIdle();
  }

  /** The connection has ended. */
  end(): void {
    this.#cancelLife();
    this.#cancelIdle();
    this.#outer.removeEventListener("abort", this.#leave);
  }

  #afterIdle(): Cancel {
    return this.#after(IDLE_MS, `A connection was closed: nothing was sent for ${IDLE_MS / MS_PER_S} s.`);
  }

  #after(ms: number, why: string): Cancel {
    return this.#clock.after(ms, () => this.#abort.abort(new Error(why)));
  }

  readonly #leave = (): void => this.#abort.abort(this.#outer.reason);
}
