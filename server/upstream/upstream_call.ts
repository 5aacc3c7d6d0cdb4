/** The line to the provider: one abort controller an attempt, its deadlines, and why it was cut (promises §3). */

import type { Failure } from "../canonical/event.ts";
import type { Hangup } from "../pipeline/request_context.ts";
import type { Cancel, Clock } from "../runtime.ts";
import { Cut, type CutSignal } from "./call_abort.ts";

/** All in milliseconds. */
export interface CallLimits {
  /** Streamed calls: to the first byte of the answer. */
  readonly firstByteMs: number;
  /** Streamed calls: silence while a further piece is waited for. */
  readonly silenceMs: number;
  readonly streamTotalMs: number;
  /** Calls that are not streamed have only this. */
  readonly wholeTotalMs: number;
  /** Decoded bytes of one answer. */
  readonly maxAnswerBytes: number;
}

export interface LineOptions {
  readonly clock: Clock;
  readonly limits: CallLimits;
  readonly streamed: boolean;
  readonly hangup: Hangup;
  /** The gateway stops and waits no longer. */
  readonly stop: Hangup;
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;

/**
 * Cuts the call when the client leaves or a deadline passes. One signal and no `AbortSignal.any`, which
 * costs a fifth of the throughput (hot-path.md §3); silence is watched by a deadline that moves itself.
 */
export class Line {
  /** Monotonic ms. */
  #sentAt: number;
  readonly #abort = new Cut();
  readonly #options: LineOptions;
  readonly #cancels: Cancel[] = [];
  #silence: Cancel = () => {};
  /** Monotonic ms: since when the provider has been waited for. */
  #listensSince: number;
  /** False while nobody waits, because the client has not yet taken what came. */
  #listens = true;
  #answered = false;
  #cutFor: Failure | undefined;

  constructor(options: LineOptions) {
    const { clock, limits, streamed, hangup, stop } = options;
    this.#options = options;
    this.#sentAt = clock.monotonic();
    this.#listensSince = this.#sentAt;
    const total = streamed ? limits.streamTotalMs : limits.wholeTotalMs;
    if (streamed) this.#silence = clock.after(limits.firstByteMs, () => this.#checkSilence());
    this.#cancels.push(clock.after(total, () => this.cut(this.#overdue(total))));
    // Last, because what has happened already cuts the line at once.
    this.#cancels.push(stop.on(() => this.cut({ kind: "unavailable", message: "The gateway is stopping." })));
    this.#cancels.push(hangup.on(() => this.cut({ kind: "timeout", message: "The client left." })));
  }

  /** When the call was sent last, monotonic ms. */
  get sentAt(): number {
    return this.#sentAt;
  }

  /** The call is sent once more: its first byte is waited for anew. The whole call gets no more time. */
  sendsAgain(): void {
    this.#sentAt = this.#options.clock.monotonic();
    this.#listensSince = this.#sentAt;
  }

  get signal(): CutSignal {
    return this.#abort;
  }

  /** Why we cut the line ourselves, if we did. */
  get cutFor(): Failure | undefined {
    return this.#cutFor;
  }

  /** More of the answer is waited for from now on. Only of a stream is the silence watched. */
  listen(): void {
    const { streamed, clock } = this.#options;
    this.#listens = true;
    if (streamed && this.#answered) this.#listensSince = clock.monotonic();
  }

  /** Something of the answer came. What passes until it is listened again is the client's time. */
  heard(): void {
    this.#answered = true;
    this.#listens = false;
  }

  cut(failure: Failure): void {
    if (this.#abort.aborted) return;
    this.#cutFor = failure;
    this.#abort.abort();
    this.end();
  }

  /** The answer is over: nothing watches the line any more. */
  end(): void {
    this.#silence();
    for (const cancel of this.#cancels) cancel();
  }

  #overdue(total: number): Failure {
    if (!this.#answered) {
      return { kind: "upstream_timeout", message: `The provider did not answer within ${seconds(total)}.` };
    }
    return { kind: "timeout", message: `The answer was not complete after ${seconds(total)}.` };
  }

  #checkSilence(): void {
    const { clock, limits } = this.#options;
    const allowed = this.#answered ? limits.silenceMs : limits.firstByteMs;
    const quiet = this.#listens ? clock.monotonic() - this.#listensSince : 0;
    if (quiet < allowed) {
      this.#silence = clock.after(allowed - quiet, () => this.#checkSilence());
      return;
    }
    const message = this.#answered
      ? `The provider fell silent for ${seconds(allowed)} in the middle of its answer.`
      : `The provider sent nothing within ${seconds(allowed)}.`;
    this.cut({ kind: "upstream_timeout", message });
  }
}
