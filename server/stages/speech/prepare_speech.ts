/** What `spend` needs of a text that is to be spoken: its calls, its worst case, and a count of what is delivered. */

import type { AnswerEvent } from "../../canonical/event.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { Metering } from "../billing/token_estimate.ts";
import type { Ready } from "../prepare_call.ts";
import { sayable } from "../render_provider_request.ts";
import { charactersIn, speechOrderOf } from "../../pricing/speech_reservation.ts";
import { dialectAt, piecesOf, renderPiece, type Speaking, type SpeechRenderDeps } from "./render_speech.ts";
import { speechUsage } from "../../pricing/speech_usage.ts";

interface Preparing extends Speaking {
  /** Ms since the epoch. */
  readonly at: number;
}

/** Throws a Fault where the endpoint's dialect cannot say what was asked. */
export function prepareSpeech(deps: SpeechRenderDeps, { turn, endpoint, at }: Preparing): Omit<Ready, "at"> {
  const { request } = turn;
  const dialect = dialectAt(deps, endpoint);
  const pieces = piecesOf(deps, { turn, endpoint });
  // The first call says whether the endpoint can be told at all what was asked.
  const rendered = sayable(endpoint, () => renderPiece(deps, { turn, endpoint, pieces, at: 0 }));
  const order = speechOrderOf({ request, endpoint, dialect, pieces, at });
  const first = charactersIn({ dialect, pieces: pieces.slice(0, 1) });
  // No provider takes a cap of sound.
  return { rendered, order, outputCap: undefined, meter: new SpeechMeter(request, first) };
}

/** Counts sound while it passes: what a call is charged that the client has left. */
export class SpeechMeter implements Metering {
  deltas = 0;
  produced = false;
  upstreamId: string | undefined;
  readonly images = 0;
  readonly #request: ModelRequest;
  #characters: number;
  #seconds = 0;
  #bytes = 0;
  #calls = 1;

  /** `characters`: of the first piece, which the provider has from the beginning. */
  constructor(request: ModelRequest, characters: number) {
    this.#request = request;
    this.#characters = characters;
  }

  see(batch: readonly AnswerEvent[]): void {
    for (const event of batch) {
      if (event.type === "begin") this.upstreamId = event.upstreamId ?? this.upstreamId;
      if (event.type !== "audio") continue;
      this.deltas++;
      this.produced = true;
      this.#characters = event.characters;
      this.#seconds = event.seconds;
      this.#calls = event.calls;
      this.#bytes += event.bytes.length;
    }
  }

  // Providers of speech send their counts at the end, and what is heard is counted where it passes.
  mark(): void {}
  end(): void {}
  isBehind = (): boolean => false;
  continued = (reported: Usage): Usage => reported;

  usage(): Usage {
    return speechUsage({
      request: this.#request,
      characters: this.#characters,
      seconds: this.#seconds,
      bytes: this.#bytes,
      calls: this.#calls,
      estimated: true,
    });
  }
}
