/** Prepares a text to be spoken for `billing`: its calls, its cost bound, and a count of what is delivered. */

import type { OutputEvent } from "../../../protocols/canonical/event.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { Usage } from "../../../protocols/canonical/usage.ts";
import type { UsageMeter } from "../billing/token_estimate.ts";
import { asUpstreamError } from "../render_provider_request.ts";
import { billedCharacters, speechReservationRequest } from "../../../billing/pricing/speech_reservation.ts";
import {
  renderSpeechChunk,
  speechChunks,
  speechDialectOf,
  type SpeechRenderDeps,
  type SpeechTarget,
} from "./render_speech.ts";
import { computeSpeechUsage } from "../../../billing/pricing/speech_usage.ts";
import type { PreparedCall } from "../prepared_call.ts";

interface PrepareSpeechInput extends SpeechTarget {
  /** Ms since the epoch. */
  readonly at: number;
}

/** Throws an UpstreamError where the endpoint's dialect cannot say what was asked. */
export function prepareSpeech(
  deps: SpeechRenderDeps,
  { context, endpoint, at }: PrepareSpeechInput,
): Omit<PreparedCall, "at"> {
  const { request } = context;
  const dialect = speechDialectOf(deps, endpoint);
  const chunks = speechChunks(deps, { context, endpoint });
  // The first call says whether the endpoint can be told at all what was asked.
  const rendered = asUpstreamError(
    endpoint,
    () => renderSpeechChunk(deps, { context, endpoint, pieces: chunks, at: 0 }),
  );
  const order = speechReservationRequest({ request, endpoint, dialect, chunks, at });
  const first = billedCharacters({ dialect, chunks: chunks.slice(0, 1) });
  // No provider takes a cap of sound.
  return {
    providerRequest: rendered,
    reservation: order,
    maxOutputTokens: undefined,
    meter: new SpeechUsageMeter(request, first),
  };
}

/** Counts sound while it passes: what a call is charged that the client has disconnected. */
class SpeechUsageMeter implements UsageMeter {
  deltas = 0;
  hasOutput = false;
  upstreamId: string | undefined;
  readonly images = 0;
  readonly openImages = 0;
  readonly #request: ModelRequest;
  #characters: number;
  #seconds = 0;
  #bytes = 0;
  #calls = 1;

  /** `characters`: of the first chunk, which the provider has from the beginning. */
  constructor(request: ModelRequest, characters: number) {
    this.#request = request;
    this.#characters = characters;
  }

  addEvents(batch: readonly OutputEvent[]): void {
    for (const event of batch) {
      if (event.type === "begin") this.upstreamId = event.upstreamId ?? this.upstreamId;
      if (event.type !== "audio") continue;
      this.deltas++;
      this.hasOutput = true;
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
  deliveredTokens = (): number => 0;

  usage(): Usage {
    return computeSpeechUsage({
      request: this.#request,
      characters: this.#characters,
      seconds: this.#seconds,
      bytes: this.#bytes,
      calls: this.#calls,
      estimated: true,
    });
  }
}
