/** The embedded voice, from a fresh gateway and over the API that clients use. */

import assert from "node:assert/strict";
import { measureAudio } from "../../server/speech/audio/measure.ts";
import { sourceFrom } from "../../server/protocols/stream/source.ts";
import type { Json } from "../support/event_stream.ts";
import { readError } from "../support/call.ts";
import { noVoices } from "../support/embedded.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { receiptOf } from "../money/rig.ts";
import { bytesOf, speak } from "./rig.ts";

const withVoice = async (test: (gateway: Gateway) => Promise<void>) => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  await test(gateway);
};

const text = "The quick brown fox jumps over the lazy dog, and nobody is surprised.";

async function received(gateway: Gateway, body: Json = {}) {
  const response = await speak(gateway, {
    body: { model: "local/voice", voice: "en", input: text, ...body },
  });
  assert.equal(response.status, 200, response.ok ? "" : await response.text());
  const bytes = await bytesOf(response);
  const [sampleRate = 0, channels = 0] = ["sample-rate", "channels"].map((name) =>
    Number(response.headers.get(`x-audio-${name}`))
  );
  const mp3 = response.headers.get("content-type") === "audio/mpeg";
  const from = mp3 ? { type: "mp3" } as const : { type: "pcm", sampleRate, channels } as const;
  const heard = await measureAudio({ source: sourceFrom([bytes]), from });
  assert.equal(heard.sampleRate, sampleRate);
  assert(heard.loudness > 0.01, `loudness ${heard.loudness}`);
  return { response, bytes, seconds: heard.seconds };
}

const stories: Readonly<Record<string, (gateway: Gateway) => Promise<void>>> = {
  "speaks MP3 and PCM of the same length, free of charge, also under a limit": async (gateway) => {
    const mp3 = await received(gateway, { response_format: "mp3" });
    const pcm = await received(gateway);
    assert.equal(mp3.response.headers.get("content-type"), "audio/mpeg");
    assert.equal(pcm.response.headers.get("content-type"), "audio/pcm");
    assert(Math.abs(mp3.seconds - pcm.seconds) < 0.15, `${mp3.seconds} s, ${pcm.seconds} s`);
    assert(pcm.seconds > 2.5 && pcm.seconds < 8, `${pcm.seconds} s`);
    const key = await gateway.addKey({ kind: "api", limit: 0 });
    const free = await speak(gateway, { key, body: { model: "local/voice", voice: "de", input: "Hallo" } });
    assert.equal(free.status, 200);
    await bytesOf(free);
    const receipt = await receiptOf(gateway, free);
    assert.equal(receipt.cost, 0);
    assert.equal(receipt.unpriced, false);
    assert.equal(receipt.usage.characters, 5);
  },
  "says different texts differently, and twice as fast in half the time": async (gateway) => {
    const one = await received(gateway);
    const other = await received(gateway, { input: text.replace("fox", "cow") });
    assert.notDeepEqual(one.bytes, other.bytes);
    const fast = await received(gateway, { speed: 2 });
    assert(Math.abs(fast.seconds / one.seconds - 0.5) < 0.08, `${fast.seconds} of ${one.seconds} s`);
  },
  "speaks without a voice being named, and lists those that it has": async (gateway) => {
    await received(gateway, { voice: undefined });
    const wrong = await speak(gateway, { body: { model: "local/voice", voice: "klingonese" } });
    assert.equal(wrong.status, 400);
    assert.match((await readError(wrong)).message, /voice/);
    const response = await fetch(`${gateway.url}/v1/models?output_modalities=speech`, {
      headers: { authorization: `Bearer ${gateway.apiKey}` },
    });
    const [model] = (await response.json()).data;
    assert.equal(model.id, "local/voice");
    for (const voice of ["en", "en-us", "de", "fr"]) assert(model.supported_voices.includes(voice), voice);
  },
  "speaks a text of many sentences": async (gateway) => {
    const { seconds, response } = await received(gateway, {
      input: "One more sentence is spoken here. ".repeat(200),
    });
    assert(seconds > 200, `${seconds} s`);
    assert.equal((await receiptOf(gateway, response)).status, "completed");
  },
};

for (const [name, run] of Object.entries(stories)) {
  Deno.test({ name: `local/voice ${name}`, ignore: noVoices, fn: () => withVoice(run) });
}
