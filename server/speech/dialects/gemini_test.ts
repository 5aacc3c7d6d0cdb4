import assert from "node:assert/strict";
import type { SpeechFrame, SpeechRequestPart } from "../dialect.ts";
import { base64, partsOf, speechEndpoint, speechHead, utterance } from "../../../tests/support/utterance.ts";
import { geminiSpeech } from "./gemini.ts";

const MODEL = "gemini-3.8-flash-tts";
const render = (changes: Partial<SpeechRequestPart> = {}, model = MODEL) =>
  geminiSpeech.render(utterance({ voice: "Kore", ...changes }), speechEndpoint(model));

const speechConfig = { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } };
const generationConfig = { responseModalities: ["AUDIO"], speechConfig };
const saying = (part: object) => ({ contents: [{ role: "user", parts: [part] }], generationConfig });
const plain = saying({ text: "Good morning." });

/** Requests, their model, and the body that they come to. */
const mapping: readonly (readonly [Partial<SpeechRequestPart>, model: string, body: object])[] = [
  [{}, MODEL, plain],
  [{ format: "mp3" }, MODEL, plain],
  [
    { instructions: "Softly." },
    MODEL,
    saying({ text: "Good morning.", speechMetadata: { style: "Softly." } }),
  ],
  [{ instructions: "Softly." }, "gemini-3.1-flash-tts-preview", saying({ text: "Softly.\n\nGood morning." })],
  [{ instructions: "Softly." }, "gemini-2.5-pro-preview-tts", saying({ text: "Softly.\n\nGood morning." })],
  [{ options: { generationConfig: { seed: 7 } } }, MODEL, {
    ...plain,
    generationConfig: { ...generationConfig, seed: 7 },
  }],
  [{ options: { safetySettings: [] } }, MODEL, { ...plain, safetySettings: [] }],
];

Deno.test("gemini.render asks for a stream of sound", () => {
  for (const [changes, model, body] of mapping) {
    const call = render(changes, model);
    assert.equal(call.path, `/models/${model}:streamGenerateContent?alt=sse`);
    assert.deepEqual(partsOf(call).body, body, JSON.stringify(changes));
    assert.deepEqual(call.format, { type: "pcm", sampleRate: 24_000, channels: 1 });
  }
});

Deno.test("gemini.render refuses or notes what it cannot say", () => {
  assert.throws(() => render({ voice: undefined }), /voice is missing/);
  const reference = { data: "UklGRg==", mediaType: "audio/wav" };
  assert.throws(() => render({ reference }), /input_references is not taken/);
  assert.deepEqual(render({ speed: 2 }).dropped, ["speed 2 (spoken at 1)"]);
  assert.deepEqual(render({ speed: 1 }).dropped, []);
});

function read(data: unknown): SpeechFrame {
  const answer = geminiSpeech.parseResponse(speechHead("text/event-stream"), render());
  assert.ok(answer.type === "frames" && answer.demandsLast && answer.framing === "sse");
  return answer.read(typeof data === "string" ? data : JSON.stringify(data));
}

const inline = (data: string, mimeType = "audio/l16; rate=24000; channels=1") => ({
  inlineData: { mimeType, data },
});
const chunk = (parts: readonly object[], rest: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...rest }],
  responseId: "resp-1",
  modelVersion: MODEL,
});
const usageMetadata = {
  promptTokenCount: 4,
  candidatesTokenCount: 640,
  totalTokenCount: 644,
  promptTokensDetails: [{ modality: "TEXT", tokenCount: 4 }],
  candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 640 }],
};

Deno.test("gemini.parseAnswer reads sound until the last word", () => {
  const sound = new Uint8Array([1, 2]);
  const id = { upstreamId: "resp-1" };
  assert.deepEqual(read(chunk([inline(base64(1, 2))])), { audio: sound, ...id });
  assert.deepEqual(read({ ...chunk([inline(base64(1, 2))]), usageMetadata }), { audio: sound, ...id });
  assert.deepEqual(read(chunk([inline(base64(1, 2), "audio/L16;codec=pcm;rate=24000")])), {
    audio: sound,
    ...id,
  });
  assert.deepEqual(read(chunk([inline(base64(1)), { text: "thought" }, inline(base64(2))])), {
    audio: sound,
    ...id,
  });
  assert.deepEqual(read(chunk([])), id);
  const end = read({ ...chunk([inline(base64(1, 2))], { finishReason: "STOP" }), usageMetadata });
  assert.equal(end.last, true);
  assert.deepEqual(end.audio, sound);
  const { inputTokens, outputTokens, outputAudioTokens } = end.usage ?? {};
  assert.deepEqual([inputTokens, outputTokens, outputAudioTokens], [4, 640, 640]);
});

/** Ends of a stream, and the failure that they mean. */
const endings: readonly (readonly [object, kind: string, code: string | undefined])[] = [
  [chunk([], { finishReason: "OTHER" }), "upstream_failed", "OTHER"],
  [chunk([], { finishReason: "MAX_TOKENS" }), "upstream_failed", "MAX_TOKENS"],
  [chunk([], { finishReason: "SAFETY" }), "content_policy", "SAFETY"],
  [chunk([], { finishReason: "PROHIBITED_CONTENT" }), "content_policy", "PROHIBITED_CONTENT"],
  [{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }, "content_policy", "PROHIBITED_CONTENT"],
  [chunk([inline(base64(1), "audio/l16; rate=48000")]), "upstream_failed", "unexpected_format"],
  [chunk([inline(base64(1), "audio/l16; rate=24000; channels=2")]), "upstream_failed", "unexpected_format"],
  [chunk([inline(base64(1), "audio/ogg")]), "upstream_failed", "unexpected_format"],
  [{ error: { code: 503, status: "UNAVAILABLE", message: "Try later" } }, "unavailable", "UNAVAILABLE"],
  [
    { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Quota" } },
    "rate_limited",
    "RESOURCE_EXHAUSTED",
  ],
  [{ candidates: "none" }, "upstream_failed", undefined],
];

Deno.test("gemini.parseAnswer takes an end that is none for a failure", () => {
  for (const [data, kind, code] of endings) {
    const { failure, last } = read(data);
    assert.deepEqual([failure?.kind, failure?.code, last], [kind, code, undefined], JSON.stringify(data));
  }
});

Deno.test("gemini.parseAnswer reads an answer in all", () => {
  const answer = geminiSpeech.parseResponse(speechHead("application/json"), render());
  assert.ok(answer.type === "frames" && answer.framing === "whole");
  const piece = answer.read(JSON.stringify(chunk([inline(base64(5))], { finishReason: "STOP" })));
  assert.deepEqual(piece, { audio: new Uint8Array([5]), upstreamId: "resp-1", last: true });
});

/** Status, Google's word, and the kind and whether another endpoint may do. */
const errors: readonly (readonly [number, string, kind: string, elsewhere?: true])[] = [
  [400, "INVALID_ARGUMENT", "invalid_request"],
  [401, "UNAUTHENTICATED", "upstream_failed"],
  [403, "PERMISSION_DENIED", "upstream_failed"],
  [404, "NOT_FOUND", "not_found", true],
  [429, "RESOURCE_EXHAUSTED", "rate_limited"],
  [500, "INTERNAL", "upstream_failed"],
  [503, "UNAVAILABLE", "unavailable"],
];

Deno.test("gemini.parseError knows Google's words", () => {
  for (const [code, status, kind, elsewhere = false] of errors) {
    const error = geminiSpeech.parseError(
      code,
      JSON.stringify({ error: { code, status, message: "Told." } }),
    );
    assert.deepEqual([error.kind, error.endpointSpecific], [kind, elsewhere], status);
  }
});
