/** When a call of a server tool or of a plugin has to end: its time is over, the request is, or the gateway stops. */

import { ApiError } from "../../shared/errors.ts";
import { type CancelSignal, OneShotSignal } from "../one_shot_signal.ts";
import type { Failure } from "../protocols/canonical/event.ts";
import type { Clock } from "../runtime.ts";
import type { CallRecord } from "./request_record.ts";

interface CallEndOptions {
  readonly clock: Pick<Clock, "after">;
  /** Milliseconds that it may take. */
  readonly ms: number;
  /** Names the call in a sentence: `tool`. */
  readonly word: string;
  /** Fires when the request is over, and when the gateway stops. */
  readonly ended: CancelSignal;
  readonly stop: CancelSignal;
}

interface CallEndSignals {
  readonly signal: OneShotSignal;
  readonly abort: AbortSignal;
  /** Resolves with the sentence that says why. */
  readonly reason: Promise<string>;
  /** To be called once the call is over. */
  readonly release: () => void;
}

/** To a tenth. */
const seconds = (ms: number): number => Math.round(ms / 100) / 10;

export function callEndOf(
  call: CallRecord,
  { clock, ms, word, ended, stop }: CallEndOptions,
): CallEndSignals {
  const signal = new OneShotSignal();
  const abort = new AbortController();
  const { promise: reason, resolve } = Promise.withResolvers<string>();
  const end = (why: string) => {
    resolve(why);
    signal.fire();
    abort.abort(new ApiError("timeout", why));
  };
  call.abort = ({ message }: Failure) => end(message);
  const forget = [
    clock.after(ms, () => end(`The ${word} took longer than ${seconds(ms)} s.`)),
    ended.onFire(() => end("The request is over.")),
    stop.onFire(() => end("The gateway is stopping.")),
  ];
  return { signal, abort: abort.signal, reason, release: () => forget.forEach((run) => run()) };
}
