import assert from "node:assert/strict";
import type { SpeechRequestPart } from "../dialect.ts";
import { partsOf, speechEndpoint, speechHead, utterance } from "../../../tests/support/utterance.ts";
import { elevenlabsSpeech } from "./elevenlabs.ts";

const MODEL = "eleven_multilingual_v2";
const render = (changes: Partial<SpeechRequestPart> = {}, model = MODEL) =>
  elevenlabsSpeech.render(utterance(changes), speechEndpoint(model));
const plain = { text: "Good morning.", model_id: MODEL };

/** Requests, and the query and the body that they come to. */
const mapping: readonly (readonly [Partial<SpeechRequestPart>, query: object, body: object])[] = [
  [{}, { output_format: "pcm_24000" }, plain],
  [{ format: "mp3" }, { output_format: "mp3_44100_128" }, plain],
  [{ speed: 1.1 }, { output_format: "pcm_24000" }, { ...plain, voice_settings: { speed: 1.1 } }],
  [{ speed: 4 }, { output_format: "pcm_24000" }, { ...plain, voice_settings: { speed: 1.2 } }],
  [{ speed: 0.25 }, { output_format: "pcm_24000" }, { ...plain, voice_settings: { speed: 0.7 } }],
  [{ before: "Once.", after: "Then." }, { output_format: "pcm_24000" }, {
    ...plain,
    previous_text: "Once.",
    next_text: "Then.",
  }],
  [{ options: { seed: 7, language_code: "de" } }, { output_format: "pcm_24000" }, {
    ...plain,
    seed: 7,
    language_code: "de",
  }],
  [{ speed: 1.1, options: { voice_settings: { stability: 0.4, speed: 0.9 } } }, {
    output_format: "pcm_24000",
  }, {
    ...plain,
    voice_settings: { stability: 0.4, speed: 0.9 },
  }],
  [
    { options: { output_format: "opus_48000_64", enable_logging: false } },
    { output_format: "opus_48000_64", enable_logging: "false" },
    plain,
  ],
];

Deno.test("elevenlabs.render says what is asked in the query and the body", () => {
  for (const [changes, query, body] of mapping) {
    const parts = partsOf(render(changes));
    assert.equal(parts.path, "/text-to-speech/vera/stream");
    assert.deepEqual(parts.query, query, JSON.stringify(changes));
    assert.deepEqual(parts.body, body, JSON.stringify(changes));
  }
});

Deno.test("elevenlabs.render keeps a voice's name from being a path", () => {
  for (const voice of ["..", "../user", "a?b=c", "a/b", "", "\ud800", "é"]) {
    assert.throws(() => render({ voice }), /voice (is "|holds half)/, voice);
  }
});

Deno.test("elevenlabs.render tells the newest models nothing of the text around", () => {
  const { body } = partsOf(render({ before: "Once.", after: "Then." }, "eleven_v3"));
  assert.deepEqual(body, { text: "Good morning.", model_id: "eleven_v3" });
  const around = {
    before: "a".repeat(4_000) + "b".repeat(1_000),
    after: "c".repeat(1_000) + "d".repeat(4_000),
  };
  const long = partsOf(render(around)).body;
  assert.ok(typeof long === "object");
  assert.deepEqual([long.previous_text, long.next_text], ["b".repeat(1_000), "c".repeat(1_000)]);
});

/** The format that is asked for, and what comes. */
const formats: readonly (readonly [string, object])[] = [
  ["pcm_16000", { type: "pcm", sampleRate: 16_000, channels: 1 }],
  ["ulaw_8000", { type: "pcm", sampleRate: 8_000, channels: 1, encoding: "mulaw" }],
  ["alaw_8000", { type: "pcm", sampleRate: 8_000, channels: 1, encoding: "alaw" }],
  ["mp3_22050_32", { type: "mp3" }],
  ["opus_48000_96", { type: "opus" }],
];

Deno.test("elevenlabs.render knows what sound its formats are", () => {
  for (const [name, format] of formats) {
    assert.deepEqual(render({ options: { output_format: name } }).format, format, name);
  }
  assert.throws(() => render({ options: { output_format: "flac" } }), /output_format is "flac"; allowed/);
});

Deno.test("elevenlabs.render refuses or notes what it cannot say", () => {
  assert.throws(() => render({ voice: undefined }), /voice is missing/);
  const reference = { data: "UklGRg==", mediaType: "audio/wav" };
  assert.throws(() => render({ reference }), /input_references is not taken/);
  assert.deepEqual(render({ speed: 3, instructions: "Softly." }).dropped, [
    "speed 3 (spoken at 1.2)",
    "instructions",
  ]);
});

/** Headers, the model, and the characters that are charged. */
const counts: readonly (readonly [Record<string, string>, model: string, number | undefined])[] = [
  [{}, MODEL, undefined],
  [{ "x-character-count": "13" }, MODEL, 13],
  [{ "character-cost": "13" }, MODEL, 13],
  [{ "character-cost": "7" }, "eleven_flash_v2_5", 14],
  [{ "x-character-count": "13", "character-cost": "7" }, "eleven_flash_v2_5", 13],
  [{ "character-cost": "0" }, MODEL, undefined],
  [{ "character-cost": "many" }, MODEL, undefined],
];

Deno.test("elevenlabs.parseAnswer reads what is charged from the headers", () => {
  for (const [headers, model, characters] of counts) {
    const head = speechHead("audio/mpeg", { ...headers, "request-id": "req-1" });
    const answer = elevenlabsSpeech.parseResponse(head, render({ format: "mp3" }, model));
    assert.ok(answer.type === "sound");
    assert.equal(answer.usage?.characters, characters, JSON.stringify(headers));
    assert.equal(answer.upstreamId, "req-1");
    assert.deepEqual(answer.format, { type: "mp3" });
  }
});

Deno.test("elevenlabs.parseAnswer takes an error with a status of 200 for one", () => {
  const answer = elevenlabsSpeech.parseResponse(speechHead("application/json"), render());
  assert.ok(answer.type === "frames");
  const { failure } = answer.read('{"detail":{"status":"system_busy","message":"Busy."}}');
  assert.deepEqual(failure, { kind: "upstream_failed", message: "Busy.", code: "system_busy" });
});

const detail = (status: string, message = "Told.") => JSON.stringify({ detail: { status, message } });

/** Status, body, and the kind, the code, the field, and whether another endpoint may do. */
const errors: readonly (readonly [
  number,
  body: string,
  kind: string,
  code?: string,
  param?: string,
  elsewhere?: true,
])[] = [
  [401, detail("invalid_api_key"), "upstream_failed", "invalid_api_key"],
  [401, detail("quota_exceeded"), "upstream_failed", "quota_exceeded"],
  [402, detail("payment_required"), "upstream_failed", "payment_required"],
  [401, detail("missing_permissions"), "upstream_failed", "missing_permissions"],
  [
    400,
    detail("max_character_limit_exceeded"),
    "context_length",
    "max_character_limit_exceeded",
    "input",
    true,
  ],
  [404, detail("voice_not_found"), "invalid_request", "voice_not_found", "voice", true],
  [429, detail("too_many_concurrent_requests"), "rate_limited", "too_many_concurrent_requests"],
  [429, detail("system_busy"), "overloaded", "system_busy"],
  [
    422,
    '{"detail":[{"loc":["body","text"],"msg":"field required"}]}',
    "invalid_request",
    undefined,
    "text",
  ],
  [500, "", "upstream_failed"],
  [503, "<html><title>Sorry</title></html>", "unavailable"],
];

Deno.test("elevenlabs.parseError knows its words", () => {
  for (const [status, body, kind, code, param, elsewhere = false] of errors) {
    const error = elevenlabsSpeech.parseError(status, body);
    const fields = [error.kind, error.code, error.param, error.endpointSpecific];
    assert.deepEqual(fields, [kind, code, param, elsewhere], `${status} ${body}`);
  }
  assert.match(elevenlabsSpeech.parseError(401, detail("quota_exceeded")).message, /insufficient funds/);
  assert.match(
    elevenlabsSpeech.parseError(401, detail("invalid_api_key", "key sk-1")).message,
    /did not accept/,
  );
});
