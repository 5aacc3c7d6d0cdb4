/**
 * How many tokens what is no text could be, at most: what a prompt's images, sound and files are reserved as
 * (promises M1). The figures are the providers' own; where none is published, the model's context is the bound.
 */

import { ownValue } from "../../../shared/util/own_value.ts";
import type { MediaTokenBound } from "./cost_bound.ts";

/** Media of a request, besides its text. Payloads stand in the rendered body as base64. */
export interface RequestMedia {
  readonly images: number;
  readonly audios: readonly AudioMedia[];
  readonly files: readonly FileMedia[];
  readonly videos: number;
  /** The base64 texts themselves, as the client sent them, in the order of the conversation. */
  readonly payloads: readonly string[];
}

export interface AudioMedia {
  /** Bytes of sound; null for sound that the provider fetches itself. */
  readonly bytes: number | null;
  /** `wav`, `mp3` … */
  readonly format: string;
  /** Where its head tells. */
  readonly seconds?: number;
}

export interface FileMedia {
  /** Bytes; null for files that the provider fetches itself or has. */
  readonly bytes: number | null;
  /** MIME type, where the client told it. */
  readonly type?: string;
}

interface ModelContext {
  /** The provider's name of the model. */
  readonly model: string;
  readonly contextLength: number | null;
}

/** No image of a model that nobody describes takes more: the cap of Qwen's models, the highest that is published. */
const IMAGE_TOKENS = 16_384;

/**
 * Tokens of one image at its largest, by model. OpenAI: 85 + 170 for each of 8 tiles, 2,833 + 5,667 for gpt-4o-mini,
 * patches up to 1,536 times the model's factor, and 10,000 since gpt-5.4. Anthropic: 1,600, since Opus 4.7 4,784.
 * Google: 258 a tile, up to 2,240 at the highest resolution since Gemini 3.
 */
const imageTokens: readonly (readonly [RegExp, number])[] = [
  [/gpt-4o-mini/i, 48_169],
  [/gpt-(?:4o|4\.5)|chatgpt-4o/i, 1_445],
  [/gpt-4\.1-(?:mini|nano)|gpt-5(?:\.[1-3])?-(?:mini|nano)|o4-mini/i, 3_779],
  [/gpt-4\.1|gpt-5(?:-|$)|gpt-5\.[1-3]|\bo[13]\b/i, 1_536],
  [/claude-(?:3|(?:opus|sonnet|haiku)-4-[0-6](?:\D|$)|(?:opus|sonnet)-4(?:@|-2025|$))/i, 1_600],
  [/claude/i, 4_784],
  [/pixtral|mistral|magistral/i, 4_096],
  [/grok/i, 1_792],
];

/** Tokens a second: Google publishes 32, OpenAI 10, Mistral 12.5, Alibaba 25. */
const AUDIO_TOKENS_PER_SECOND = 32;

/**
 * The fewest bytes a second that a format takes. Raw sound at 8,000 samples, MP3 at its lowest bit rate; the others
 * encode silence to next to nothing, so that only the context bounds them.
 */
const bytesPerSecond: Readonly<Record<string, number>> = { pcm16: 16_000, g711_ulaw: 8_000, mp3: 1_000 };

/** Files that are read as text: a token is at least a byte of them. */
const plainText = /^text\/|^application\/(?:json|xml|x-ndjson|yaml|x-yaml|javascript)\b/i;

export const isPlainText = (mimeType: string): boolean => plainText.test(mimeType);

/** Bound in tokens of media whose size says nothing about their length. */
const UNBOUNDED = 100_000_000;

/** The most that a request's media could be as tokens at a model. */
export function mediaTokenBound(
  media: RequestMedia,
  { model, contextLength }: ModelContext,
): MediaTokenBound {
  const most = contextLength ?? UNBOUNDED;
  const upTo = (tokens: number) => Math.min(tokens, most);
  const sum = (all: readonly number[]) => upTo(all.reduce((total, tokens) => total + tokens, 0));
  return {
    images: media.images,
    imageTokens: media.images === 0 ? 0 : upTo(media.images * maxImageTokens(model)),
    audioTokens: sum(media.audios.map((audio) => audioTokensOf(audio) ?? most)),
    otherTokens: sum([
      ...media.files.map((file) => fileTokensOf(file) ?? most),
      media.videos === 0 ? 0 : most,
    ]),
  };
}

/** Most tokens of one image. */
export const maxImageTokens = (model: string): number =>
  imageTokens.find(([pattern]) => pattern.test(model))?.[1] ?? IMAGE_TOKENS;

function audioTokensOf({ bytes, format, seconds }: AudioMedia): number | undefined {
  if (seconds !== undefined) return Math.ceil(seconds * AUDIO_TOKENS_PER_SECOND);
  const rate = ownValue(bytesPerSecond, format.toLowerCase());
  if (bytes === null || rate === undefined) return undefined;
  return Math.ceil(bytes / rate) * AUDIO_TOKENS_PER_SECOND;
}

/** Pages of a PDF are images and text at once, and a few bytes can say the same page a thousand times. */
const fileTokensOf = ({ bytes, type }: FileMedia): number | undefined =>
  bytes !== null && type !== undefined && isPlainText(type) ? bytes : undefined;

/**
 * UTF-8 bytes of a body but for the payloads of media that are in it: what a cost bound takes as `bodyBytes`. A
 * payload that a wire left out or took apart is not found, and nothing is left out for it. `dropped`: the wire left
 * something of the request out, so that a payload found in the body may be a text that repeats it: all counts.
 */
export function countTextBytes(
  json: string,
  { media, dropped = false }: { readonly media?: RequestMedia; readonly dropped?: boolean } = {},
): number {
  let bytes = countUtf8Bytes(json);
  if (media === undefined || dropped) return bytes;
  let from = 0;
  for (const payload of media.payloads) {
    const at = json.indexOf(payload, from);
    if (at === -1) continue;
    bytes -= payload.length;
    from = at + payload.length;
  }
  return bytes;
}

/** Below this length a loop is faster than an encoder. */
const SHORT = 512;
const encoder = new TextEncoder();

/** Counts the UTF-8 bytes of well-formed text, as all JSON is. */
export function countUtf8Bytes(text: string): number {
  if (text.length > SHORT) return encoder.encode(text).byteLength;
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // A pair of surrogates is four bytes: two units, and one more for each.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
