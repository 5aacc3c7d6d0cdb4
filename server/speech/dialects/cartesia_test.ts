import assert from "node:assert/strict";
import type { SpeechFrame, SpeechRequestPart } from "../dialect.ts";
import { base64, partsOf, speechEndpoint, speechHead, utterance } from "../../../tests/support/utterance.ts";
import { cartesiaSpeech } from "./cartesia.ts";

const render = (changes: Partial<SpeechRequestPart> = {}) =>
  cartesiaSpeech.render(utterance(changes), speechEndpoint("sonic-3.5"));

const plain = {
  model_id: "sonic-3.5",
  transcript: "Good morning.",
  voice: { mode: "id", id: "vera" },
  output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: 24_000 },
};

/** Requests, and the body that they come to. */
const mapping: readonly (readonly [Partial<SpeechRequestPart>, body: object])[] = [
  [{}, plain],
  [{ format: "mp3" }, plain],
  [{ speed: 1.25 }, { ...plain, generation_config: { speed: 1.25 } }],
  [{ speed: 3 }, { ...plain, generation_config: { speed: 1.5 } }],
  [{ speed: 0.3 }, { ...plain, generation_config: { speed: 0.6 } }],
  [{ options: { language: "fr" } }, { ...plain, language: "fr" }],
  [{ speed: 0.9, options: { generation_config: { emotion: "calm" } } }, {
    ...plain,
    generation_config: { speed: 0.9, emotion: "calm" },
  }],
];

Deno.test("cartesia.render says what is asked in the body", () => {
  for (const [changes, body] of mapping) {
    const call = render(changes);
    assert.equal(call.path, "/tts/sse");
    assert.equal(call.headers?.["cartesia-version"], "2026-03-01");
    assert.deepEqual(partsOf(call).body, body, JSON.stringify(changes));
  }
});

Deno.test("cartesia.render takes raw samples only", () => {
  const formatOf = (output_format: object) => render({ options: { output_format } }).format;
  assert.deepEqual(
    formatOf({ container: "raw", encoding: "pcm_f32le", sample_rate: 44_100 }),
    { type: "pcm", sampleRate: 44_100, channels: 1, encoding: "f32le" },
  );
  assert.deepEqual(
    formatOf({ container: "raw", encoding: "pcm_mulaw", sample_rate: 8_000 }),
    { type: "pcm", sampleRate: 8_000, channels: 1, encoding: "mulaw" },
  );
  assert.throws(
    () => formatOf({ container: "mp3", sample_rate: 44_100, bit_rate: 128_000 }),
    /output_format is/,
  );
});

Deno.test("cartesia.render refuses or notes what it cannot say", () => {
  assert.throws(() => render({ voice: undefined }), /voice is missing/);
  const reference = { data: "UklGRg==", mediaType: "audio/wav" };
  assert.throws(() => render({ reference }), /input_references is not taken/);
  assert.deepEqual(render({ speed: 2, instructions: "Softly." }).dropped, [
    "speed 2 (spoken at 1.5)",
    "instructions",
  ]);
});

function read(data: string): SpeechFrame {
  const answer = cartesiaSpeech.parseResponse(speechHead("text/event-stream; charset=utf-8"), render());
  assert.ok(answer.type === "frames" && answer.demandsLast && answer.framing === "sse");
  return answer.read(data);
}

const chunk = { type: "chunk", data: base64(1, 2, 3), done: false, status_code: 206, step_time: 3 };
const error = { type: "error", done: true, title: "Sorry", message: "Broken.", request_id: "r" };

/** An event, and what it says. */
const events: readonly (readonly [object | string, SpeechFrame])[] = [
  [chunk, { audio: new Uint8Array([1, 2, 3]) }],
  [{ type: "done", done: true, status_code: 200 }, { last: true }],
  [{ type: "timestamps", done: false, word_timestamps: {} }, {}],
  [{ ...error, status_code: 500, error_code: "internal" }, {
    failure: { kind: "upstream_failed", message: "Broken.", code: "internal" },
    upstreamId: "r",
  }],
  [{ ...error, status_code: 429, error_code: "concurrency_limited" }, {
    failure: { kind: "rate_limited", message: "Broken.", code: "concurrency_limited" },
    upstreamId: "r",
  }],
  [{ ...chunk, data: "§" }, {
    failure: {
      kind: "upstream_failed",
      message: "Provider call failed in the middle of its response.",
      code: undefined,
    },
  }],
  ["no JSON", { failure: { kind: "upstream_failed", message: "no JSON", code: undefined } }],
];

Deno.test("cartesia.parseAnswer reads its events", () => {
  for (const [event, piece] of events) {
    assert.deepEqual(read(typeof event === "string" ? event : JSON.stringify(event)), piece);
  }
});

const fault = (code: string | null, message = "Told.") =>
  JSON.stringify({ error_code: code, title: "Title", message, request_id: "r" });

/** Status, body, and the kind, the code, the field, and whether another endpoint may do. */
const errors: readonly (readonly [
  number,
  body: string,
  kind: string,
  code?: string,
  param?: string,
  elsewhere?: true,
])[] = [
  [401, fault("unauthorized"), "upstream_failed", "unauthorized"],
  [402, fault("quota_exceeded"), "upstream_failed", "quota_exceeded"],
  [429, fault("concurrency_limited"), "rate_limited", "concurrency_limited"],
  [404, fault("voice_not_found"), "invalid_request", "voice_not_found", "voice", true],
  [404, fault("model_not_found"), "not_found", "model_not_found", "model", true],
  [400, fault(null, "Bad sample rate"), "invalid_request"],
  [400, "Invalid request: transcript is too long", "context_length", undefined, "input", true],
  [500, "", "upstream_failed"],
  [503, fault("service_unavailable"), "unavailable", "service_unavailable"],
];

Deno.test("cartesia.parseError knows its words", () => {
  for (const [status, body, kind, code, param, elsewhere = false] of errors) {
    const parsed = cartesiaSpeech.parseError(status, body);
    assert.deepEqual(
      [parsed.kind, parsed.code, parsed.param, parsed.endpointSpecific],
      [kind, code, param, elsewhere],
      `${status} ${body}`,
    );
  }
});
