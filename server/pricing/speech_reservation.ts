/** What a text could cost at most to have it spoken: what the ledger sets aside (promises M1). */

import { mediaBound } from "./media_tokens.ts";
import { addUsd, type NanoUsd, roundedUp } from "../../shared/money.ts";
import { dearest } from "./unit_prices.ts";
import { chargeFor } from "./charge.ts";
import { TEMPLATE_TOKENS, worstCase } from "./cost_bound.ts";
import { type SpeechWish, transcriptOf } from "../canonical/speech.ts";
import type { ModelRequest } from "../canonical/request.ts";
import type { Order } from "../ledger/core/ledger.ts";
import type { Endpoint, Pricing } from "../providers/endpoint.ts";
import type { SpeechDialect } from "../speech/dialect.ts";
import { countCharacters } from "../../shared/validation/validate.ts";
import { speechUsage } from "./speech_usage.ts";

export interface SpeechOrdered {
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  readonly dialect: SpeechDialect;
  readonly pieces: readonly string[];
  /** Ms since the epoch: decides which of an endpoint's prices holds. */
  readonly at: number;
}

/**
 * Nobody speaks slower than a second a character, digits and symbols that are read out as words included; a piece
 * may begin and end with silence. A speed below the usual one stretches all of it.
 */
const SECONDS_A_CHARACTER = 1;
const SECONDS_A_PIECE = 10;
/** Tokens of a second of sound: Google publishes 25, OpenAI comes to 21. */
const TOKENS_A_SECOND = 32;

/** Sound cannot be cut short by a cap, so that all of it is set aside or nothing. */
export function speechOrderOf(ordered: SpeechOrdered): Order {
  const { endpoint } = ordered;
  const tokens = tokensBound(ordered);
  return {
    worst: endpoint.pricing === null ? undefined : worstOf({ ...ordered, pricing: endpoint.pricing, tokens }),
    askedCap: undefined,
    usualCap: tokens,
    byok: endpoint.byok === true,
    endpoint: { id: endpoint.id, model: endpoint.model.id, provider: endpoint.provider.name },
  };
}

/** Characters as the provider charges them. */
export function charactersIn({ dialect, pieces }: Pick<SpeechOrdered, "dialect" | "pieces">): number {
  const count = dialect.charactersOf ?? countCharacters;
  return pieces.reduce((sum, piece) => sum + count(piece), 0);
}

/** Seconds: no text lasts longer. */
export function secondsBound(
  { request: { speech }, dialect, pieces }: Pick<SpeechOrdered, "request" | "dialect" | "pieces">,
): number {
  const usual = charactersIn({ dialect, pieces }) * SECONDS_A_CHARACTER + pieces.length * SECONDS_A_PIECE;
  return Math.ceil(usual / Math.min(1, speech?.speed ?? 1));
}

function tokensBound(ordered: SpeechOrdered): number {
  const { endpoint: { maxOutputTokens }, pieces } = ordered;
  const bound = secondsBound(ordered) * TOKENS_A_SECOND;
  return maxOutputTokens === null ? bound : Math.min(bound, maxOutputTokens * pieces.length);
}

interface Priced extends SpeechOrdered {
  readonly pricing: Pricing;
  readonly tokens: number;
}

function worstOf(priced: Priced): Order["worst"] {
  const { request, pieces, pricing, tokens, endpoint, at } = priced;
  const characters = charactersIn(priced);
  const worst = worstCase({
    list: pricing,
    // Every piece is a prompt of its own.
    contextLength: null,
    bodyBytes: textBytes(request, pieces) + TEMPLATE_TOKENS * (pieces.length - 1),
    media: recordedIn(request.speech, endpoint),
    outputCap: tokens,
    characters,
    seconds: secondsBound(priced),
  });
  // Every further piece is a request of its own.
  const total = addUsd(worst.total(), roundedUp(BigInt(pieces.length - 1) * dearest(pricing).request));
  const usage = speechUsage({ request, characters, seconds: 0, bytes: 0, estimated: true });
  return {
    total: () => total,
    capWithin: (amount: NanoUsd) => amount >= total ? tokens : -1,
    input: chargeFor(usage, pricing, { at }).input,
  };
}

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

/** What is said besides the text goes along with every piece. */
function textBytes(request: ModelRequest, pieces: readonly string[]): number {
  const besides = bytesOf(request.instructions ?? "") + bytesOf(transcriptOf(request) ?? "");
  return pieces.reduce((sum, piece) => sum + bytesOf(piece) + besides, 0);
}

/** A recording is heard as any sound that goes in. */
function recordedIn(speech: SpeechWish | undefined, { upstreamModel, model: { contextLength } }: Endpoint) {
  if (speech?.reference === undefined) return undefined;
  const { data, mediaType, seconds } = speech.reference;
  const bytes = Math.ceil(data.length / 4) * 3;
  const audio = { bytes, format: mediaType.replace("audio/", ""), seconds };
  const media = { images: 0, audios: [audio], files: [], videos: 0, payloads: [] };
  return mediaBound(media, { model: upstreamModel, contextLength });
}
