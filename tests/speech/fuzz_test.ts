/** Damaged requests for speech: each is answered, and none is our fault. */

import assert from "node:assert/strict";
import { mutatedFrom, type MutatedRequest } from "../fuzz/mutate.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { sound, speaker, speakerAt, tone, voiceModel, wav } from "./rig.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const count = runs(2_000);

const recording = wav(tone(1, 8_000), 8_000).toBase64();

/** Every field, in every form that it has. */
const corpus = [
  { model: "mock/voice", input: "Good morning", voice: "alloy" },
  {
    model: "mock/voice",
    models: ["mock/voice", "mock/other"],
    input: "Guten Morgen, Köln 🎉. Wie geht es?",
    voice: { id: "voice_1" },
    response_format: "pcm",
    speed: 1.5,
    instructions: "Whisper.",
    stream_format: "audio",
    session_id: "session",
    user: "user",
    trace: { trace_id: "trace", more: [1, 2] },
    provider: {
      options: { mock: { seed: 1, nested: { deep: [true] } }, other: {} },
      order: ["mock"],
      only: ["mock"],
      ignore: [],
      allow_fallbacks: true,
      sort: { by: "price", partition: "none" },
      max_price: { request: 1 },
      quantizations: ["fp8"],
      data_collection: "allow",
    },
  },
  {
    model: "mock/voice",
    input: "A voice of my own",
    voice: null,
    response_format: "mp3",
    input_references: [
      { type: "input_audio", input_audio: { data: `data:audio/wav;base64,${recording}`, format: "wav" } },
      { type: "text", text: "What I said" },
    ],
  },
  {
    model: "mock/voice",
    input: "Another",
    input_references: { type: "input_audio", input_audio: { data: recording } },
  },
].map((body) => JSON.stringify(body));

/** Short sound, so that what is tried is the request. */
const short = tone(0.02);

async function send({ text }: MutatedRequest, { app, apiKey }: Gateway): Promise<number> {
  const response = await app.fetch(
    new Request("http://localhost/v1/audio/speech", {
      method: "POST",
      headers: { host: "localhost", authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: text,
    }),
  );
  const { status } = response;
  if (status === 200) {
    assert.match(response.headers.get("content-type") ?? "", /^audio\/(mpeg|pcm)$/);
    assert((await response.arrayBuffer()).byteLength > 0);
    return status;
  }
  const body = await response.text();
  assert([400, 404, 413].includes(status), `status ${status}: ${body.slice(0, 500)}`);
  const { code, message, metadata } = asObject(asObject(JSON.parse(body)).error);
  assert.equal(code, status);
  assert(typeof message === "string" && message.length < 5_000 && message.isWellFormed());
  // A body that is too large as a whole has no place in it.
  const hasPlace = status !== 404 && !message.startsWith("The body is larger");
  if (hasPlace) assert.equal(typeof asObject(metadata).path, "string", body.slice(0, 500));
  return status;
}

Deno.test(`POST /audio/speech answers ${count} damaged requests without a 5xx`, async () => {
  await using upstream = speaker(() => sound(short));
  const models = [{
    ...voiceModel,
    default_voice: "alloy",
    speech_formats: ["pcm"],
    supports_voice_cloning: true,
  }];
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
  const seen = new Map<number, number>();
  for (const mutated of mutatedFrom({ seed, count, corpus })) {
    try {
      const status = await send(mutated, gateway);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    } catch (cause) {
      const what = `SEED=${seed}: ${mutated.done.join(", ")}\n${mutated.text.slice(0, 2_000)}`;
      throw new Error(what, { cause });
    }
  }
  for (const status of [200, 400]) {
    assert((seen.get(status) ?? 0) > count / 50, `too few are ${status}: ${seen.get(status)}`);
  }
  assert(!("polluted" in {}));
  assert.deepEqual(gateway.logged.filter((line) => line.includes('"level":"error"')), []);
});
