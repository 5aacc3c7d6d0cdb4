import assert from "node:assert/strict";
import { OpenRouter } from "@openrouter/sdk";
import {
  BadRequestResponseError,
  NotFoundResponseError,
  PaymentRequiredResponseError,
} from "@openrouter/sdk/models/errors";
import OpenAI from "openai";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { bytesOf, sound, speak, speaker, speakerAt, tone, voiceModel, wav } from "./rig.ts";

/** Half a second, as whatever was asked for; a client that asks for MP3 gets what a gateway makes of it. */
const half = tone(0.5);

async function withClients(test: (clients: Clients) => Promise<void>): Promise<void> {
  await using upstream = speaker(() => sound(half));
  const models = [{
    ...voiceModel,
    supported_voices: ["alloy"],
    default_voice: "alloy",
    speech_formats: ["pcm"],
  }];
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
  await test({ gateway, ...clientsOf(gateway, gateway.apiKey) });
}

interface Clients {
  readonly gateway: Gateway;
  readonly openai: OpenAI;
  readonly openrouter: OpenRouter;
}

function clientsOf({ url }: Gateway, apiKey: string): Omit<Clients, "gateway"> {
  return {
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }),
    openrouter: new OpenRouter({ serverURL: `${url}/api/v1`, apiKey, retryConfig: { strategy: "none" } }),
  };
}

const requested = { model: "mock/voice", voice: "alloy", input: "Good morning" } as const;

const isMp3 = (bytes: Uint8Array) => bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0;

Deno.test("openai audio.speech.create gets raw samples", async () => {
  await withClients(async ({ openai }) => {
    const response = await openai.audio.speech.create({ ...requested, response_format: "pcm" });
    assert.equal(response.headers.get("content-type"), "audio/pcm");
    assert.deepEqual(await bytesOf(response), half);
  });
});

Deno.test("openai audio.speech.create gets MP3", async () => {
  await withClients(async ({ openai }) => {
    const response = await openai.audio.speech.create({ ...requested, response_format: "mp3", speed: 1.25 });
    assert.equal(response.headers.get("content-type"), "audio/mpeg");
    assert(isMp3(await bytesOf(response)));
  });
});

Deno.test("openai audio.speech.create streams, with instructions and a format for the stream", async () => {
  await withClients(async ({ openai }) => {
    const response = await openai.audio.speech.create({
      ...requested,
      response_format: "pcm",
      stream_format: "audio",
      instructions: "Whisper.",
    });
    let length = 0;
    for await (const bytes of response.body ?? []) length += bytes.length;
    assert.equal(length, half.length);
  });
});

Deno.test("openai audio.speech.create tells what is wrong", async () => {
  await withClients(async ({ openai, gateway }) => {
    const wrong = openai.audio.speech.create({ ...requested, response_format: "opus" });
    await assert.rejects(
      wrong,
      (error) => error instanceof OpenAI.BadRequestError && /allowed: mp3, pcm/.test(error.message),
    );
    const key = await gateway.addKey({ kind: "api", limit: 0 });
    const poor = clientsOf(gateway, key).openai.audio.speech.create({ ...requested, response_format: "pcm" });
    await assert.rejects(poor, (error) => error instanceof OpenAI.APIError && error.status === 402);
  });
});

async function read(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return await bytesOf(new Response(stream));
}

Deno.test("@openrouter/sdk tts.createSpeech gets raw samples, and MP3", async () => {
  await withClients(async ({ openrouter }) => {
    const plain = await openrouter.tts.createSpeech({ speechRequest: { ...requested } });
    assert.deepEqual(await read(plain), half);
    const mp3 = await openrouter.tts.createSpeech({ speechRequest: { ...requested, responseFormat: "mp3" } });
    assert(isMp3(await read(mp3)));
  });
});

Deno.test("@openrouter/sdk tts.createSpeech sends every field that it knows", async () => {
  await withClients(async ({ openrouter }) => {
    const { voice: _, ...unvoiced } = requested;
    const stream = await openrouter.tts.createSpeech({
      speechRequest: {
        ...unvoiced,
        speed: 2,
        user: "somebody",
        sessionId: "session-1",
        provider: { options: { openai: { instructions: "Whisper." } } },
        trace: { traceId: "trace-1" },
      },
    });
    assert.equal((await read(stream)).length, half.length);
  });
});

Deno.test("@openrouter/sdk tts.createSpeech knows its errors", async () => {
  await withClients(async ({ openrouter, gateway }) => {
    const wrong = openrouter.tts.createSpeech({ speechRequest: { ...requested, speed: 9 } });
    await assert.rejects(wrong, BadRequestResponseError);
    const key = await gateway.addKey({ kind: "api", limit: 0 });
    const poor = clientsOf(gateway, key).openrouter.tts.createSpeech({ speechRequest: { ...requested } });
    await assert.rejects(poor, PaymentRequiredResponseError);
  });
});

Deno.test("@openrouter/sdk tts.createSpeech sends a recording, which nobody here clones", async () => {
  await withClients(async ({ openrouter }) => {
    const data = wav(tone(2)).toBase64();
    const cloned = openrouter.tts.createSpeech({
      speechRequest: {
        ...requested,
        inputReferences: [{ type: "input_audio", inputAudio: { data } }, { type: "text", text: "Hello" }],
      },
    });
    await assert.rejects(cloned, NotFoundResponseError);
  });
});

Deno.test("a browser may read how the sound is to be played", async () => {
  await withClients(async ({ gateway }) => {
    const response = await speak(gateway, { headers: { origin: "https://app.example" } });
    await bytesOf(response);
    const exposed = response.headers.get("access-control-expose-headers") ?? "";
    for (const name of ["X-Audio-Sample-Rate", "X-Audio-Channels", "X-Generation-Id"]) {
      assert(exposed.includes(name), name);
    }
  });
});
