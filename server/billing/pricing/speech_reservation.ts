/** Computes the most that it may cost to have a text spoken: the ledger reserves it (promises M1). */

import { mediaTokenBound } from "./media_tokens.ts";
import { addUsd, type NanoUsd, roundUpToNano } from "../../../shared/money.ts";
import { highestUnitPrices } from "./unit_prices.ts";
import { computeCharge } from "./charge.ts";
import { costBound, TEMPLATE_TOKENS } from "./cost_bound.ts";
import type { SpeechOptions } from "../../protocols/canonical/speech.ts";
import { type ModelRequest, referenceTranscript } from "../../protocols/canonical/request.ts";
import type { ReservationRequest } from "../ledger/core/ledger.ts";
import type { Endpoint, Pricing } from "../../providers/endpoint.ts";
import type { SpeechDialect } from "../../speech/dialect.ts";
import { countCodePoints } from "../../../shared/validation/validate.ts";
import { computeSpeechUsage } from "./speech_usage.ts";

interface SpeechReservationInput {
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  readonly dialect: SpeechDialect;
  readonly chunks: readonly string[];
  /** Ms since the epoch: decides which of an endpoint's prices holds. */
  readonly at: number;
}

/**
 * Nobody speaks slower than a second a character, digits and symbols that are read out as words included; a chunk
 * may begin and end with silence. A speed below the usual one stretches all of it.
 */
const SECONDS_A_CHARACTER = 1;
const SECONDS_A_PIECE = 10;
/** Tokens of a second of sound: Google publishes 25, OpenAI comes to 21. */
const TOKENS_A_SECOND = 32;

/** Sound cannot be cut short by a cap, so that all of it is reserved or nothing. */
export function speechReservationRequest(ordered: SpeechReservationInput): ReservationRequest {
  const { endpoint } = ordered;
  const tokens = maxTokens(ordered);
  return {
    costBound: endpoint.pricing === null
      ? undefined
      : speechCostBound({ ...ordered, pricing: endpoint.pricing, tokens }),
    requestedMaxTokens: undefined,
    defaultMaxTokens: tokens,
    byok: endpoint.byok === true,
    endpoint: { id: endpoint.id, model: endpoint.model.id, provider: endpoint.provider.name },
  };
}

/** Characters as the provider charges them. */
export function billedCharacters(
  { dialect, chunks }: Pick<SpeechReservationInput, "dialect" | "chunks">,
): number {
  const count = dialect.charactersOf ?? countCodePoints;
  return chunks.reduce((sum, chunk) => sum + count(chunk), 0);
}

/** Seconds: no text lasts longer. */
export function maxSeconds(
  { request: { speech }, dialect, chunks }: Pick<
    SpeechReservationInput,
    "request" | "dialect" | "chunks"
  >,
): number {
  const fallback = billedCharacters({ dialect, chunks }) * SECONDS_A_CHARACTER +
    chunks.length * SECONDS_A_PIECE;
  return Math.ceil(fallback / Math.min(1, speech?.speed ?? 1));
}

function maxTokens(ordered: SpeechReservationInput): number {
  const { endpoint: { maxOutputTokens }, chunks } = ordered;
  const bound = maxSeconds(ordered) * TOKENS_A_SECOND;
  return maxOutputTokens === null ? bound : Math.min(bound, maxOutputTokens * chunks.length);
}

interface Priced extends SpeechReservationInput {
  readonly pricing: Pricing;
  readonly tokens: number;
}

function speechCostBound(priced: Priced): ReservationRequest["costBound"] {
  const { request, chunks, pricing, tokens, endpoint, at } = priced;
  const characters = billedCharacters(priced);
  const worst = costBound({
    list: pricing,
    // Every chunk is a prompt of its own.
    contextLength: null,
    bodyBytes: textBytes(request, chunks) + TEMPLATE_TOKENS * (chunks.length - 1),
    media: referenceBytes(request.speech, endpoint),
    maxOutputTokens: tokens,
    characters,
    seconds: maxSeconds(priced),
  });
  // Every further chunk is a request of its own.
  const total = addUsd(
    worst.total(),
    roundUpToNano(BigInt(chunks.length - 1) * highestUnitPrices(pricing).request),
  );
  const usage = computeSpeechUsage({ request, characters, seconds: 0, bytes: 0, estimated: true });
  return {
    total: () => total,
    maxTokensWithin: (amount: NanoUsd) => amount >= total ? tokens : -1,
    inputCost: computeCharge(usage, pricing, { at }).input,
  };
}

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

/** Counts the bytes of all chunks; the texts beside the input go along with every chunk. */
function textBytes(request: ModelRequest, chunks: readonly string[]): number {
  const besides = bytesOf(request.instructions ?? "") + bytesOf(referenceTranscript(request) ?? "");
  return chunks.reduce((sum, chunk) => sum + bytesOf(chunk) + besides, 0);
}

/** A recording is heard as any sound that goes in. */
function referenceBytes(
  speech: SpeechOptions | undefined,
  { upstreamModel, model: { contextLength } }: Endpoint,
) {
  if (speech?.reference === undefined) return undefined;
  const { data, mediaType, seconds } = speech.reference;
  const bytes = Math.ceil(data.length / 4) * 3;
  const audio = { bytes, format: mediaType.replace("audio/", ""), seconds };
  const media = { images: 0, audios: [audio], files: [], videos: 0, payloads: [] };
  return mediaTokenBound(media, { model: upstreamModel, contextLength });
}
