/**
 * Deepgram: POST /v1/speak (Aura) and /v2/speak (Flux). The voice is a part of the model's name, all options stand in
 * the query, and the body is the text alone. It charges characters, and tells them in a header.
 */

import { omitUndefined } from "../../../shared/util/json.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { AudioFormat } from "../../protocols/canonical/speech.ts";
import { htmlTitleOrText, parseJsonOrText } from "../../protocols/common/outbound/error_text.ts";
import type { ProviderError } from "../../protocols/wire.ts";
import type {
  RenderedSpeechRequest,
  SpeechDialect,
  SpeechEndpoint,
  SpeechRequestPart,
  SpeechResponseFormat,
  SpeechResponseHead,
} from "../dialect.ts";
import { type ErrorRules, toFailure, toProviderError } from "../provider_error.ts";
import {
  audioUnlessText,
  clampSpeed,
  parseCountHeader,
  renderQuery,
  unsupportedByProvider,
  unsupportedInstructions,
} from "../dialect_rendering.ts";
import { readErrorFields } from "../provider_fields.ts";

const MAX_CHARS = 2_000;
const SAMPLE_RATE = 24_000;
const SPEEDS = { min: 0.7, max: 1.5 };
/** Flux knows speeds in steps of a twentieth. */
const FLUX_STEPS = 20;

export const deepgramSpeech: SpeechDialect = {
  id: "deepgram",
  maxChars: MAX_CHARS,
  render,
  parseResponse: parseAnswer,
  parseError,
};

/** With these it answers before it speaks, and speaks to an address that the caller names. */
const elsewhere = ["callback", "callback_method"];

/** Raw samples, which are the best that it has; an MP3 of its own has 22,050 Hz. */
const fallback = { encoding: "linear16", container: "none" } as const;

function render(
  utterance: SpeechRequestPart,
  { upstreamModel, traits, omit, extraBody }: SpeechEndpoint,
): RenderedSpeechRequest {
  if (utterance.reference !== undefined) {
    throw unsupportedByProvider("input_references", "is not taken by this provider");
  }
  const model = modelOf(utterance, upstreamModel);
  const { speed, dropped } = clampSpeed(utterance.speed, SPEEDS);
  const flux = model.startsWith("flux-");
  const requested: JsonObject = omitUndefined({
    ...fallback,
    sample_rate: traits.sampleRate ?? SAMPLE_RATE,
    speed: flux && speed !== undefined ? Math.round(speed * FLUX_STEPS) / FLUX_STEPS : speed,
    ...utterance.options,
    ...extraBody,
    model,
  });
  const left = [...omit, ...elsewhere];
  const entries = Object.entries(requested).filter(([key, value]) => !left.includes(key) && value !== null);
  const query = Object.fromEntries(entries);
  return {
    path: `/${flux ? "v2" : "v1"}/speak?${renderQuery(query)}`,
    body: { type: "json", value: { text: utterance.text } },
    format: formatOf(query),
    dropped: [
      ...dropped,
      ...unsupportedInstructions(utterance),
      ...Object.keys(requested).filter((key) => left.includes(key)),
    ],
  };
}

/** A model in full: `aura-2-thalia-en`. */
const full = /^[a-z]+(-\d+)?-[a-z]+-[a-z]{2}(-[a-z]{2})?$/;

/** Voices are named in full, or without the model in front: `thalia-en`. */
function modelOf({ voice }: SpeechRequestPart, model: string): string {
  if (voice !== undefined) return voice.startsWith(`${model}-`) ? voice : `${model}-${voice}`;
  if (full.test(model)) return model;
  throw unsupportedByProvider("voice", "is missing; this model has no usual one");
}

function formatOf({ encoding, container, sample_rate: rate }: JsonObject): AudioFormat {
  if (container === "wav") return { type: "wav" };
  if (container === "ogg" && encoding === "opus") return { type: "opus" };
  if (encoding === "mp3") return { type: "mp3" };
  const raw = () => ({ type: "pcm", sampleRate: rateOf(rate), channels: 1 }) as const;
  if (encoding === "linear16") return raw();
  if (encoding === "mulaw" || encoding === "alaw") return { ...raw(), encoding };
  throw unsupportedByProvider(
    "provider.options.deepgram.encoding",
    `is ${JSON.stringify(encoding)}; allowed: linear16, mulaw, alaw, mp3, and opus in the container ogg`,
  );
}

function rateOf(input: unknown): number {
  const rate = Number(input);
  if (Number.isInteger(rate) && rate >= 8_000 && rate <= 48_000) return rate;
  throw unsupportedByProvider(
    "provider.options.deepgram.sample_rate",
    `is ${JSON.stringify(input)}; allowed: 8000 to 48000`,
  );
}

/** Aura tells `dg-…`, Aura 2 has told `x-dg-…` as well. */
function parseAnswer(head: SpeechResponseHead, { format }: RenderedSpeechRequest): SpeechResponseFormat {
  const { header } = head;
  const characters = parseCountHeader(header("dg-char-count") ?? header("x-dg-characters"));
  const usage = characters === undefined ? {} : { usage: { characters } };
  const upstreamId = header("dg-request-id") ?? header("x-dg-request-id") ?? undefined;
  return audioUnlessText(head, { sound: { type: "sound", format, upstreamId, ...usage }, failureOf });
}

const words: ErrorRules = [
  [/insufficient credits|payment_required|insufficient_credits/i, "funds"],
  [/invalid_auth|invalid credentials/i, "credentials"],
  [/insufficient_permissions|does not have (access|permission)/i, "access"],
  [/input_text_too_long|text exceed\w*|character limit|too many characters/i, {
    kind: "context_length",
    elsewhere: true,
    param: "input",
  }],
  [/no such model|unknown model|model_not_found|invalid_model|unsupported_model/i, {
    kind: "invalid_request",
    elsewhere: true,
    param: "voice",
  }],
  [/unsupported_audio_format|speed|sample_rate|bit_rate/i, { kind: "invalid_request", elsewhere: true }],
];

/** `{err_code, err_msg, request_id}`, or `{category, message, details, request_id}`. */
function errorFields(body: string) {
  const value = parseJsonOrText(body);
  if (typeof value === "string") return { message: htmlTitleOrText(value) };
  return readErrorFields(value, {
    code: ["err_code", "category"],
    message: ["err_msg", "message", "details"],
  });
}

function parseError(status: number, body: string): ProviderError {
  const reported = errorFields(body);
  // What is wrong with our account or with its pace is never reported in words about the request.
  const request = [400, 413, 415, 422].includes(status);
  return toProviderError({ status, reported, words: request ? words : words.slice(0, 3) });
}

const failureOf = (body: string) => toFailure(errorFields(body), words);
