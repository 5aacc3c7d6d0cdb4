/** Providers that speak at other places than their usual ones: in a cloud, or as rows of the configuration file. */

import assert from "node:assert/strict";
import { startSpeechMock } from "../mocks/speech_upstream.ts";
import type { SpeechProviderId } from "../mocks/speech_rules.ts";
import type { Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { receiptOf } from "../money/rig.ts";
import { bytesOf, speak, tone, wav } from "./rig.ts";

const say = (gateway: Gateway, requested: { readonly model: string; readonly voice: string }) =>
  speak(gateway, { body: { ...requested, input: "Good morning" } });

Deno.test("a deployment at Azure OpenAI speaks as OpenAI does, with Azure's key", async () => {
  await using upstream = startSpeechMock("openai");
  const env = {
    TOLLGATE_LOCAL: "off",
    AZURE_OPENAI_ENDPOINT: upstream.url,
    AZURE_OPENAI_API_KEY: "azure-key",
  };
  await using gateway = await startGateway({ env });
  const response = await say(gateway, { model: "azure-tts/my-tts", voice: "alloy" });
  assert.equal((await bytesOf(response)).length, tone(0.6).length);
  const [requested] = upstream.requested;
  assert.equal(requested?.path, "/openai/v1/audio/speech");
  assert.deepEqual(requested?.query, { "api-version": "preview" });
  assert.equal(requested?.headers.get("api-key"), "azure-key");
  assert.equal(requested?.body.model, "my-tts");
});

/** A row's `speech`, the mock that takes it, a model of its own there, a voice, and the key's header. */
const rows: readonly (readonly [
  speech: string,
  mock: SpeechProviderId,
  upstream: string,
  voice: string,
  header: string,
])[] = [
  ["openai", "openai", "tts-1", "alloy", "authorization"],
  ["elevenlabs", "elevenlabs", "eleven_v3", "JBFqnCBsd6RMkjVDRZzb", "xi-api-key"],
  ["deepgram", "deepgram", "aura-2", "zeus-en", "authorization"],
  ["cartesia", "cartesia", "sonic-3", "e07c00bc", "authorization"],
  ["gemini", "google", "gemini-3.8-flash-tts", "Puck", "authorization"],
  ["azure", "azure", "custom", "fr-FR-DeniseNeural", "ocp-apim-subscription-key"],
  ["mistral", "mistral", "voxtral-mini-tts-3-0", "voice_478", "authorization"],
];

for (const [speech, mock, upstream_id, voice, header] of rows) {
  Deno.test(`a provider of the configuration file speaks as ${speech} does`, async () => {
    await using upstream = startSpeechMock(mock);
    const model = {
      id: "mine/voice",
      upstream_id,
      output_modalities: ["speech"],
      supported_voices: [voice],
      pricing: { prompt: "0", completion: "0", character: "0.00001" },
    };
    const row = { id: "mine", speech, base_url: upstream.url, api_key_env: "MINE_KEY", models: [model] };
    await using gateway = await startGateway({
      providers: [row],
      env: { TOLLGATE_LOCAL: "off", MINE_KEY: "my-own-key" },
    });
    const response = await say(gateway, { model: "mine/voice", voice });
    const bytes = await bytesOf(response);
    assert.equal(response.status, 200, new TextDecoder().decode(bytes.subarray(0, 300)));
    assert.deepEqual(upstream.complaints, []);
    assert.match(upstream.requested[0]?.headers.get(header) ?? "", /(^|(Bearer|Token) )my-own-key$/);
    assert.equal((await receiptOf(gateway, response)).cost, 120_000);
    const other = await say(gateway, { model: "mine/voice", voice: "nobody" });
    assert.equal(other.status, 400);
    assert.match(await other.text(), /voice/);
  });
}

Deno.test("a provider that does nothing but speak is asked for no words", async () => {
  await using upstream = startSpeechMock("elevenlabs");
  const env = { TOLLGATE_LOCAL: "off", ELEVENLABS_API_KEY: "k", ELEVENLABS_BASE_URL: upstream.url };
  await using gateway = await startGateway({ env });
  for (const model of ["elevenlabs/eleven_v3", "elevenlabs/whatever"]) {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
    });
    const text = await response.text();
    assert.ok(response.status >= 400 && response.status < 500, `${response.status} ${text}`);
  }
  assert.equal(upstream.requested.length, 0);
});

Deno.test("the catalog lists who speaks, with voices and prices", async () => {
  const env = { TOLLGATE_LOCAL: "off", DEEPGRAM_API_KEY: "k", MISTRAL_API_KEY: "k", OPENAI_API_KEY: "k" };
  await using gateway = await startGateway({ env });
  const get = async (path: string) => {
    const response = await fetch(`${gateway.url}/v1${path}`, {
      headers: { authorization: `Bearer ${gateway.apiKey}` },
    });
    assert.equal(response.status, 200, path);
    return JSON.parse(await response.text());
  };
  const { data } = await get("/models?output_modalities=speech");
  const ids = data.map(({ id }: { readonly id: string }) => id).sort();
  assert.deepEqual(ids, [
    "deepgram/aura",
    "deepgram/aura-2",
    "deepgram/flux",
    "mistralai/voxtral-mini-tts-2603",
    "mistralai/voxtral-mini-tts-3-0",
    "openai/gpt-4o-mini-tts",
    "openai/tts-1",
    "openai/tts-1-hd",
  ]);
  const aura = data.find(({ id }: { readonly id: string }) => id === "deepgram/aura-2");
  assert.ok(aura.supported_voices.includes("aura-2-thalia-en"));
  assert.equal(aura.pricing.character, "0.00003");
  const { data: voxtral } = await get("/models/mistralai/voxtral-mini-tts-3-0/endpoints");
  assert.equal(voxtral.endpoints[0].supports_voice_cloning, true);
  const { data: tts } = await get("/models/openai/tts-1/endpoints");
  assert.equal(tts.endpoints[0].supports_voice_cloning, false);
});

const voice = (upstream_id: string, changes: Json = {}) => ({
  id: "mine/voice",
  upstream_id,
  output_modalities: ["speech"],
  pricing: { prompt: "0", completion: "0", character: "0.00001" },
  ...changes,
});

const order = { provider: { order: ["first", "second"] } };

Deno.test("a model's next provider speaks in another dialect when the first one fails", async () => {
  for (const fault of [{ status: 500 }, { status: 429 }, { status: 401 }, "page"] as const) {
    await using broken = startSpeechMock("elevenlabs", { fault });
    await using sound = startSpeechMock("deepgram");
    await using gateway = await startGateway({
      providers: [
        { id: "first", speech: "elevenlabs", base_url: broken.url, models: [voice("eleven_v3")] },
        { id: "second", speech: "deepgram", base_url: sound.url, models: [voice("aura-2")] },
      ],
    });
    const body = { model: "mine/voice", voice: "thalia-en", input: "Good morning", ...order };
    const response = await speak(gateway, { body });
    assert.equal((await bytesOf(response)).length, tone(0.6).length);
    assert.deepEqual([broken.requested.length, sound.requested.length], [1, 1]);
    const { status, cost, attempts } = await receiptOf(gateway, response);
    assert.deepEqual([status, cost, attempts.length], ["completed", 120_000, 2]);
  }
});

Deno.test("a voice is cloned by the provider of a model that declares it, and by no other", async () => {
  await using mute = startSpeechMock("cartesia");
  await using clones = startSpeechMock("mistral");
  const cloning = voice("voxtral-mini-tts-3-0", { supports_voice_cloning: true });
  await using gateway = await startGateway({
    providers: [
      { id: "first", speech: "cartesia", base_url: mute.url, models: [voice("sonic-3")] },
      { id: "second", speech: "mistral", base_url: clones.url, models: [cloning] },
    ],
  });
  const data = wav(tone(3)).toBase64();
  const input_references = { type: "input_audio", input_audio: { data: `data:audio/wav;base64,${data}` } };
  const body = { model: "mine/voice", voice: undefined, input: "Good morning", input_references, ...order };
  const response = await speak(gateway, { body });
  assert.equal(response.status, 200);
  assert.ok((await bytesOf(response)).length > 0);
  assert.deepEqual([mute.requested.length, clones.requested.length], [0, 1]);
  assert.equal(clones.requested[0]?.body.ref_audio, data);
});
