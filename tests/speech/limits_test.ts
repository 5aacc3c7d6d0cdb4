import assert from "node:assert/strict";
import type { Json } from "../support/event_stream.ts";
import { readError } from "../support/call.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { bytesOf, sound, speak, speaker, speakerAt, tone, voiceModel, wav } from "./rig.ts";

const recording = wav(tone(2)).toBase64();
const audio = (data: string) => ({ type: "input_audio", input_audio: { data } });
const text = (received: string) => ({ type: "text", text: received });

/** Faults, and the words that name their place, their value and what is allowed. */
const wrong: readonly (readonly [what: string, body: Json, words: RegExp, status?: number])[] = [
  ["no model", { model: undefined }, /^model is missing/],
  ["an empty model", { model: "" }, /^model/],
  ["a model that nobody has", { model: "mock/other" }, /mock\/other/, 404],
  ["no input", { input: undefined }, /^input is missing/],
  ["an empty input", { input: "" }, /^input/],
  ["nothing but spaces", { input: " \n " }, /^input holds nothing but spaces/],
  ["a number as input", { input: 7 }, /^input is 7/],
  ["an input that is too long", { input: "a".repeat(200_001) }, /^input is 200001 .* at most 200000/, 413],
  ["an empty voice", { voice: "" }, /^voice/],
  ["a voice without an id", { voice: {} }, /^voice/],
  ["no voice where there is no usual one", { voice: undefined }, /^voice is missing/],
  ...["opus", "aac", "flac", "wav", "ogg", ""].map((format) =>
    [
      `response_format ${JSON.stringify(format)}`,
      { response_format: format },
      /^response_format is ".*"; allowed: mp3, pcm/,
    ] as const
  ),
  ["speed 0.24", { speed: 0.24 }, /^speed is 0\.24.*0\.25/],
  ["speed 4.1", { speed: 4.1 }, /^speed is 4\.1.*4/],
  ["a speed in words", { speed: "fast" }, /^speed is "fast"/],
  ["an unknown preference", { provider: { odrer: ["a"] } }, /^provider\.odrer is not a known key.*options/],
  ["options that are no object", { provider: { options: { mock: 1 } } }, /^provider\.options\.mock is 1/],
  [
    "another model in options",
    { provider: { options: { mock: { model: "x" } } } },
    /^provider\.options\.mock\.model/,
  ],
  [
    "another text in options",
    { provider: { options: { mock: { input: "x" } } } },
    /^provider\.options\.mock\.input/,
  ],
  ["a session that is too long", { session_id: "s".repeat(257) }, /^session_id is 257/],
  ["no part", { input_references: [] }, /^input_references has 0 parts of type input_audio/],
  [
    "two recordings",
    { input_references: [audio(recording), audio(recording)] },
    /^input_references has 2 parts/,
  ],
  [
    "two transcripts",
    { input_references: [audio(recording), text("a"), text("b")] },
    /^input_references has 2 parts of type text/,
  ],
  ["a transcript alone", { input_references: text("a") }, /^input_references is a text/],
  ["a part of another type", { input_references: [{ type: "image" }] }, /^input_references\[0\]/],
  ["an empty recording", { input_references: [audio("")] }, /^input_references\[0\]\.input_audio\.data/],
  [
    "no base64",
    { input_references: [audio("*".repeat(40))] },
    /^input_references\[0\]\.input_audio\.data is not base64/,
  ],
  [
    "a data URL without base64",
    { input_references: audio("data:audio/wav,RIFF") },
    /^input_references\.input_audio\.data is a data URL that is not in base64/,
  ],
  [
    "a data URL of nothing",
    { input_references: audio("data:audio/wav;base64,") },
    /^input_references\.input_audio\.data holds no sound/,
  ],
  [
    "a picture",
    { input_references: audio(btoa("\x89PNG and more")) },
    /is no recording that is known; allowed: WAV/,
  ],
  ["half a second", { input_references: audio(wav(tone(0.5)).toBase64()) }, /is 0\.5 s long; 1 s to 600 s/],
  [
    "eleven minutes",
    { input_references: audio(wav(tone(660, 4_000), 4_000).toBase64()) },
    /is 660 s long; 1 s to 600 s/,
  ],
  [
    "a transcript that is too long",
    { input_references: [audio(recording), text("t".repeat(10_001))] },
    /^input_references\[1\]\.text is 10001 .* at most 10000/,
  ],
  [
    "a recording that is too large",
    { input_references: audio("A".repeat(20_971_521)) },
    /^input_references\.input_audio\.data has 20971521 characters of base64; at most 20971520/,
    413,
  ],
];

async function withSpeaker(
  test: (gateway: Gateway, requested: () => number) => Promise<void>,
): Promise<void> {
  await using upstream = speaker(() => sound(tone(0.1)));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  await test(gateway, () => upstream.requested.length);
}

Deno.test("POST /audio/speech says where a request is wrong and what is allowed", async (t) => {
  await withSpeaker(async (gateway, requested) => {
    for (const [what, body, words, status = 400] of wrong) {
      await t.step(what, async () => {
        const response = await speak(gateway, { body });
        const { error } = await readError(response);
        assert.equal(response.status, status, String(error.message));
        assert.match(String(error.message), words);
      });
    }
    assert.equal(requested(), 0);
  });
});

Deno.test("POST /audio/speech takes what is at the edge of what is allowed", async (t) => {
  const rows: readonly (readonly [string, Json])[] = [
    ["a null for what may be left out", { response_format: null, speed: null, provider: null, models: null }],
    ["a text of 200,000 characters", { input: "Hello. ".repeat(28_571) + "Hey" }],
    ["a voice of one letter", { voice: "a" }],
    ["speed 0.25", { speed: 0.25 }],
    ["speed 4", { speed: 4 }],
    ["text that is no text", { input: "\u0000\ud800 🎉" }],
    ["preferences", { provider: { order: ["mock"], only: ["mock"], allow_fallbacks: false } }],
  ];
  await withSpeaker(async (gateway) => {
    for (const [what, body] of rows) {
      await t.step(what, async () => {
        const response = await speak(gateway, { body });
        await bytesOf(response);
        assert.equal(response.status, 200);
      });
    }
  });
});

Deno.test("a body that is too large for the door is 413", async () => {
  await using gateway = await startGateway({ limits: { body_bytes: 10_000 } });
  const response = await speak(gateway, { body: { input: "a".repeat(20_000) } });
  assert.equal(response.status, 413);
  await response.body?.cancel();
});

Deno.test("a voice is cloned only by endpoints that say they can", async () => {
  await using plain = speaker(() => sound(tone(0.1)));
  const models = [{ ...voiceModel, supports_voice_cloning: false }];
  await using gateway = await startGateway({ providers: [speakerAt(plain.baseUrl, { models })] });
  const response = await speak(gateway, { body: { input_references: [audio(recording), text("Hello")] } });
  const { error } = await readError(response);
  assert.equal(response.status, 404);
  assert.match(JSON.stringify(error), /clon|modality/);
  assert.equal(plain.requested.length, 0);
});

Deno.test("a recording goes to the endpoint that clones, with what is said in it", async () => {
  await using plain = speaker(() => sound(tone(0.1)));
  await using cloning = speaker(() => sound(tone(0.1)));
  await using gateway = await startGateway({
    providers: [
      speakerAt(plain.baseUrl, { id: "p0" }),
      speakerAt(cloning.baseUrl, { id: "p1", models: [{ ...voiceModel, supports_voice_cloning: true }] }),
    ],
  });
  const provider = { order: ["p0", "p1"] };
  for (
    const input_references of [audio(recording), [text("Hello"), audio(`data:audio/x;base64,${recording}`)]]
  ) {
    const response = await speak(gateway, { body: { voice: undefined, provider, input_references } });
    await bytesOf(response);
    assert.equal(response.status, 200);
  }
  assert.equal(plain.requested.length, 0);
  const sent = { model: "upstream-voice", input: "Good morning", response_format: "pcm" };
  const ref_audio = `data:audio/wav;base64,${recording}`;
  assert.deepEqual(cloning.requested.map(({ body }) => body), [
    { ...sent, ref_audio },
    { ...sent, ref_audio, ref_text: "Hello" },
  ]);
});

Deno.test("a recording of the largest size is taken, and passed on whole", async () => {
  await using upstream = speaker(() => sound(tone(0.1)));
  const models = [{ ...voiceModel, supports_voice_cloning: true }];
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
  const data = wav(new Uint8Array(15 * 1024 * 1024 - 44), 44_100).toBase64();
  assert.equal(data.length, 20_971_520);
  const response = await speak(gateway, { body: { input_references: audio(data) } });
  await bytesOf(response);
  assert.equal(response.status, 200);
  assert.equal(
    String(upstream.requested[0]?.body.ref_audio).length,
    "data:audio/wav;base64,".length + data.length,
  );
});

Deno.test("a model of words is not asked to speak, nor one that speaks to write", async () => {
  await using upstream = speaker(() => sound(tone(0.1)));
  const models = [voiceModel, { id: "mock/words", output_modalities: ["text"] }];
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
  const silent = await readError(await speak(gateway, { body: { model: "mock/words" } }));
  assert.equal(silent.error.code, 404);
  const written = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/voice", input: "Hi" }),
  });
  assert.equal((await readError(written)).error.code, 404);
  assert.equal(upstream.requested.length, 0);
});
