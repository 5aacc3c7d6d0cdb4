/**
 * Mistral: POST /audio/speech, which is OpenAI's by name only: voices are `voice_id`, sound is base64 in events, raw
 * samples are floats. It clones the voice of a recording that is sent along. It charges characters and tells tokens.
 */

import * as z from "zod";
import { countCodePoints } from "../../../shared/validation/validate.ts";
import type { ReportedCounts } from "../../protocols/canonical/usage.ts";
import type { AudioFormat, SpeechOutputFormat } from "../../protocols/canonical/speech.ts";
import {
  parseError as parseChatError,
  parseFailure as failureOfChat,
} from "../../protocols/chat/outbound/parse_error.ts";
import { parseJsonOrText } from "../../protocols/common/outbound/error_text.ts";
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
import {
  mergeBody,
  requireNamedVoice,
  unsupportedByProvider,
  unsupportedInstructions,
} from "../dialect_rendering.ts";

/** Mistral advises texts of at most 300 words; more is taken and spoken worse. */
const MAX_CHARS = 1_500;
const SAMPLE_RATE = 24_000;

export const mistralSpeech: SpeechDialect = {
  id: "mistral",
  maxChars: MAX_CHARS,
  render,
  parseResponse: parseAnswer,
  parseError,
};

const wanted: { readonly [F in SpeechOutputFormat]: string } = { pcm: "pcm", mp3: "mp3" };

function render(utterance: SpeechRequestPart, endpoint: SpeechEndpoint): RenderedSpeechRequest {
  const { value, dropped } = mergeBody({
    ...speakerOf(utterance),
    response_format: wanted[utterance.format],
  }, {
    fixed: { model: endpoint.upstreamModel, input: utterance.text },
    options: utterance.options,
    endpoint,
  });
  return {
    path: "/audio/speech",
    body: { type: "json", value: { ...value, stream: true } },
    format: formatNamed(value.response_format, endpoint),
    dropped: [
      ...speedOf(utterance),
      ...unsupportedInstructions(utterance),
      ...transcriptOf(utterance),
      ...dropped,
    ],
  };
}

/** A recording stands above a voice where there are both. */
const speakerOf = (utterance: SpeechRequestPart) =>
  utterance.reference === undefined
    ? { voice_id: requireNamedVoice(utterance) }
    : { ref_audio: utterance.reference.data };

const speedOf = ({ speed }: SpeechRequestPart): readonly string[] =>
  speed === undefined || speed === 1 ? [] : [`speed ${speed} (spoken at 1)`];

/** Reports a transcript, which the provider does not take: it hears the recording by itself. */
const transcriptOf = ({ reference }: SpeechRequestPart): readonly string[] =>
  reference?.transcript === undefined ? [] : ["the transcript of input_references"];

function formatNamed(name: unknown, { traits: { sampleRate = SAMPLE_RATE } }: SpeechEndpoint): AudioFormat {
  switch (name) {
    case "pcm":
      return { type: "pcm", sampleRate, channels: 1, encoding: "f32le" };
    case "mp3":
    case "wav":
    case "opus":
      return { type: name };
    default:
      throw unsupportedByProvider(
        "provider.options.mistral.response_format",
        `is ${JSON.stringify(name)}; allowed: pcm, mp3, wav, opus`,
      );
  }
}

function parseAnswer(
  { contentType }: SpeechResponseHead,
  { format, body }: RenderedSpeechRequest,
): SpeechResponseFormat {
  const text = body.type === "json" ? String(body.value.input) : "";
  const characters = countCodePoints(text);
  if (/^text\/event-stream/i.test(contentType)) {
    return {
      type: "frames",
      framing: "sse",
      format,
      demandsLast: true,
      read: (data) => read(data, characters),
    };
  }
  return {
    type: "frames",
    framing: "whole",
    format,
    demandsLast: true,
    read: (data) => readWhole(data, characters),
  };
}

const count = z.number().nullish();
const usage = z.looseObject({ prompt_tokens: count, completion_tokens: count });
const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("speech.audio.delta"), audio_data: z.base64() }),
  z.object({ type: z.literal("speech.audio.done"), usage: usage.nullish() }),
]);
const typed = z.looseObject({ type: z.string() });

function read(data: string, characters: number): SpeechFrame {
  const value = parseJsonOrText(data);
  const parsed = event.safeParse(value);
  if (!parsed.success) return isUnknownEvent(value) ? {} : { failure: failureOf(value) };
  if (parsed.data.type === "speech.audio.done") {
    return { last: true, usage: counted(parsed.data.usage, characters) };
  }
  return { audio: Uint8Array.fromBase64(parsed.data.audio_data) };
}

/** An event of a kind that we do not know, and no error. */
function isUnknownEvent(value: unknown): boolean {
  const { success, data } = typed.safeParse(value);
  if (!success || /error|^speech\.audio\./.test(data.type)) return false;
  return data.object !== "error" && data.error === undefined;
}

/** Makes the counts of a call: the text is charged; tokens are reported besides. */
const counted = (tokens: z.infer<typeof usage> | null | undefined, characters: number): ReportedCounts => ({
  characters,
  ...(tokens === null || tokens === undefined ? {} : {
    inputTokens: tokens.prompt_tokens ?? 0,
    outputTokens: tokens.completion_tokens ?? 0,
    raw: tokens,
  }),
});

const whole = z.object({ audio_data: z.base64().min(1) });

/** Reads the answer of a server that does not stream although it was asked to. */
function readWhole(data: string, characters: number): SpeechFrame {
  const value = parseJsonOrText(data);
  const parsed = whole.safeParse(value);
  if (!parsed.success) return { failure: { ...failureOf(value), kind: "upstream_failed" } };
  return {
    audio: Uint8Array.fromBase64(parsed.data.audio_data),
    last: true,
    usage: counted(null, characters),
  };
}

/** Texts that it does not want to speak it refuses with the status of a missing permission. */
function parseError(status: number, body: string): ProviderError {
  const error = parseChatError(status, body);
  if (status !== 403 || !/moderat|content|polic|guideline|inappropriate|unsafe/i.test(body)) return error;
  return {
    ...error,
    kind: "content_policy",
    message: "The provider does not speak this text.",
    endpointSpecific: true,
  };
}

const failureOf = (value: unknown) => failureOfChat(value);
