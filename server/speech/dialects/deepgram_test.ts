import assert from "node:assert/strict";
import type { SpeechRequestPart } from "../dialect.ts";
import { partsOf, speechEndpoint, speechHead, utterance } from "../../../tests/support/utterance.ts";
import { deepgramSpeech } from "./deepgram.ts";

const render = (changes: Partial<SpeechRequestPart> = {}, model = "aura-2") =>
  deepgramSpeech.render(utterance({ voice: "aura-2-thalia-en", ...changes }), speechEndpoint(model));

const raw = { encoding: "linear16", container: "none", sample_rate: "24000", model: "aura-2-thalia-en" };

/** Requests, and the query that they come to. */
const mapping: readonly (readonly [Partial<SpeechRequestPart>, query: object])[] = [
  [{}, raw],
  [{ voice: "thalia-en" }, raw],
  [{ format: "mp3" }, raw],
  [{ speed: 1.2 }, { ...raw, speed: "1.2" }],
  [{ speed: 4 }, { ...raw, speed: "1.5" }],
  [{ speed: 0.25 }, { ...raw, speed: "0.7" }],
  [{ options: { mip_opt_out: true } }, { ...raw, mip_opt_out: "true" }],
  [{ options: { sample_rate: 8_000 } }, { ...raw, sample_rate: "8000" }],
  [{ options: { callback: "http://inside", callback_method: "PUT" } }, raw],
  [{ options: { model: "aura-2-zeus-en" } }, raw],
];

Deno.test("deepgram.render says what is asked in the query", () => {
  for (const [changes, query] of mapping) {
    const parts = partsOf(render(changes));
    assert.equal(parts.path, "/v1/speak");
    assert.deepEqual(parts.query, query, JSON.stringify(changes));
    assert.deepEqual(parts.body, { text: "Good morning." });
  }
});

/** Voice and model, and the path and the model in full. */
const models: readonly (readonly [voice: string | undefined, model: string, path: string, full: string])[] = [
  ["asteria-en", "aura", "/v1/speak", "aura-asteria-en"],
  ["aura-asteria-en", "aura", "/v1/speak", "aura-asteria-en"],
  ["alexis-en", "flux", "/v2/speak", "flux-alexis-en"],
  [undefined, "aura-2-thalia-en", "/v1/speak", "aura-2-thalia-en"],
];

Deno.test("deepgram.render makes the voice a part of the model's name", () => {
  for (const [voice, model, path, full] of models) {
    const parts = partsOf(render({ voice }, model));
    assert.deepEqual([parts.path, parts.query.model], [path, full]);
  }
  assert.throws(() => render({ voice: undefined }), /voice is missing/);
  assert.equal(partsOf(render({ voice: "alexis-en", speed: 1.23 }, "flux")).query.speed, "1.25");
  assert.equal(partsOf(render({ speed: 1.23 })).query.speed, "1.23");
});

const pcm = { type: "pcm", sampleRate: 24_000, channels: 1 } as const;

/** Options of the caller, and the format of the answer. */
const formats: readonly (readonly [SpeechRequestPart["options"], object])[] = [
  [{}, pcm],
  [{ sample_rate: 48_000 }, { ...pcm, sampleRate: 48_000 }],
  [{ container: "wav" }, { type: "wav" }],
  [{ encoding: "mp3", container: null, sample_rate: null }, { type: "mp3" }],
  [{ encoding: "opus", container: "ogg", sample_rate: null }, { type: "opus" }],
  [{ encoding: "mulaw", sample_rate: 8_000 }, { ...pcm, sampleRate: 8_000, encoding: "mulaw" }],
  [{ encoding: "alaw", sample_rate: 8_000 }, { ...pcm, sampleRate: 8_000, encoding: "alaw" }],
];

Deno.test("deepgram.render knows what sound its encodings are", () => {
  for (const [options, format] of formats) assert.deepEqual(render({ options }).format, format);
  assert.throws(() => render({ options: { encoding: "flac" } }), /encoding is "flac"; allowed/);
  assert.throws(() => render({ options: { tag: { a: 1 } } }), /tag is an object/);
});

Deno.test("deepgram.render refuses or notes what it cannot say", () => {
  const { dropped } = render({ speed: 2, instructions: "Softly.", options: { callback: "http://inside" } });
  assert.deepEqual(dropped, ["speed 2 (spoken at 1.5)", "instructions", "callback"]);
  const reference = { data: "UklGRg==", mediaType: "audio/wav" };
  assert.throws(() => render({ reference }), /input_references is not taken/);
});

/** Headers, and what they tell. */
const heads:
  readonly (readonly [Record<string, string>, characters: number | undefined, id: string | undefined])[] = [
    [{ "dg-char-count": "13", "dg-request-id": "r1" }, 13, "r1"],
    [{ "x-dg-characters": "14", "x-dg-request-id": "r2" }, 14, "r2"],
    [{ "dg-char-count": "-1" }, undefined, undefined],
    [{}, undefined, undefined],
  ];

Deno.test("deepgram.parseAnswer reads what is charged from the headers", () => {
  for (const [headers, characters, id] of heads) {
    const answer = deepgramSpeech.parseResponse(speechHead("audio/l16;rate=24000", headers), render());
    assert.ok(answer.type === "sound");
    assert.deepEqual([answer.usage?.characters, answer.upstreamId], [characters, id]);
  }
});

const fault = (code: string, message = "Told.") =>
  JSON.stringify({ err_code: code, err_msg: message, request_id: "r" });

/** Status, body, and the kind, the code, the field, and whether another endpoint may do. */
const errors: readonly (readonly [
  number,
  body: string,
  kind: string,
  code?: string,
  param?: string,
  elsewhere?: true,
])[] = [
  [401, fault("INVALID_AUTH"), "upstream_failed", "INVALID_AUTH"],
  [402, fault("PAYMENT_REQUIRED"), "upstream_failed", "PAYMENT_REQUIRED"],
  [403, fault("INSUFFICIENT_PERMISSIONS"), "upstream_failed", "INSUFFICIENT_PERMISSIONS"],
  [413, fault("INPUT_TEXT_TOO_LONG"), "context_length", "INPUT_TEXT_TOO_LONG", "input", true],
  [
    400,
    fault("MODEL", "No such model/version combination found."),
    "invalid_request",
    "MODEL",
    "voice",
    true,
  ],
  [
    400,
    '{"category":"INVALID_JSON","message":"Invalid JSON submitted."}',
    "invalid_request",
    "INVALID_JSON",
  ],
  [422, fault("UNPROCESSABLE"), "invalid_request", "UNPROCESSABLE"],
  [
    429,
    fault("TOO_MANY_REQUESTS", "The speed of requests is too high"),
    "rate_limited",
    "TOO_MANY_REQUESTS",
  ],
  [500, "", "upstream_failed"],
  [503, fault("SERVICE_UNAVAILABLE"), "unavailable", "SERVICE_UNAVAILABLE"],
];

Deno.test("deepgram.parseError knows its words", () => {
  for (const [status, body, kind, code, param, elsewhere = false] of errors) {
    const error = deepgramSpeech.parseError(status, body);
    const fields = [error.kind, error.code, error.param, error.endpointSpecific];
    assert.deepEqual(fields, [kind, code, param, elsewhere], `${status} ${body}`);
  }
});
