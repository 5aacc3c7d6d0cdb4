import assert from "node:assert/strict";
import type { SpeechFrame, SpeechRequestPart } from "../dialect.ts";
import { base64, partsOf, speechEndpoint, speechHead, utterance } from "../../../tests/support/utterance.ts";
import { mistralSpeech } from "./mistral.ts";

const MODEL = "voxtral-mini-tts-3-0";
const render = (changes: Partial<SpeechRequestPart> = {}) =>
  mistralSpeech.render(utterance(changes), speechEndpoint(MODEL, { traits: { clones: true } }));

const plain = {
  model: MODEL,
  input: "Good morning.",
  voice_id: "vera",
  response_format: "pcm",
  stream: true,
};
const { voice_id: _, ...voiceless } = plain;
const reference = { data: "UklGRg==", mediaType: "audio/wav", transcript: "Hello." };

/** Requests, and the body that they come to. */
const mapping: readonly (readonly [Partial<SpeechRequestPart>, body: object])[] = [
  [{}, plain],
  [{ format: "mp3" }, { ...plain, response_format: "mp3" }],
  [{ voice: "own-voice", customVoice: true }, { ...plain, voice_id: "own-voice" }],
  [{ voice: undefined, reference }, { ...voiceless, ref_audio: "UklGRg==" }],
  [{ reference }, { ...voiceless, ref_audio: "UklGRg==" }],
  [{ options: { expressiveness: 3 } }, { ...plain, expressiveness: 3 }],
  [{ options: { stream: false } }, plain],
];

Deno.test("mistral.render says what is asked in the body", () => {
  for (const [changes, body] of mapping) {
    const call = render(changes);
    assert.equal(call.path, "/audio/speech");
    assert.deepEqual(partsOf(call).body, body, JSON.stringify(changes));
  }
});

Deno.test("mistral.render knows that raw samples are floats", () => {
  assert.deepEqual(render().format, { type: "pcm", sampleRate: 24_000, channels: 1, encoding: "f32le" });
  assert.deepEqual(render({ format: "mp3" }).format, { type: "mp3" });
  assert.deepEqual(render({ options: { response_format: "opus" } }).format, { type: "opus" });
  assert.throws(() => render({ options: { response_format: "flac" } }), /response_format is "flac"; allowed/);
});

Deno.test("mistral.render refuses or notes what it cannot say", () => {
  assert.throws(() => render({ voice: undefined }), /voice is missing/);
  const { dropped } = render({ reference, speed: 2, instructions: "Softly." });
  assert.deepEqual(dropped, ["speed 2 (spoken at 1)", "instructions", "the transcript of input_references"]);
});

function read(data: unknown, type = "text/event-stream"): SpeechFrame {
  const answer = mistralSpeech.parseResponse(speechHead(type), render({ text: "Grüße 👍" }));
  assert.ok(answer.type === "frames" && answer.demandsLast);
  return answer.read(typeof data === "string" ? data : JSON.stringify(data));
}

const usage = { prompt_tokens: 5, completion_tokens: 90, total_tokens: 95 };

/** An event, and what it says. */
const events: readonly (readonly [unknown, SpeechFrame])[] = [
  [{ type: "speech.audio.delta", audio_data: base64(1, 2) }, { audio: new Uint8Array([1, 2]) }],
  [{ type: "speech.audio.done", usage }, {
    last: true,
    usage: { characters: 7, inputTokens: 5, outputTokens: 90, raw: usage },
  }],
  [{ type: "speech.audio.done", usage: null }, { last: true, usage: { characters: 7 } }],
  [{ type: "speech.voice.loaded" }, {}],
  [{ object: "error", message: "Service overloaded", type: "overloaded", code: "3505" }, {
    failure: { kind: "overloaded", message: "Service overloaded", code: "3505" },
  }],
];

Deno.test("mistral.parseAnswer reads its events", () => {
  for (const [event, chunk] of events) assert.deepEqual(read(event), chunk);
  assert.equal(read({ type: "error", error: { message: "Broken" } }).failure?.message, "Broken");
  assert.equal(read({ type: "speech.audio.delta" }).failure?.kind, "upstream_failed");
});

Deno.test("mistral.parseAnswer reads an answer in all", () => {
  assert.deepEqual(read({ audio_data: base64(9) }, "application/json"), {
    audio: new Uint8Array([9]),
    last: true,
    usage: { characters: 7 },
  });
  assert.equal(read({ message: "No." }, "application/json").failure?.kind, "upstream_failed");
});

/** Status, body, and the kind, and whether another endpoint may do. */
const errors: readonly (readonly [number, body: string, kind: string, elsewhere?: true])[] = [
  [
    400,
    '{"object":"error","message":"Invalid model: x","type":"invalid_model","code":"1500"}',
    "invalid_request",
  ],
  [401, '{"detail":"Unauthorized"}', "upstream_failed"],
  [402, "", "upstream_failed"],
  [403, '{"message":"Input rejected by content moderation"}', "content_policy", true],
  [403, '{"message":"Forbidden"}', "upstream_failed"],
  [404, '{"message":"Voice not found"}', "not_found", true],
  [422, '{"detail":[{"loc":["body","ref_audio"],"msg":"too short"}]}', "invalid_request"],
  [429, '{"message":"Requests rate limit exceeded"}', "rate_limited"],
  [500, "", "upstream_failed"],
  [503, "", "unavailable"],
];

Deno.test("mistral.parseError knows its words", () => {
  for (const [status, body, kind, elsewhere = false] of errors) {
    const error = mistralSpeech.parseError(status, body);
    assert.deepEqual([error.kind, error.endpointSpecific], [kind, elsewhere], `${status} ${body}`);
  }
});
