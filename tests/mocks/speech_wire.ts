/** How the providers of speech write down their sound, their counts and their errors. */

import { convert } from "../../server/speech/audio/convert.ts";
import { sourceFrom } from "../../server/protocols/stream/source.ts";
import { tone, wav } from "../speech/rig.ts";
import type { Json } from "./published.ts";
import { isObject } from "./published.ts";
import type { SpeechProviderId, SpeechRequested } from "./speech_rules.ts";

/** Seconds that a character takes to say here. */
export const SECONDS_A_CHARACTER = 0.05;

type Bytes = Uint8Array<ArrayBuffer>;

export interface SpeechAnswer {
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body. */
  readonly body: Bytes;
  /** Where the last word begins: a body that ends before it was cut. */
  readonly lastWord?: number;
}

export interface SpeechWire {
  readonly textOf: (requested: SpeechRequested) => string;
  readonly answer: (requested: SpeechRequested, samples: Bytes) => SpeechAnswer | Promise<SpeechAnswer>;
  readonly error: (status: number, message: string) => string;
  /** An error inside of a stream, of those who have a word for it. */
  readonly broken?: string;
}

const encoder = new TextEncoder();
const samplesOf = (text: string): Bytes => tone(text.length * SECONDS_A_CHARACTER);
export const samplesFor = (requested: SpeechRequested, { textOf }: SpeechWire): Bytes =>
  samplesOf(textOf(requested));

const PCM = { type: "pcm", sampleRate: 24_000, channels: 1 } as const;

async function mp3(samples: Bytes): Promise<Bytes> {
  const { source } = await convert(sourceFrom([samples]), { from: PCM, to: { codec: "mp3" } });
  const chunks: Uint8Array[] = [];
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
    chunks.push(...batch);
  }
  return new Uint8Array(await new Blob(chunks.map((chunk) => Uint8Array.from(chunk))).arrayBuffer());
}

/** Four bytes a sample. */
function floats(samples: Bytes): Bytes {
  const words = new Int16Array(samples.buffer);
  return new Uint8Array(Float32Array.from(words, (word) => word / 32_768).buffer);
}

/** Chunks whose sizes are even and odd, as networks make them; a sample's bytes may come apart. */
function chunks(bytes: Uint8Array): readonly string[] {
  const out: string[] = [];
  for (let at = 0, size = 999; at < bytes.length; at += size, size = size === 999 ? 4_800 : 999) {
    out.push(bytes.subarray(at, at + size).toBase64());
  }
  return out;
}

const frame = (value: Json, name?: string) =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;

function events(frames: readonly string[], last: string): SpeechAnswer {
  const before = encoder.encode(frames.join(""));
  const body = encoder.encode(frames.join("") + last);
  return { type: "text/event-stream; charset=utf-8", body, lastWord: before.length };
}

const inputOf = ({ body }: SpeechRequested) => String(body.input);

const elevenlabs: SpeechWire = {
  textOf: ({ body }) => String(body.text),
  answer: async ({ query, body }, samples) => {
    const half = /flash|turbo/.test(String(body.model_id));
    const cost = Math.ceil(String(body.text).length * (half ? 0.5 : 1));
    const headers = { "request-id": "el-request", "character-cost": String(cost) };
    return query.output_format?.startsWith("mp3_") === true
      ? { type: "audio/mpeg", headers, body: await mp3(samples) }
      : { type: "audio/pcm", headers, body: samples };
  },
  error: (status, message) =>
    JSON.stringify({ detail: { status: status === 402 ? "quota_exceeded" : "some_word", message } }),
};

const deepgram: SpeechWire = {
  textOf: ({ body }) => String(body.text),
  answer: ({ body }, samples) => ({
    type: "audio/l16;rate=24000",
    headers: { "dg-char-count": String(String(body.text).length), "dg-request-id": "dg-request" },
    body: samples,
  }),
  error: (_, message) =>
    JSON.stringify({ err_code: "SOME_WORD", err_msg: message, request_id: "dg-request" }),
};

const cartesia: SpeechWire = {
  textOf: ({ body }) => String(body.transcript),
  answer: (_, samples) => {
    const chunk = (data: string) =>
      frame({ type: "chunk", data, done: false, status_code: 206, step_time: 1 }, "chunk");
    const timestamps = frame(
      { type: "timestamps", done: false, status_code: 206, word_timestamps: {} },
      "timestamps",
    );
    return events(
      [...chunks(samples).map(chunk), timestamps],
      frame({ type: "done", done: true, status_code: 200 }, "done"),
    );
  },
  error: (_, message) =>
    JSON.stringify({ error_code: "some_word", title: "Sorry", message, request_id: "ca-request" }),
  broken: frame({
    type: "error",
    done: true,
    status_code: 500,
    error_code: "internal_error",
    title: "Internal error",
    message: "The voice is gone.",
    request_id: "ca-request",
  }, "error"),
};

const mistral: SpeechWire = {
  textOf: inputOf,
  answer: async ({ body }, samples) => {
    const bytes = body.response_format === "mp3" ? await mp3(samples) : floats(samples);
    const usage = { prompt_tokens: 4, completion_tokens: 99, total_tokens: 103 };
    return events(
      chunks(bytes).map((audio_data) =>
        frame({ type: "speech.audio.delta", audio_data }, "speech.audio.delta")
      ),
      frame({ type: "speech.audio.done", usage }, "speech.audio.done"),
    );
  },
  error: (_, message) => JSON.stringify({ object: "error", message, type: "some_word", code: "1500" }),
  broken: frame({
    object: "error",
    message: "The voice is gone.",
    type: "internal_server_error",
    code: "3000",
  }),
};

const googleUsage = (tokens: number) => ({
  promptTokenCount: 5,
  candidatesTokenCount: tokens,
  totalTokenCount: tokens + 5,
  promptTokensDetails: [{ modality: "TEXT", tokenCount: 5 }],
  candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: tokens }],
});

const google: SpeechWire = {
  textOf: ({ body }) => {
    const [content] = Array.isArray(body.contents) ? body.contents : [];
    const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
    return isObject(parts[0]) ? String(parts[0].text) : "";
  },
  answer: (_, samples) => {
    const received = (data: string, at: number) => {
      const parts = [{ inlineData: { mimeType: "audio/l16; rate=24000; channels=1", data } }];
      return frame({
        candidates: [{ content: { parts, role: "model" }, index: 0 }],
        usageMetadata: googleUsage(at + 1),
        modelVersion: "gemini-3.8-flash-tts",
        responseId: "go-request",
      });
    };
    const candidates = [{ content: {}, finishReason: "STOP", index: 0 }];
    return events(
      chunks(samples).map(received),
      frame({ candidates, usageMetadata: googleUsage(320), responseId: "go-request" }),
    );
  },
  error: (status, message) => {
    const words: Readonly<Record<number, string>> = {
      400: "INVALID_ARGUMENT",
      401: "UNAUTHENTICATED",
      429: "RESOURCE_EXHAUSTED",
      500: "INTERNAL",
      503: "UNAVAILABLE",
    };
    return JSON.stringify({ error: { code: status, status: words[status] ?? "UNKNOWN", message } });
  },
  broken: frame({
    candidates: [{ content: {}, finishReason: "OTHER", index: 0 }],
    usageMetadata: googleUsage(20),
  }),
};

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const azure: SpeechWire = {
  textOf: ({ text }) =>
    text.replaceAll(/<[^>]*>/g, "").replaceAll(/&(\w+);/g, (_, name) => entities[name] ?? "?"),
  answer: async ({ headers }, samples) =>
    headers.get("x-microsoft-outputformat")?.endsWith("mp3") === true
      ? { type: "audio/mpeg", body: await mp3(samples) }
      : { type: "audio/basic", body: samples },
  error: (_, message) => message,
};

const openaiError = (_: number, message: string) =>
  JSON.stringify({ error: { message, type: "some_word", code: null } });

const openai: SpeechWire = {
  textOf: inputOf,
  answer: async ({ body }, samples) => {
    const bytes = body.response_format === "mp3" ? await mp3(samples) : samples;
    if (body.stream_format !== "sse") {
      return { type: body.response_format === "mp3" ? "audio/mpeg" : "audio/pcm", body: bytes };
    }
    const usage = { input_tokens: 6, output_tokens: 50, total_tokens: 56 };
    return events(
      chunks(bytes).map((audio) => frame({ type: "speech.audio.delta", audio })),
      frame({ type: "speech.audio.done", usage }),
    );
  },
  error: openaiError,
  broken: frame({ type: "error", error: { type: "server_error", message: "The voice is gone." } }),
};

const groq: SpeechWire = {
  textOf: inputOf,
  answer: (_, samples) => ({ type: "audio/wav", body: wav(samples) }),
  error: openaiError,
};

export const speechWires: { readonly [P in SpeechProviderId]: SpeechWire } = {
  elevenlabs,
  deepgram,
  cartesia,
  mistral,
  google,
  azure,
  openai,
  groq,
};
