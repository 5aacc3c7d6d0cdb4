/** The line to the provider: one abort controller an attempt, its deadlines, and why it was cut (promises §3). */

import type { Failure } from "../../protocols/canonical/event.ts";
import type { CancelSignal } from "../../one_shot_signal.ts";
import type { Cancel, Clock } from "../../runtime.ts";
import { type AbortSignalLike, CallAbort } from "./call_abort.ts";

/** All in milliseconds. */
export interface CallLimits {
  /** Streamed calls: to the first byte of the answer. */
  readonly firstByteMs: number;
  /** Streamed calls: silence while a further chunk is waited for. */
  readonly idleMs: number;
  readonly streamMs: number;
  /** Calls that are not streamed have only this. */
  readonly wholeResponseMs: number;
  /** Decoded bytes of one answer. */
  readonly maxResponseBytes: number;
}

interface UpstreamCallOptions {
  readonly clock: Clock;
  readonly limits: CallLimits;
  /** Instead of the one of the limits, for a provider that may take longer. */
  readonly firstByteMs?: number;
  readonly streamed: boolean;
  readonly clientDisconnect: CancelSignal;
  /** The gateway stops and waits no longer. */
  readonly gatewayStop: CancelSignal;
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;

/**
 * Cuts the call when the client disconnects or a deadline passes. One signal and no `AbortSignal.any`, which
 * costs a fifth of the throughput; silence is watched by a deadline that moves itself.
 */
export class UpstreamCall {
  /** Monotonic ms. */
  #sentAt: number;
  readonly #abort = new CallAbort();
  readonly #options: UpstreamCallOptions;
  readonly #firstByteMs: number;
  readonly #cancels: Cancel[] = [];
  #silence: Cancel = () => {};
  /** Monotonic ms: since when the provider has been waited for. */
  #listensSince: number;
  /** False while nobody waits, because the client has not yet taken what came. */
  #listens = true;
  #answered = false;
  #cutFor: Failure | undefined;

  constructor(options: UpstreamCallOptions) {
    const { clock, limits, streamed, clientDisconnect, gatewayStop } = options;
    this.#firstByteMs = options.firstByteMs ?? limits.firstByteMs;
    this.#options = options;
    this.#sentAt = clock.monotonic();
    this.#listensSince = this.#sentAt;
    const total = streamed ? limits.streamMs : limits.wholeResponseMs;
    if (streamed) this.#silence = clock.after(this.#firstByteMs, () => this.#checkSilence());
    this.#cancels.push(clock.after(total, () => this.abort(this.#overdue(total))));
    // Last, because what has happened already cuts the line at once.
    this.#cancels.push(
      gatewayStop.onFire(() => this.abort({ kind: "unavailable", message: "The gateway is stopping." })),
    );
    this.#cancels.push(
      clientDisconnect.onFire(() => this.abort({ kind: "timeout", message: "Client disconnected." })),
    );
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

  get signal(): AbortSignalLike {
    return this.#abort;
  }

  /** Why we cut the line ourselves, if we did. */
  get abortReason(): Failure | undefined {
    return this.#cutFor;
  }

  /** More of the answer is waited for from now on. Only of a stream is the silence watched. */
  startIdleTimer(): void {
    const { streamed, clock } = this.#options;
    this.#listens = true;
    if (streamed && this.#answered) this.#listensSince = clock.monotonic();
  }

  /** Something of the answer came. What passes until it is listened again is the client's time. */
  stopIdleTimer(): void {
    this.#answered = true;
    this.#listens = false;
  }

  abort(failure: Failure): void {
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
      return { kind: "upstream_timeout", message: `The provider did not respond within ${seconds(total)}.` };
    }
    return { kind: "timeout", message: `The response was not complete after ${seconds(total)}.` };
  }

  #checkSilence(): void {
    const { clock, limits } = this.#options;
    const allowed = this.#answered ? limits.idleMs : this.#firstByteMs;
    const quiet = this.#listens ? clock.monotonic() - this.#listensSince : 0;
    if (quiet < allowed) {
      this.#silence = clock.after(allowed - quiet, () => this.#checkSilence());
      return;
    }
    const message = this.#answered
      ? `The provider sent nothing for ${seconds(allowed)} in the middle of its response.`
      : `The provider sent nothing within ${seconds(allowed)}.`;
    this.abort({ kind: "upstream_timeout", message });
  }
}
