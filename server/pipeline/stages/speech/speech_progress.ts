/** Speech under way: what was given to the provider, what it delivered, and both as events for the stages above. */

import type { Failure, FinishEvent, OutputEvent } from "../../../protocols/canonical/event.ts";
import type { Usage } from "../../../protocols/canonical/usage.ts";
import type { SpeechDialect } from "../../../speech/dialect.ts";
import { DurationMeter } from "../../../speech/duration_meter.ts";
import type { Source } from "../../../protocols/stream/source.ts";
import type { UpstreamAttempt } from "../upstream_attempt.ts";
import { redactFailure } from "../provider_message.ts";
import { billedCharacters, maxSeconds } from "../../../billing/pricing/speech_reservation.ts";
import { type EncodedAudio, type ProviderReport, SpeechFailure, speechFailureOf } from "./speech_audio.ts";
import {
  charactersInSeconds,
  computeSpeechUsage,
  isPricedByToken,
  sumCounts,
} from "../../../billing/pricing/speech_usage.ts";

interface SpeechProgressOptions {
  readonly attempt: UpstreamAttempt;
  readonly dialect: SpeechDialect;
  /** The text, as the provider takes it. */
  readonly chunks: readonly string[];
}

/** Voices of models get lost now and then; what they then say costs more than anybody has reserved. */
const endless: Failure = {
  kind: "upstream_failed",
  message: "The provider speaks longer than a text of this length can last.",
  code: "too_long",
};

export class SpeechProgress {
  readonly attempt: UpstreamAttempt;
  readonly dialect: SpeechDialect;
  readonly chunks: readonly string[];
  readonly report: ProviderReport = { metered: new Map() };
  /** Characters that the provider was given. */
  #input = 0;
  /** Chunks that it was given. */
  #begun = 0;
  /** Seconds that it delivered, of the chunks that are over. */
  #before = 0;
  #watch: DurationMeter | undefined;
  /** Bytes that were passed on. */
  #bytes = 0;

  constructor({ attempt, dialect, chunks }: SpeechProgressOptions) {
    this.attempt = attempt;
    this.dialect = dialect;
    this.chunks = chunks;
  }

  /** The provider is about to get this chunk. */
  chunkSent(at: number): void {
    this.#input += billedCharacters({ dialect: this.dialect, chunks: this.chunks.slice(at, at + 1) });
    this.#begun++;
  }

  /** The same sound; how long it lasts is measured while it passes. */
  timed({ source, format }: EncodedAudio): Source<Uint8Array> {
    this.#before = this.#seconds;
    const { dialect, chunks, attempt: { context: { request } } } = this;
    const most = maxSeconds({ request, dialect, chunks });
    const watch = new DurationMeter(format);
    this.#watch = watch;
    const pull = async () => {
      const batch = await source.pull();
      for (const bytes of batch ?? []) watch.addBytes(bytes);
      if (this.#seconds > most) throw new SpeechFailure(endless);
      return batch;
    };
    return { pull, cancel: (reason) => source.cancel(reason) };
  }

  /** Sound as events, which end in a last word. It never throws: a broken connection is a failure event. */
  finish(source: Source<Uint8Array>): Source<OutputEvent> {
    const { call } = this.attempt;
    let over = false;
    const last = (event: OutputEvent): readonly OutputEvent[] => {
      over = true;
      call.end();
      return [event];
    };
    const pull = async (): Promise<readonly OutputEvent[] | undefined> => {
      if (over) return undefined;
      try {
        const batch = await source.pull();
        return batch === undefined ? last(this.#finished()) : batch.map((bytes) => this.#passed(bytes));
      } catch (error) {
        source.cancel("The answer broke off.");
        return last(this.#broken(call.abortReason ?? speechFailureOf(error)));
      }
    };
    const cancel = (reason: string) => {
      over = true;
      call.abort({ kind: "timeout", message: reason });
      source.cancel(reason);
    };
    return { pull, cancel };
  }

  get #seconds(): number {
    return this.#before + (this.#watch?.seconds ?? 0);
  }

  #passed(bytes: Uint8Array): OutputEvent {
    this.#bytes += bytes.length;
    return { type: "audio", bytes, seconds: this.#seconds, characters: this.#input, calls: this.#begun };
  }

  #finished(): FinishEvent {
    const { metered } = this.report;
    const whole = metered.size > 0 && metered.size === this.#begun;
    const { pricing } = this.attempt.endpoint;
    return {
      type: "finish",
      reason: "stop",
      usage: this.#used({ estimated: !whole && isPricedByToken(pricing) }),
    };
  }

  /** Nobody pays for what a provider did not deliver; where we have cut it short, it charges what it was given. */
  #broken(failure: Failure): OutputEvent {
    const { endpoint, context, call } = this.attempt;
    const heard = charactersInSeconds(this.#seconds, context.request.speech?.speed);
    const characters = call.abortReason === undefined ? Math.min(this.#input, heard) : this.#input;
    const usage = this.#used({ estimated: true, characters });
    return { type: "failure", failure: redactFailure(failure, { endpoint, guards: context.guards }), usage };
  }

  #used({ estimated, characters = this.#input }: { estimated: boolean; characters?: number }): Usage {
    const { metered } = this.report;
    return computeSpeechUsage({
      request: this.attempt.context.request,
      characters,
      seconds: this.#seconds,
      bytes: this.#bytes,
      calls: this.#begun,
      metered: estimated ? undefined : sumCounts([...metered.values()]),
      estimated,
    });
  }
}
