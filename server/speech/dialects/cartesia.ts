/**
 * Cartesia: POST /tts/sse, sound in base64 inside of events that end with a last word, so that a cut is seen; its
 * plain stream of bytes would end early without one. It charges characters and does not tell how many.
 */

import * as z from "zod";
import type { AudioFormat } from "../../protocols/canonical/speech.ts";
import { htmlTitleOrText, parseJsonOrText } from "../../protocols/common/outbound/error_text.ts";
import type { ProviderError } from "../../protocols/wire.ts";
import type {
  RenderedSpeechRequest,
  SpeechDialect,
  SpeechEndpoint,
  SpeechFrame,
  SpeechRequestPart,
  SpeechResponseFormat,
  SpeechResponseHead,
} from "../dialect.ts";
import { type ErrorRules, toFailure, toProviderError } from "../provider_error.ts";
import {
  audioUnlessText,
  clampSpeed,
  mergeBody,
  requireNamedVoice,
  unsupportedByProvider,
  unsupportedInstructions,
} from "../dialect_rendering.ts";
import { readErrorFields, toObject } from "../provider_fields.ts";

/** Nothing is published; at this length an answer is made in well under a minute. */
const MAX_CHARS = 5_000;
const SAMPLE_RATE = 24_000;
const SPEEDS = { min: 0.6, max: 1.5 };
/** The version of the API whose errors are objects. */
const VERSION = "2026-03-01";

export const cartesiaSpeech: SpeechDialect = {
  id: "cartesia",
  maxChars: MAX_CHARS,
  render,
  parseResponse: parseAnswer,
  parseError,
};

function render(utterance: SpeechRequestPart, endpoint: SpeechEndpoint): RenderedSpeechRequest {
  const voice = requireNamedVoice(utterance);
  const { upstreamModel, traits: { sampleRate = SAMPLE_RATE } } = endpoint;
  const { speed, dropped } = clampSpeed(utterance.speed, SPEEDS);
  const { generation_config: input, ...options } = utterance.options;
  const generation = { ...(speed === undefined ? {} : { speed }), ...toObject(input) };
  const { value, dropped: refusedKeys } = mergeBody({
    voice: { mode: "id", id: voice },
    output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: sampleRate },
    generation_config: Object.keys(generation).length === 0 ? undefined : generation,
  }, { fixed: { model_id: upstreamModel, transcript: utterance.text }, options, endpoint });
  return {
    path: "/tts/sse",
    headers: { "cartesia-version": VERSION },
    body: { type: "json", value },
    format: formatOf(value.output_format),
    dropped: [...dropped, ...unsupportedInstructions(utterance), ...refusedKeys],
  };
}

const encodings = { pcm_s16le: "s16le", pcm_f32le: "f32le", pcm_mulaw: "mulaw", pcm_alaw: "alaw" } as const;
const output = z.object({
  container: z.literal("raw"),
  encoding: z.enum(["pcm_s16le", "pcm_f32le", "pcm_mulaw", "pcm_alaw"]),
  sample_rate: z.int().min(8_000).max(48_000),
});

/** Events hold raw samples only. */
function formatOf(input: unknown): AudioFormat {
  const { success, data } = output.safeParse(input);
  if (!success) {
    throw unsupportedByProvider(
      "provider.options.cartesia.output_format",
      `is ${JSON.stringify(input)}; allowed: container raw, an encoding of ${
        Object.keys(encodings).join(", ")
      }, and a sample_rate of 8000 to 48000`,
    );
  }
  return { type: "pcm", sampleRate: data.sample_rate, channels: 1, encoding: encodings[data.encoding] };
}

function parseAnswer(head: SpeechResponseHead, { format }: RenderedSpeechRequest): SpeechResponseFormat {
  if (!/^text\/event-stream/i.test(head.contentType)) {
    return audioUnlessText(head, { sound: { type: "sound", format }, failureOf });
  }
  return { type: "frames", framing: "sse", format, demandsLast: true, read };
}

const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("chunk"), data: z.base64(), context_id: z.string().nullish() }),
  z.object({ type: z.literal("done") }),
  z.object({ type: z.literal("error"), status_code: z.number().nullish(), request_id: z.string().nullish() }),
]);

/** Events of other types tell when a word is spoken. */
function read(data: string): SpeechFrame {
  const value = parseJsonOrText(data);
  const parsed = event.safeParse(value);
  if (!parsed.success) return isUnknownEvent(value) ? {} : { failure: failureOf(data) };
  switch (parsed.data.type) {
    case "chunk":
      return { audio: Uint8Array.fromBase64(parsed.data.data) };
    case "done":
      return { last: true };
    case "error": {
      const { status_code: status, request_id: id } = parsed.data;
      const reported = { ...errorFields(data), status: status ?? undefined };
      return { failure: toFailure(reported, words), upstreamId: id ?? undefined };
    }
    default:
      return parsed.data satisfies never;
  }
}

const typed = z.looseObject({ type: z.string() });

/** An event that we do not know, and neither sound nor an error. */
function isUnknownEvent(value: unknown): boolean {
  const { success, data } = typed.safeParse(value);
  return success && !["chunk", "done", "error"].includes(data.type);
}

const words: ErrorRules = [
  [/quota_exceeded|credits?_exhausted|insufficient_credits|out of credits|billing/i, "funds"],
  [/concurrency_limited|rate_limited|too many/i, { kind: "rate_limited" }],
  [/voice_not_found|invalid_voice|voice (is )?not found/i, {
    kind: "invalid_request",
    elsewhere: true,
    param: "voice",
  }],
  [/model_not_found|invalid_model|model (is )?not found/i, {
    kind: "not_found",
    elsewhere: true,
    param: "model",
  }],
  [/transcript_too_long|transcript is too long/i, {
    kind: "context_length",
    elsewhere: true,
    param: "input",
  }],
  [/language_not_supported|unsupported_language/i, { kind: "invalid_request", elsewhere: true }],
];

/** `{error_code, title, message, request_id}`; before that version `Title: Message`. */
function errorFields(body: string) {
  const value = parseJsonOrText(body);
  if (typeof value === "string") return { message: htmlTitleOrText(value) };
  return readErrorFields(value, { code: ["error_code"], message: ["message", "title", "error"] });
}

function parseError(status: number, body: string): ProviderError {
  return toProviderError({ status, reported: errorFields(body), words });
}

const failureOf = (body: string) => toFailure(errorFields(body), words);
