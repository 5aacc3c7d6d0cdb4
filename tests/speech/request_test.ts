import assert from "node:assert/strict";
import type { Stage } from "../../server/pipeline/request_context.ts";
import { measureAudio } from "../../server/speech/audio/measure.ts";
import { sourceFrom } from "../../server/protocols/stream/source.ts";
import type { AudioFormat } from "../../server/protocols/canonical/speech.ts";
import type { Json } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { receiptOf } from "../money/rig.ts";
import { bytesOf, RATE, sound, speak, speaker, speakerAt, sse, tone, voiceModel, wav } from "./rig.ts";
import { speechInputText } from "../../server/protocols/canonical/request.ts";

const pcm: AudioFormat = { type: "pcm", sampleRate: RATE, channels: 1 };

function heard(bytes: Uint8Array, from: AudioFormat) {
  return measureAudio({ source: sourceFrom([bytes]), from });
}

Deno.test("POST /audio/speech tells a provider whole characters", async () => {
  await using upstream = speaker(() => sound(tone(0.5)));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const response = await speak(gateway, { body: { input: "half \ud83d of one" } });
  assert.equal(response.status, 200);
  await response.body?.cancel();
  assert.equal(upstream.requested[0]?.body.input, "half \ufffd of one");
});

Deno.test("POST /audio/speech passes a provider's raw samples on as they are", async () => {
  const samples = tone(0.5);
  await using upstream = speaker(() => sound(samples));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const response = await speak(gateway);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "audio/pcm");
  assert.equal(response.headers.get("x-audio-sample-rate"), "24000");
  assert.equal(response.headers.get("x-audio-channels"), "1");
  assert.match(response.headers.get("x-generation-id") ?? "", /^gen-/);
  assert.deepEqual(await bytesOf(response), samples);
  assert.equal(upstream.requested[0]?.path, "/v1/audio/speech");
  const receipt = await receiptOf(gateway, response);
  assert.equal(receipt.status, "completed");
  assert.equal(receipt.api, "speech");
  assert.equal(receipt.cost, 120_000);
  assert.equal(receipt.estimated, false);
  assert.deepEqual(receipt.lines.filter(({ unit_price }) => unit_price !== "0"), [
    { rate: "character", quantity: 12, unit_price: "0.00001" },
  ]);
  assert.equal(receipt.usage.audio_bytes, samples.length);
  assert.equal(receipt.usage.seconds, 1);
});

const plain = { model: "upstream-voice", input: "Good morning", voice: "alloy", response_format: "pcm" };

/** Fields that a client sends beside model, input and voice, and what the provider gets. */
const mappings: readonly (readonly [what: string, body: Json, provider: Json])[] = [
  ["nothing else", {}, plain],
  ["speed", { speed: 1.5 }, { ...plain, speed: 1.5 }],
  ["instructions", { instructions: "Whisper." }, { ...plain, instructions: "Whisper." }],
  ["mp3", { response_format: "mp3" }, { ...plain, response_format: "mp3" }],
  ["a voice by its id", { voice: { id: "voice_1" } }, { ...plain, voice: { id: "voice_1" } }],
  ["options for it", { provider: { options: { mock: { seed: 7 } } } }, { ...plain, seed: 7 }],
  ["options for others", { provider: { options: { other: { seed: 7 } } } }, plain],
  ["what speaks to the gateway", { user: "u", session_id: "s", trace: { trace_id: "t" } }, plain],
  ["unknown keys", { stream_format: "audio", something: 1 }, plain],
  ["a voice that is left out", { voice: undefined }, { ...plain, voice: "nova" }],
];

for (const [what, body, provider] of mappings) {
  Deno.test(`POST /audio/speech tells the provider ${what}`, async () => {
    await using upstream = speaker(() => sound(tone(0.1)));
    const models = [{ ...voiceModel, default_voice: "nova" }];
    await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
    const response = await speak(gateway, { body });
    await bytesOf(response);
    assert.equal(response.status, 200);
    assert.deepEqual(upstream.requested[0]?.body, provider);
  });
}

Deno.test("POST /audio/speech turns what a provider answers into what was asked for", async (t) => {
  const rows = [
    { says: "audio/wav", sends: wav(tone(1)), asks: "pcm" },
    { says: "audio/wav", sends: wav(tone(1, 44_100), 44_100), asks: "pcm" },
    { says: "application/octet-stream", sends: wav(tone(1)), asks: "pcm" },
    { says: "audio/wav", sends: wav(tone(1)), asks: "mp3" },
    { says: "audio/pcm", sends: tone(1), asks: "mp3", formats: ["pcm"] },
  ] as const;
  for (const { says, sends, asks, ...more } of rows) {
    await t.step(`${says} of ${sends.length} bytes → ${asks}`, async () => {
      await using upstream = speaker(() => sound(sends, says));
      const models = [{ ...voiceModel, speech_formats: "formats" in more ? more.formats : undefined }];
      await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
      const response = await speak(gateway, { body: { response_format: asks } });
      assert.equal(response.headers.get("content-type"), asks === "mp3" ? "audio/mpeg" : "audio/pcm");
      assert.equal(response.headers.get("x-audio-sample-rate"), "24000");
      const { seconds, loudness, sampleRate } = await heard(
        await bytesOf(response),
        asks === "mp3" ? { type: "mp3" } : pcm,
      );
      assert.equal(sampleRate, RATE);
      assert(Math.abs(seconds - 1) < 0.1, `${seconds} s`);
      assert(loudness > 0.1, `loudness ${loudness}`);
    });
  }
});

Deno.test("POST /audio/speech reads events, and charges the tokens they end with", async () => {
  const samples = tone(0.4);
  const done = {
    type: "speech.audio.done",
    usage: { input_tokens: 14, output_tokens: 101, total_tokens: 115 },
  };
  await using upstream = speaker(() =>
    sse([
      { type: "speech.audio.delta", audio: samples.subarray(0, 9_600).toBase64() },
      { type: "speech.something.new" },
      { type: "speech.audio.delta", audio: samples.subarray(9_600).toBase64() },
      done,
    ])
  );
  const pricing = { prompt: "0.0000006", completion: "0", audio_output: "0.000012" };
  const models = [{ ...voiceModel, speech_events: true, pricing }];
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
  const response = await speak(gateway);
  assert.deepEqual(await bytesOf(response), samples);
  assert.equal(upstream.requested[0]?.body.stream_format, "sse");
  const receipt = await receiptOf(gateway, response);
  assert.equal(receipt.estimated, false);
  assert.equal(receipt.cost, 14 * 600 + 101 * 12_000);
});

Deno.test("POST /audio/speech speaks a long text in pieces, and joins them", async () => {
  const sentence = "The quick brown fox jumps over the lazy dog. ";
  await using upstream = speaker(() => sound(tone(0.5)));
  // What a model reads at a time is no limit for what is split.
  const models = [{ ...voiceModel, max_input_characters: 100, context_length: 20 }];
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
  const input = sentence.repeat(6);
  const response = await speak(gateway, { body: { input } });
  const { seconds } = await heard(await bytesOf(response), pcm);
  assert.equal(upstream.requested.length, 3);
  assert.equal(upstream.requested.map(({ body }) => body.input).join(""), input);
  assert(Math.abs(seconds - 1.5) < 0.15, `${seconds} s`);
  const receipt = await receiptOf(gateway, response);
  assert.equal(receipt.usage.characters, input.length);
  assert.equal(receipt.cost, input.length * 10_000);
  assert.equal(receipt.attempts.length, 1);
});

Deno.test("POST /audio/speech passes the guard's seat, which sees the text", async () => {
  const texts: string[] = [];
  const counting: Stage = (next) => (context) => {
    texts.push(speechInputText(context.request));
    return next(context);
  };
  await using upstream = speaker(() => sound(tone(0.1)));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)], guard: counting });
  for (const input of ["One", "Two"]) await bytesOf(await speak(gateway, { body: { input } }));
  assert.deepEqual(texts, ["One", "Two"]);
});

Deno.test("what a guard leaves of a text is what is spoken and charged", async () => {
  const redacting: Stage = (next) => (context) => {
    const parts = [{ type: "text", text: "[name]" }] as const;
    const input = [{ type: "message", role: "user", parts }] as const;
    return next({ ...context, request: { ...context.request, input } });
  };
  await using upstream = speaker(() => sound(tone(0.1)));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)], guard: redacting });
  const response = await speak(gateway, { body: { input: "I am Jane" } });
  await bytesOf(response);
  assert.equal(upstream.requested[0]?.body.input, "[name]");
  assert.equal((await receiptOf(gateway, response)).usage.characters, 6);
});

Deno.test("GET /models lists what speaks, with its voices", async () => {
  const models = [
    { ...voiceModel, supported_voices: ["alloy", "nova"], supports_voice_cloning: true },
    { id: "mock/words" },
  ];
  await using gateway = await startGateway({ providers: [speakerAt("http://127.0.0.1:9/v1", { models })] });
  const get = async (path: string) => {
    const response = await fetch(`${gateway.url}/v1${path}`, {
      headers: { authorization: `Bearer ${gateway.apiKey}` },
    });
    return (await response.json()).data;
  };
  const [only, ...others] = await get("/models?output_modalities=speech");
  assert.equal(others.length, 0);
  assert.equal(only.id, "mock/voice");
  assert.deepEqual(only.supported_voices, ["alloy", "nova"]);
  assert.deepEqual(only.architecture.output_modalities, ["speech"]);
  assert.equal(only.pricing.character, "0.00001");
  const [endpoint] = (await get("/models/mock/voice/endpoints")).endpoints;
  assert.equal(endpoint.supports_voice_cloning, true);
  const [words] = await get("/models");
  assert.equal(words.id, "mock/words");
  assert.equal(words.supported_voices, null);
});
