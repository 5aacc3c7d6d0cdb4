/**
 * POST /audio/speech, as OpenAI has it and many others do. The answer is sound, or on demand a stream of events
 * that ends with the tokens it took: `speech.audio.delta`, `speech.audio.done`.
 */

import * as z from "zod";
import { ApiError } from "../../../shared/errors.ts";
import { omitUndefined } from "../../../shared/util/json.ts";
import type { Failure } from "../../protocols/canonical/event.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { AudioFormat, SpeechOutputFormat } from "../../protocols/canonical/speech.ts";
import { parseError, parseFailure } from "../../protocols/chat/outbound/parse_error.ts";
import { parseJsonOrText } from "../../protocols/common/outbound/error_text.ts";
import type {
  RenderedSpeechRequest,
  SpeechDialect,
  SpeechEndpoint,
  SpeechFrame,
  SpeechRequestPart,
  SpeechResponseFormat,
  SpeechResponseHead,
} from "../dialect.ts";

/** OpenAI's own limit; others say theirs in their rows. */
const MAX_CHARS = 4_096;
/** Sample rate of OpenAI's raw samples: 16 bits, little-endian, one channel. */
const SAMPLE_RATE = 24_000;

const names = ["mp3", "pcm", "wav", "opus"] as const;
type Name = typeof names[number];

/** Formats that serve each of the client's formats, best first: raw samples are the least work and lose nothing. */
const wanted: { readonly [F in SpeechOutputFormat]: readonly Name[] } = {
  pcm: ["pcm", "wav", "mp3", "opus"],
  mp3: ["mp3", "pcm", "wav", "opus"],
};

export const openaiSpeech: SpeechDialect = {
  id: "openai",
  maxChars: MAX_CHARS,
  render,
  parseResponse: parseAnswer,
  parseError,
};

function render(utterance: SpeechRequestPart, endpoint: SpeechEndpoint): RenderedSpeechRequest {
  const { speed, instructions } = utterance;
  const name = formatAt(utterance.format, endpoint);
  const requested: JsonObject = omitUndefined({
    ...voiceName(utterance, endpoint),
    response_format: name,
    speed,
    instructions,
    stream_format: endpoint.traits.events === true ? "sse" : undefined,
    ...utterance.options,
    // What was judged and reserved money for: callers cannot say another model or another text.
    model: endpoint.upstreamModel,
    input: utterance.text,
    ...endpoint.extraBody,
  });
  const kept = Object.entries(requested).filter(([key]) => !endpoint.omit.includes(key));
  return {
    path: "/audio/speech",
    body: { type: "json", value: Object.fromEntries(kept) },
    format: formatNamed(requested.response_format, endpoint),
    dropped: Object.keys(requested).filter((key) => endpoint.omit.includes(key)),
  };
}

/** OpenAI itself clones nobody. Servers of open models that do (vLLM-Omni) take the recording beside the text. */
function voiceName(
  { voice, customVoice, reference }: SpeechRequestPart,
  { traits }: SpeechEndpoint,
): JsonObject {
  const named = customVoice ? { id: voice } : voice;
  if (reference === undefined) {
    if (voice === undefined) throw unsupportedFormat("voice", "is missing; this model has no usual one");
    return { voice: named };
  }
  if (!traits.clones) throw unsupportedFormat("input_references", "is not taken by this provider");
  const recording = `data:${reference.mediaType};base64,${reference.data}`;
  return { voice: named, ref_audio: recording, ref_text: reference.transcript };
}

function unsupportedFormat(path: string, complaint: string): ApiError {
  return new ApiError("invalid_request", `${path} ${complaint}`, { metadata: { path } });
}

function formatAt(format: SpeechOutputFormat, { traits: { formats = names } }: SpeechEndpoint): string {
  return wanted[format].find((name) => formats.includes(name)) ?? "pcm";
}

/** The caller's own configuration may ask for another one. */
function formatNamed(name: unknown, { traits: { sampleRate = SAMPLE_RATE } }: SpeechEndpoint): AudioFormat {
  switch (name) {
    case "mp3":
    case "wav":
    case "opus":
      return { type: name };
    case "pcm":
      return { type: "pcm", sampleRate, channels: 1 };
    default:
      throw unsupportedFormat(
        "provider.options.*.response_format",
        `is ${JSON.stringify(name)}; allowed: ${names.join(", ")}`,
      );
  }
}

/**
 * Formats by the answer's content type, which stands above the requested format: some servers speak one format only.
 */
const types: readonly (readonly [RegExp, Exclude<AudioFormat["type"], "pcm">])[] = [
  [/^audio\/(x-)?wav|^audio\/(vnd\.)?wave/i, "wav"],
  [/^audio\/(mpeg|mp3)/i, "mp3"],
  [/^audio\/(ogg|opus)/i, "opus"],
];

function parseAnswer(
  { contentType, header }: SpeechResponseHead,
  { format }: RenderedSpeechRequest,
): SpeechResponseFormat {
  if (/^text\/event-stream/i.test(contentType)) {
    return { type: "frames", framing: "sse", format, demandsLast: true, read };
  }
  if (/^(application\/json|text\/)/i.test(contentType)) {
    return { type: "frames", framing: "whole", format, demandsLast: false, read: readError };
  }
  const upstreamId = header("x-request-id") ?? undefined;
  return { type: "sound", format: announcedFormat(contentType, format), upstreamId };
}

function announcedFormat(contentType: string, requested: AudioFormat): AudioFormat {
  const type = types.find(([pattern]) => pattern.test(contentType))?.[1];
  if (type !== undefined) return { type };
  // What is raw where something else was asked for is as raw as OpenAI's, but for what the type says of it.
  if (!/^audio\/(x-)?(pcm|l16)/i.test(contentType)) return requested;
  const fallback = requested.type === "pcm"
    ? requested
    : { type: "pcm" as const, sampleRate: SAMPLE_RATE, channels: 1 };
  const rate = Number(/;\s*rate="?(\d{4,6})/i.exec(contentType)?.[1] ?? fallback.sampleRate);
  const channels = Number(/;\s*channels="?([12])\b/i.exec(contentType)?.[1] ?? fallback.channels);
  return { ...fallback, sampleRate: rate, channels };
}

const tokens = z.number().nullish();
const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("speech.audio.delta"), audio: z.base64() }),
  z.object({
    type: z.literal("speech.audio.done"),
    usage: z.object({ input_tokens: tokens, output_tokens: tokens }).nullish(),
  }),
]);

function read(data: string): SpeechFrame {
  const value = parseJsonOrText(data);
  const parsed = event.safeParse(value);
  if (!parsed.success) return isUnknownEvent(value) ? {} : { failure: brokenOff(value) };
  if (parsed.data.type === "speech.audio.delta") return { audio: Uint8Array.fromBase64(parsed.data.audio) };
  const { usage } = parsed.data;
  if (usage === null || usage === undefined) return { last: true };
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
  return { last: true, usage: { inputTokens, outputTokens, outputAudioTokens: outputTokens, raw: usage } };
}

const foreign = z.looseObject({ type: z.string() });

/** An event of a kind that we do not know, and no error. */
function isUnknownEvent(value: unknown): boolean {
  const { success, data } = foreign.safeParse(value);
  return success && data.type !== "error" && !data.type.startsWith("speech.audio.") &&
    data.error === undefined;
}

const brokenOff = (value: unknown): Failure => parseFailure(value);

/** A page, or an error that was sent with a status of 200: no sound. */
function readError(data: string): SpeechFrame {
  return { failure: { ...parseFailure(data), kind: "upstream_failed" } };
}
