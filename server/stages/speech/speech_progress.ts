/** Speech under way: what was given to the provider, what it delivered, and both as events for the stages above. */

import type { AnswerEvent, Failure, FinishEvent } from "../../canonical/event.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { SpeechDialect } from "../../speech/dialect.ts";
import { Stopwatch } from "../../speech/duration_meter.ts";
import type { Source } from "../../stream/source.ts";
import type { Attempt } from "../upstream_attempt.ts";
import { cleanFailure } from "../provider_message.ts";
import { charactersIn, secondsBound } from "../../pricing/speech_reservation.ts";
import { failureOfSound, type Heard, type Sound, SoundFailure } from "./speech_audio.ts";
import { charactersSpokenIn, isPricedByToken, speechUsage, sumOf } from "../../pricing/speech_usage.ts";

export interface SpeechOptions {
  readonly attempt: Attempt;
  readonly dialect: SpeechDialect;
  /** The text, as the provider takes it. */
  readonly pieces: readonly string[];
}

/** Voices of models get lost now and then; what they then say costs more than anybody has set aside. */
const endless: Failure = {
  kind: "upstream_failed",
  message: "The provider speaks longer than a text of this length can last.",
  code: "too_long",
};

export class Speech {
  readonly attempt: Attempt;
  readonly dialect: SpeechDialect;
  readonly pieces: readonly string[];
  readonly heard: Heard = { metered: new Map() };
  /** Characters that the provider was given. */
  #given = 0;
  /** Pieces that it was given. */
  #begun = 0;
  /** Seconds that it delivered, of the pieces that are over. */
  #before = 0;
  #watch: Stopwatch | undefined;
  /** Bytes that were passed on. */
  #bytes = 0;

  constructor({ attempt, dialect, pieces }: SpeechOptions) {
    this.attempt = attempt;
    this.dialect = dialect;
    this.pieces = pieces;
  }

  /** The provider is about to get this piece. */
  gave(at: number): void {
    this.#given += charactersIn({ dialect: this.dialect, pieces: this.pieces.slice(at, at + 1) });
    this.#begun++;
  }

  /** The same sound; how long it lasts is measured while it passes. */
  timed({ source, format }: Sound): Source<Uint8Array> {
    this.#before = this.#seconds;
    const { dialect, pieces, attempt: { turn: { request } } } = this;
    const most = secondsBound({ request, dialect, pieces });
    const watch = new Stopwatch(format);
    this.#watch = watch;
    const pull = async () => {
      const batch = await source.pull();
      for (const bytes of batch ?? []) watch.saw(bytes);
      if (this.#seconds > most) throw new SoundFailure(endless);
      return batch;
    };
    return { pull, cancel: (reason) => source.cancel(reason) };
  }

  /** Sound as events, which end in a last word. It never throws: a broken connection is a failure event. */
  told(source: Source<Uint8Array>): Source<AnswerEvent> {
    const { line } = this.attempt;
    let over = false;
    const last = (event: AnswerEvent): readonly AnswerEvent[] => {
      over = true;
      line.end();
      return [event];
    };
    const pull = async (): Promise<readonly AnswerEvent[] | undefined> => {
      if (over) return undefined;
      try {
        const batch = await source.pull();
        return batch === undefined ? last(this.#finished()) : batch.map((bytes) => this.#passed(bytes));
      } catch (error) {
        source.cancel("The answer broke off.");
        return last(this.#broken(line.cutFor ?? failureOfSound(error)));
      }
    };
    const cancel = (reason: string) => {
      over = true;
      line.cut({ kind: "timeout", message: reason });
      source.cancel(reason);
    };
    return { pull, cancel };
  }

  get #seconds(): number {
    return this.#before + (this.#watch?.seconds ?? 0);
  }

  #passed(bytes: Uint8Array): AnswerEvent {
    this.#bytes += bytes.length;
    return { type: "audio", bytes, seconds: this.#seconds, characters: this.#given, calls: this.#begun };
  }

  #finished(): FinishEvent {
    const { metered } = this.heard;
    const whole = metered.size > 0 && metered.size === this.#begun;
    const { pricing } = this.attempt.endpoint;
    return {
      type: "finish",
      reason: "stop",
      usage: this.#used({ estimated: !whole && isPricedByToken(pricing) }),
    };
  }

  /** Nobody pays for what a provider did not deliver; where we have cut it short, it charges what it was given. */
  #broken(failure: Failure): AnswerEvent {
    const { endpoint, turn, line } = this.attempt;
    const heard = charactersSpokenIn(this.#seconds, turn.request.speech?.speed);
    const characters = line.cutFor === undefined ? Math.min(this.#given, heard) : this.#given;
    const usage = this.#used({ estimated: true, characters });
    return { type: "failure", failure: cleanFailure(failure, endpoint), usage };
  }

  #used({ estimated, characters = this.#given }: { estimated: boolean; characters?: number }): Usage {
    const { metered } = this.heard;
    return speechUsage({
      request: this.attempt.turn.request,
      characters,
      seconds: this.#seconds,
      bytes: this.#bytes,
      calls: this.#begun,
      metered: estimated ? undefined : sumOf([...metered.values()]),
      estimated,
    });
  }
}
