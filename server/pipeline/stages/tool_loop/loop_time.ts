/** The time of a request with server tools: a call of a tool leaves enough of it for the model's answer. */

import type { Clock } from "../../../runtime.ts";

/** Milliseconds for the answer behind a call, at the most, and the share of the request's time. */
const ANSWER_MS = 120_000;
const ANSWER_SHARE = 0.2;

export class LoopTime {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #end: number;
  readonly #answerMs: number;

  /** `ms`: of all turns, from now on. */
  constructor(clock: Pick<Clock, "monotonic">, ms: number) {
    this.#clock = clock;
    this.#end = clock.monotonic() + ms;
    this.#answerMs = Math.min(ANSWER_MS, ms * ANSWER_SHARE);
  }

  /** Milliseconds that a call may take which begins now; `wanted`: where there is enough time. */
  forCall(wanted: number): number {
    const left = Math.max(0, this.#end - this.#clock.monotonic());
    return Math.min(wanted, Math.max(left - this.#answerMs, left / 2));
  }
}
