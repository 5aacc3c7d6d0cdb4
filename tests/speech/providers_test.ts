/** Every provider that speaks, through the gateway as it is served: the built-in rows against mocks of the services. */

import assert from "node:assert/strict";
import type { AudioFormat } from "../../server/protocols/canonical/speech.ts";
import { measureAudio } from "../../server/speech/audio/measure.ts";
import { sourceFrom } from "../../server/protocols/stream/source.ts";
import { type SpeechMockOptions, startSpeechMock } from "../mocks/speech_upstream.ts";
import type { SpeechProviderId } from "../mocks/speech_rules.ts";
import { SECONDS_A_CHARACTER } from "../mocks/speech_wire.ts";
import { receiptOf } from "../money/rig.ts";
import type { Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { bytesOf, RATE, speak, tone, wav } from "./rig.ts";

const KEY = "provider-key-of-the-test";

interface Row {
  readonly mock: SpeechProviderId;
  readonly provider: string;
  readonly model: string;
  readonly voice: string;
  /** The variables that switch it on, without the address. */
  readonly env: Readonly<Record<string, string>>;
  readonly address: string;
  readonly auth: readonly [header: string, value: string];
  /** Nano-USD for the characters of "Good morning", or for the tokens that the mock tells. */
  readonly cost: number;
  /** A key of its own that callers may set, and where the mock finds it. */
  readonly option: readonly [key: string, value: string | number | boolean, where: "body" | "query" | "text"];
  /** It says when it has said all: a shorter body is a cut. */
  readonly hasLastWord: boolean;
}

const bearer = ["authorization", `Bearer ${KEY}`] as const;
const fallback = { auth: bearer, hasLastWord: true } as const;

const rows: readonly Row[] = [
  {
    ...fallback,
    mock: "openai",
    provider: "openai",
    model: "openai/tts-1",
    voice: "alloy",
    env: { OPENAI_API_KEY: KEY },
    address: "OPENAI_BASE_URL",
    cost: 180_000,
    option: ["response_format", "pcm", "body"],
    hasLastWord: false,
  },
  {
    ...fallback,
    mock: "openai",
    provider: "openai",
    model: "openai/gpt-4o-mini-tts",
    voice: "marin",
    env: { OPENAI_API_KEY: KEY },
    address: "OPENAI_BASE_URL",
    cost: 603_600,
    option: ["instructions", "Whisper.", "body"],
  },
  {
    ...fallback,
    mock: "groq",
    provider: "groq",
    model: "canopylabs/orpheus-v1-english",
    voice: "troy",
    env: { GROQ_API_KEY: KEY },
    address: "GROQ_BASE_URL",
    cost: 264_000,
    option: ["sample_rate", 24_000, "body"],
    hasLastWord: false,
  },
  {
    ...fallback,
    mock: "elevenlabs",
    provider: "elevenlabs",
    model: "elevenlabs/eleven_multilingual_v2",
    voice: "JBFqnCBsd6RMkjVDRZzb",
    env: { ELEVENLABS_API_KEY: KEY },
    address: "ELEVENLABS_BASE_URL",
    auth: ["xi-api-key", KEY],
    cost: 1_200_000,
    option: ["seed", 7, "body"],
    hasLastWord: false,
  },
  {
    ...fallback,
    mock: "elevenlabs",
    provider: "elevenlabs",
    model: "elevenlabs/eleven_flash_v2_5",
    voice: "JBFqnCBsd6RMkjVDRZzb",
    env: { ELEVENLABS_API_KEY: KEY },
    address: "ELEVENLABS_BASE_URL",
    auth: ["xi-api-key", KEY],
    cost: 600_000,
    option: ["enable_logging", false, "query"],
    hasLastWord: false,
  },
  {
    ...fallback,
    mock: "deepgram",
    provider: "deepgram",
    model: "deepgram/aura-2",
    voice: "aura-2-thalia-en",
    env: { DEEPGRAM_API_KEY: KEY },
    address: "DEEPGRAM_BASE_URL",
    auth: ["authorization", `Token ${KEY}`],
    cost: 360_000,
    option: ["mip_opt_out", true, "query"],
    hasLastWord: false,
  },
  {
    ...fallback,
    mock: "cartesia",
    provider: "cartesia",
    model: "cartesia/sonic-3.5",
    voice: "e07c00bc-4134-4eae-9ea4-1a55fb45746b",
    env: { CARTESIA_API_KEY: KEY },
    address: "CARTESIA_BASE_URL",
    cost: 600_000,
    option: ["language", "en", "body"],
  },
  {
    ...fallback,
    mock: "google",
    provider: "google",
    model: "google/gemini-3.8-flash-tts",
    voice: "Kore",
    env: { GEMINI_API_KEY: KEY },
    address: "GEMINI_BASE_URL",
    auth: ["x-goog-api-key", KEY],
    cost: 2_882_500,
    option: ["safetySettings", "none", "body"],
  },
  {
    ...fallback,
    mock: "azure",
    provider: "azure-speech",
    model: "azure-speech/neural",
    voice: "en-US-JennyNeural",
    env: { AZURE_SPEECH_KEY: KEY, AZURE_SPEECH_REGION: "eastus" },
    address: "AZURE_SPEECH_BASE_URL",
    auth: ["ocp-apim-subscription-key", KEY],
    cost: 192_000,
    option: ["style", "cheerful", "text"],
    hasLastWord: false,
  },
  {
    ...fallback,
    mock: "mistral",
    provider: "mistral",
    model: "mistralai/voxtral-mini-tts-3-0",
    voice: "gb_jane_neutral",
    env: { MISTRAL_API_KEY: KEY },
    address: "MISTRAL_BASE_URL",
    cost: 156_000,
    option: ["expressiveness", 3, "body"],
  },
];

const TEXT = "Good morning";
const SECONDS = TEXT.length * SECONDS_A_CHARACTER;
const pcm: AudioFormat = { type: "pcm", sampleRate: RATE, channels: 1 };
const heard = (bytes: Uint8Array, from: AudioFormat) => measureAudio({ source: sourceFrom([bytes]), from });

async function rigOf({ mock, env, address }: Row, options: SpeechMockOptions = {}) {
  const upstream = startSpeechMock(mock, options);
  const gateway = await startGateway({ env: { TOLLGATE_LOCAL: "off", ...env, [address]: upstream.url } });
  return {
    upstream,
    gateway,
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

const say = (gateway: Gateway, { model, voice }: Row, body: Json = {}) =>
  speak(gateway, { body: { model, voice, input: TEXT, ...body } });

for (const row of rows) {
  Deno.test(`${row.model} speaks as raw samples, for what it costs`, async () => {
    await using rig = await rigOf(row);
    const response = await say(rig.gateway, row);
    const bytes = await bytesOf(response);
    assert.equal(response.status, 200, new TextDecoder().decode(bytes));
    assert.equal(response.headers.get("content-type"), "audio/pcm");
    assert.deepEqual(rig.upstream.complaints, []);
    assert.equal(rig.upstream.requested.length, 1);
    assert.equal(rig.upstream.requested[0]?.headers.get(row.auth[0]), row.auth[1]);
    const { seconds, loudness } = await heard(bytes, pcm);
    assert.ok(Math.abs(seconds - SECONDS) < 0.01, `${seconds} s`);
    assert.ok(Math.abs(loudness - 0.1726) < 0.002, `${loudness}`);
    const receipt = await receiptOf(rig.gateway, response);
    assert.equal(receipt.cost, row.cost, JSON.stringify(receipt.lines));
    assert.equal(receipt.estimated, false);
    assert.equal(receipt.status, "completed");
    assert.ok(!JSON.stringify(receipt).includes(KEY));
  });

  Deno.test(`${row.model} speaks as MP3`, async () => {
    await using rig = await rigOf(row);
    const response = await say(rig.gateway, row, { response_format: "mp3" });
    const bytes = await bytesOf(response);
    assert.equal(response.status, 200, new TextDecoder().decode(bytes.subarray(0, 500)));
    assert.equal(response.headers.get("content-type"), "audio/mpeg");
    assert.deepEqual(rig.upstream.complaints, []);
    const { seconds, loudness } = await heard(bytes, { type: "mp3" });
    assert.ok(Math.abs(seconds - SECONDS) < 0.15, `${seconds} s`);
    assert.ok(Math.abs(loudness - 0.17) < 0.03, `${loudness}`);
  });

  Deno.test(`${row.model} is told its own options, and nobody else's`, async () => {
    await using rig = await rigOf(row);
    const [key, value, where] = row.option;
    const options = { [row.provider]: { [key]: value }, other: { mischief: "yes" } };
    const response = await say(rig.gateway, row, { provider: { options }, user: "u", session_id: "s" });
    assert.equal(response.status, 200, await response.text());
    assert.deepEqual(rig.upstream.complaints, []);
    const [requested] = rig.upstream.requested;
    if (where === "body") assert.deepEqual(requested?.body[key], value);
    if (where === "query") assert.equal(requested?.query[key], String(value));
    if (where === "text") assert.ok(requested?.text.includes(`${key}="${value}"`), requested?.text);
    assert.ok(!requested?.text.includes("mischief"));
  });

  Deno.test(`${row.model} takes every speed, or the nearest that it has`, async () => {
    await using rig = await rigOf(row);
    for (const speed of [0.5, 1, 2]) {
      const response = await say(rig.gateway, row, { speed, instructions: "Softly." });
      assert.equal(response.status, 200, await response.text());
    }
    assert.deepEqual(rig.upstream.complaints, []);
  });
}

/** The provider's status, and what the client gets. */
const statuses: readonly (readonly [theirs: number, ours: number])[] = [
  [400, 400],
  [401, 502],
  [402, 502],
  [429, 429],
  [500, 502],
  [503, 503],
];

for (const row of rows) {
  Deno.test(`${row.model} refuses in the gateway's words`, async () => {
    for (const [theirs, ours] of statuses) {
      const headers = { "retry-after": "7" };
      await using rig = await rigOf(row, { fault: { status: theirs, headers } });
      const response = await say(rig.gateway, row);
      const text = await response.text();
      assert.equal(response.status, ours, `${theirs}: ${text}`);
      assert.equal(response.headers.get("content-type")?.startsWith("application/json"), true);
      if (theirs === 429) assert.equal(response.headers.get("retry-after"), "7");
      assert.ok(!text.includes(KEY));
    }
  });

  Deno.test(`${row.model} sends no page for sound`, async () => {
    await using rig = await rigOf(row, { fault: "page" });
    const response = await say(rig.gateway, row);
    assert.equal(response.status, 502, await response.text());
  });

  const faults = ["cut", ...(row.hasLastWord ? ["short", "broken"] as const : [])] as const;
  for (const fault of faults) {
    Deno.test(`${row.model} leaves no silently short file after an answer that is ${fault}`, async () => {
      await using rig = await rigOf(row, { fault });
      const response = await say(rig.gateway, row, { input: TEXT.repeat(20) });
      assert.equal(response.status, 200);
      await assert.rejects(bytesOf(response));
      const receipt = await receiptOf(rig.gateway, response);
      assert.notEqual(receipt.status, "completed");
      assert.ok((receipt.usage.audio_bytes ?? 0) > 0);
    });
  }
}

const recording = `data:audio/wav;base64,${wav(tone(3)).toBase64()}`;
const input_references = [
  { type: "input_audio", input_audio: { data: recording } },
  { type: "text", text: "A tone." },
];

for (const row of rows) {
  const clones = row.mock === "mistral";
  Deno.test(`${row.model} ${clones ? "clones a voice" : "is asked to clone none"}`, async () => {
    await using rig = await rigOf(row);
    const response = await say(rig.gateway, row, { voice: undefined, input_references });
    const text = await response.text();
    if (!clones) {
      assert.ok([400, 404].includes(response.status), `${response.status} ${text}`);
      return assert.equal(rig.upstream.requested.length, 0);
    }
    assert.equal(response.status, 200, text);
    const body = rig.upstream.requested[0]?.body;
    assert.equal(body?.ref_audio, wav(tone(3)).toBase64());
    assert.equal(body?.voice_id, undefined);
  });
}

/** Texts beyond what a call takes, and the calls that they come to at least. */
const long: readonly (readonly [model: string, characters: number, calls: number])[] = [
  ["canopylabs/orpheus-v1-english", 560, 3],
  ["deepgram/aura-2", 4_200, 3],
  ["elevenlabs/eleven_multilingual_v2", 10_500, 2],
  ["azure-speech/neural", 1_400, 2],
  ["google/gemini-3.8-flash-tts", 2_800, 2],
];

for (const [model, characters, calls] of long) {
  Deno.test(`${model} speaks a long text in pieces, joined`, async () => {
    const row = rows.find((one) => one.model === model);
    assert.ok(row);
    await using rig = await rigOf(row);
    const sentence = "This sentence has seventy characters, which is not too many of them. ";
    const input = sentence.repeat(Math.ceil(characters / sentence.length)).slice(0, characters).trimEnd();
    const response = await say(rig.gateway, row, { input });
    const bytes = await bytesOf(response);
    assert.equal(response.status, 200, new TextDecoder().decode(bytes.subarray(0, 500)));
    assert.deepEqual(rig.upstream.complaints, []);
    assert.ok(rig.upstream.requested.length >= calls, `${rig.upstream.requested.length} calls`);
    const { seconds } = await heard(bytes, pcm);
    assert.ok(Math.abs(seconds / (input.length * SECONDS_A_CHARACTER) - 1) < 0.05, `${seconds} s`);
    if (row.mock === "elevenlabs") {
      const [first, second] = rig.upstream.requested;
      assert.equal(first?.body.previous_text, undefined);
      assert.ok(String(second?.body.text).startsWith(String(first?.body.next_text).slice(0, 50).trim()));
      assert.ok(String(first?.body.text).endsWith(String(second?.body.previous_text)));
    }
  });
}

Deno.test("a provider that dies in a long text's second piece breaks the answer off", async () => {
  const row = rows.find(({ mock }) => mock === "groq");
  assert.ok(row);
  await using rig = await rigOf(row, { fault: { status: 500 }, from: 1 });
  const response = await say(rig.gateway, row, { input: `${"Good morning to you all. ".repeat(12)}` });
  assert.equal(response.status, 200);
  await assert.rejects(bytesOf(response));
  const receipt = await receiptOf(rig.gateway, response);
  assert.notEqual(receipt.status, "completed");
  assert.ok(receipt.cost > 0);
});
