/**
 * Google's speech models: the stream of generateContent with sound for an answer, at the Gemini API and at Vertex AI.
 * Raw samples in base64, little-endian whatever `L16` may mean elsewhere. Charged by the token, and counted.
 */

import * as z from "zod";
import type { ApiErrorKind } from "../../../shared/errors.ts";
import { omitUndefined } from "../../../shared/util/json.ts";
import type { Failure } from "../../protocols/canonical/event.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import { parseError, parseFailure } from "../../protocols/gemini/outbound/parse_error.ts";
import { parseUsage } from "../../protocols/gemini/outbound/parse_usage.ts";
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
import { mergeBody, requireNamedVoice } from "../dialect_rendering.ts";
import { toObject } from "../provider_fields.ts";

/**
 * Most characters of a text: with 16,384 tokens of audio, which are 8 minutes, a slow script fills three characters
 * with a second; and the shorter the text the steadier the voice. Older models, whose streams break off after a
 * minute, say less.
 */
const MAX_CHARS = 2_000;
const SAMPLE_RATE = 24_000;

export const geminiSpeech: SpeechDialect = {
  id: "gemini",
  maxChars: MAX_CHARS,
  render,
  parseResponse: parseAnswer,
  parseError,
};

function render(utterance: SpeechRequestPart, endpoint: SpeechEndpoint): RenderedSpeechRequest {
  const voiceName = requireNamedVoice(utterance);
  const { upstreamModel, traits: { sampleRate = SAMPLE_RATE } } = endpoint;
  const { generationConfig, ...options } = utterance.options;
  const { value, dropped } = mergeBody({
    generationConfig: {
      responseModalities: ["AUDIO"],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } },
      ...toObject(generationConfig),
    },
  }, {
    fixed: { contents: [{ role: "user", parts: [partOf(utterance, upstreamModel)] }] },
    options,
    endpoint,
  });
  return {
    path: `/models/${encodeURIComponent(upstreamModel)}:streamGenerateContent?alt=sse`,
    body: { type: "json", value },
    format: { type: "pcm", sampleRate, channels: 1 },
    dropped: [...speedOf(utterance), ...dropped],
  };
}

/** Models that read their text to the letter, and are told beside it how; others find both in one prompt. */
const literal = /^gemini-(3\.[2-9]|[4-9])/;

function partOf({ text, instructions }: SpeechRequestPart, model: string): JsonObject {
  if (instructions === undefined) return { text };
  if (!literal.test(model)) return { text: `${instructions}\n\n${text}` };
  return omitUndefined({ text, speechMetadata: { style: instructions } });
}

const speedOf = ({ speed }: SpeechRequestPart): readonly string[] =>
  speed === undefined || speed === 1 ? [] : [`speed ${speed} (spoken at 1)`];

function parseAnswer(
  { contentType }: SpeechResponseHead,
  { format }: RenderedSpeechRequest,
): SpeechResponseFormat {
  const rate = format.type === "pcm" ? format.sampleRate : SAMPLE_RATE;
  const events = /^text\/event-stream/i.test(contentType);
  return {
    type: "frames",
    framing: events ? "sse" : "whole",
    format,
    demandsLast: true,
    read: (data) => read(data, rate),
  };
}

const inline = z.object({ inlineData: z.object({ mimeType: z.string().nullish(), data: z.base64() }) });
const chunk = z.object({
  candidates: z.array(z.object({
    content: z.object({ parts: z.array(z.unknown()).nullish() }).nullish(),
    finishReason: z.string().nullish(),
  })).nullish(),
  promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: z.unknown().optional(),
  responseId: z.string().nullish(),
});
const failed = z.looseObject({ error: z.unknown() });

/** An answer in all is one such chunk, too. */
function read(data: string, rate: number): SpeechFrame {
  const value = parseJsonOrText(data);
  const error = failed.safeParse(value).data?.error;
  const parsed = chunk.safeParse(value);
  if (error !== undefined || !parsed.success) return { failure: parseFailure(error ?? value) };
  const { candidates, promptFeedback, usageMetadata, responseId } = parsed.data;
  const [candidate] = candidates ?? [];
  const reason = candidate?.finishReason ?? promptFeedback?.blockReason ?? undefined;
  const sound = readAudio(candidate?.content?.parts ?? [], rate);
  if (sound === "unknown") return { failure: foreignSound };
  return {
    ...(sound === undefined ? {} : { audio: sound }),
    ...(responseId ? { upstreamId: responseId } : {}),
    // Counts grow with the stream: those that come with its end are the answer's.
    ...(reason === undefined ? {} : endOfSpeech(reason, usageMetadata)),
  };
}

/** The samples of all parts; `unknown` for sound that is written in another way than was asked for. */
function readAudio(parts: readonly unknown[], rate: number): Uint8Array | "unknown" | undefined {
  const found = parts.flatMap((part) => inline.safeParse(part).data?.inlineData ?? []);
  if (found.some(({ mimeType }) => !isDefault(mimeType ?? "", rate))) return "unknown";
  const chunks = found.map(({ data }) => Uint8Array.fromBase64(data));
  if (chunks.length < 2) return chunks[0];
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  chunks.reduce((at, piece) => (all.set(piece, at), at + piece.length), 0);
  return all;
}

/** `audio/L16;codec=pcm;rate=24000`, `audio/l16; rate=24000; channels=1`. */
function isDefault(type: string, rate: number): boolean {
  const statedRate = /rate=(\d+)/i.exec(type)?.[1];
  const channels = /channels=(\d+)/i.exec(type)?.[1];
  return /^(audio\/(l16|pcm)|$)/i.test(type) && (statedRate === undefined || Number(statedRate) === rate) &&
    (channels === undefined || channels === "1");
}

const foreignSound: Failure = {
  kind: "upstream_failed",
  message: "The provider's sound is not written as it was asked for.",
  code: "unexpected_format",
};

/** Google ends a stream that it cannot go on with, with a status of 200, as if it were over. */
function endOfSpeech(reason: string, metadata: unknown): SpeechFrame {
  const usage = parseUsage(metadata);
  const counted = usage === undefined ? {} : { usage };
  if (reason === "STOP") return { last: true, ...counted };
  return { ...counted, failure: failureForFinish(reason) };
}

const refusals = /SAFETY|PROHIBITED|BLOCKLIST|RECITATION|SPII/;

function failureForFinish(reason: string): Failure {
  const kind: ApiErrorKind = refusals.test(reason) ? "content_policy" : "upstream_failed";
  const message = kind === "content_policy"
    ? `The provider does not speak this text (${reason}).`
    : `The provider broke off its speech (${reason}).`;
  return { kind, message, code: reason };
}
