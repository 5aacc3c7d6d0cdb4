/**
 * ElevenLabs: POST /text-to-speech/{voice}/stream, whose answer is sound as it is made. It charges characters, and
 * tells them in a header. Formats and latency stand in the query, everything else in the body.
 */

import { truncateStart } from "../../../shared/util/text.ts";
import { htmlTitleOrText, parseJsonOrText } from "../../protocols/common/outbound/error_text.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { AudioFormat, SpeechOutputFormat } from "../../protocols/canonical/speech.ts";
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
import { readErrorFields, toObject } from "../provider_fields.ts";
import {
  audioUnlessText,
  clampSpeed,
  mergeBody,
  parseCountHeader,
  renderQuery,
  requireNamedVoice,
  unsupportedByProvider,
  unsupportedInstructions,
} from "../dialect_rendering.ts";

/** Most characters of most models; those that take more or less say so in their rows. */
const MAX_CHARS = 10_000;
const SAMPLE_RATE = 24_000;
const SPEEDS = { min: 0.7, max: 1.2 };
/** Most characters of the text around a chunk, so that its melody fits: more of it changes nothing. */
const CONTEXT_CHARS = 1_000;

export const elevenlabsSpeech: SpeechDialect = {
  id: "elevenlabs",
  maxChars: MAX_CHARS,
  render,
  parseResponse: parseAnswer,
  parseError,
};

/** A part of the path, so that it must be nothing but an id. */
function idOf(voice: string): string {
  if (/^[\w-]{1,128}$/.test(voice)) return voice;
  throw unsupportedByProvider(
    "voice",
    `is ${JSON.stringify(voice.slice(0, 60))}; allowed are ids of letters and digits`,
  );
}

/** Keys of the query; the others stand in the body. */
const inQuery = ["output_format", "enable_logging", "optimize_streaming_latency"];

function render(utterance: SpeechRequestPart, endpoint: SpeechEndpoint): RenderedSpeechRequest {
  const voice = idOf(requireNamedVoice(utterance));
  const { upstreamModel, traits: { sampleRate = SAMPLE_RATE } } = endpoint;
  const { speed, dropped } = clampSpeed(utterance.speed, SPEEDS);
  const options = Object.entries(utterance.options);
  const own = Object.fromEntries(options.filter(([key]) => inQuery.includes(key)));
  const output = own.output_format ?? formatFor(utterance.format, sampleRate);
  const { value, dropped: refusedKeys } = mergeBody({
    voice_settings: settingsOf(speed, utterance.options.voice_settings),
    ...contextOf(utterance, upstreamModel),
  }, {
    fixed: { text: utterance.text, model_id: upstreamModel },
    options: Object.fromEntries(
      options.filter(([key]) => !inQuery.includes(key) && key !== "voice_settings"),
    ),
    endpoint,
  });
  return {
    path: `/text-to-speech/${voice}/stream?${renderQuery({ ...own, output_format: output })}`,
    body: { type: "json", value },
    format: formatNamed(output),
    dropped: [...dropped, ...unsupportedInstructions(utterance), ...refusedKeys],
  };
}

const formatFor = (format: SpeechOutputFormat, sampleRate: number): string =>
  format === "mp3" ? "mp3_44100_128" : `pcm_${sampleRate}`;

/** The caller's settings of the voice stand above the speed, which is one of them. */
function settingsOf(speed: number | undefined, input: unknown): JsonObject | undefined {
  const settings = { ...(speed === undefined ? {} : { speed }), ...toObject(input) };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

/** The newest models refuse to be told what was said before. */
const withoutContext = /^eleven_v[3-9]/;

function contextOf({ before, after }: SpeechRequestPart, model: string): JsonObject {
  if (withoutContext.test(model)) return {};
  return {
    previous_text: before?.slice(-CONTEXT_CHARS).toWellFormed(),
    next_text: after === undefined ? undefined : truncateStart(after, CONTEXT_CHARS),
  };
}

const pattern = /^(pcm|mp3|opus|ulaw|alaw|wav)_(\d+)/;

/** `codec_rate_bitrate`. */
function formatNamed(name: unknown): AudioFormat {
  const [, codec, rate] = pattern.exec(typeof name === "string" ? name : "") ?? [];
  const raw = { type: "pcm", sampleRate: Number(rate), channels: 1 } as const;
  switch (codec) {
    case "pcm":
      return raw;
    case "ulaw":
      return { ...raw, encoding: "mulaw" };
    case "alaw":
      return { ...raw, encoding: "alaw" };
    case "mp3":
    case "opus":
    case "wav":
      return { type: codec };
    default:
      throw unsupportedByProvider(
        "provider.options.elevenlabs.output_format",
        `is ${JSON.stringify(name)}; allowed are those that begin with pcm_, mp3_, opus_, ulaw_ or alaw_`,
      );
  }
}

/** Credits of one character where it is not one: its header counts credits, its price list characters. */
const halfPrice = /^eleven_(flash|turbo)_/;

function parseAnswer(
  head: SpeechResponseHead,
  { format, body }: RenderedSpeechRequest,
): SpeechResponseFormat {
  const upstreamId = head.header("request-id") ?? undefined;
  const characters = billedCharactersHeader(head, body.type === "json" ? String(body.value.model_id) : "");
  const usage = characters === undefined ? {} : { usage: { characters } };
  return audioUnlessText(head, { sound: { type: "sound", format, upstreamId, ...usage }, failureOf });
}

function billedCharactersHeader({ header }: SpeechResponseHead, model: string): number | undefined {
  const characters = parseCountHeader(header("x-character-count"));
  if (characters !== undefined) return characters;
  const credits = parseCountHeader(header("character-cost"));
  return credits === undefined || !halfPrice.test(model) ? credits : credits * 2;
}

const words: ErrorRules = [
  [/quota_exceeded|insufficient_credits|payment_required|billing|subscription_required/i, "funds"],
  [/max_character_limit_exceeded|text_too_long|exceeds the character limit/i, {
    kind: "context_length",
    elsewhere: true,
    param: "input",
  }],
  [/voice_not_found|invalid_voice|voice_(id )?(does not|is not)/i, {
    kind: "invalid_request",
    elsewhere: true,
    param: "voice",
  }],
  [/missing_permissions|detected_unusual_activity|needs_authorization/i, "access"],
  [/system_busy|heavy_traffic/i, { kind: "overloaded" }],
  [/too_many_concurrent_requests|concurrent_limit_exceeded/i, { kind: "rate_limited" }],
  [/model_not_found|invalid_model|unsupported_model/i, {
    kind: "not_found",
    elsewhere: true,
    param: "model",
  }],
  [/content_(against|policy)|safety|moderat/i, { kind: "content_policy" }],
];

/** `{detail: {status, message}}`, newer ones with `code`, `type` and `param`; a list of faults with 422. */
function errorFields(body: string) {
  const value = parseJsonOrText(body);
  if (typeof value === "string") return { message: htmlTitleOrText(value) };
  const { detail = value } = toObject(value);
  if (Array.isArray(detail)) {
    const { msg, loc } = toObject(detail[0]);
    const place = Array.isArray(loc) ? loc.filter((step) => step !== "body").join(".") : "";
    return { message: place === "" ? String(msg) : `${place}: ${String(msg)}`, param: place || undefined };
  }
  if (typeof detail === "string") return { message: detail };
  return readErrorFields(detail, {
    code: ["code", "status"],
    message: ["message"],
    type: ["type"],
    param: ["param"],
  });
}

function parseError(status: number, body: string): ProviderError {
  return toProviderError({ status, reported: errorFields(body), words });
}

const failureOf = (body: string) => toFailure(errorFields(body), words);
