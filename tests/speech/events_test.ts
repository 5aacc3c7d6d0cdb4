/** `stream_format: "sse"`: the sound as events, as OpenAI documents them. */

import assert from "node:assert/strict";
import OpenAI from "openai";
import { readError } from "../support/call.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { newestReceipt, receiptOf } from "../money/rig.ts";
import { bytesOf, sound, speak, speaker, speakerAt, sse, tone, voiceModel } from "./rig.ts";

const events = { stream_format: "sse" };

/** The events of an answer, which are data lines and nothing else. */
function eventsIn(text: string): readonly Json[] {
  assert.match(text, /\n\n$/);
  return text.trimEnd().split("\n\n").map((frame) => {
    assert.match(frame, /^data: /);
    return asObject(JSON.parse(frame.slice(6)));
  });
}

function audioIn(all: readonly Json[]): Uint8Array {
  const chunks = all.filter(({ type }) => type === "speech.audio.delta");
  return new Uint8Array(chunks.flatMap(({ audio }) => [...Uint8Array.fromBase64(String(audio))]));
}

Deno.test("POST /audio/speech sends the same sound as events, with the tokens at the end", async () => {
  await using upstream = speaker(() => sound(tone(0.5)));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const plain = await bytesOf(await speak(gateway));
  const response = await speak(gateway, { body: events });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.equal(response.headers.get("x-audio-sample-rate"), "24000");
  const all = eventsIn(await response.text());
  assert.deepEqual(audioIn(all), plain);
  const { type, usage } = all.at(-1) ?? {};
  assert.equal(type, "speech.audio.done");
  const { input_tokens: input, output_tokens: output, total_tokens: total } = asObject(usage);
  assert(Number(input) > 0 && Number(output) > 0);
  assert.equal(Number(input) + Number(output), total);
  assert(all.slice(0, -1).every((one) => one.type === "speech.audio.delta"));
  assert.equal(upstream.requested[1]?.body.stream_format, undefined, "the provider has no part in it");
  const receipt = await receiptOf(gateway, response);
  assert.equal(receipt.status, "completed");
  assert.equal(receipt.cost, 120_000);
});

Deno.test("POST /audio/speech ends events with what a provider of events has metered", async () => {
  const usage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
  const samples = tone(0.4);
  await using upstream = speaker(() =>
    sse([
      { type: "speech.audio.delta", audio: samples.toBase64() },
      { type: "speech.audio.done", usage },
    ])
  );
  const models = [{ ...voiceModel, speech_events: true }];
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
  const all = eventsIn(await (await speak(gateway, { body: events })).text());
  assert.deepEqual(audioIn(all), samples);
  assert.deepEqual(all.at(-1), { type: "speech.audio.done", usage });
});

Deno.test("POST /audio/speech ends events that break off in an error, and never in a done", async () => {
  const heard = Promise.withResolvers<void>();
  const frame = (event: Json) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);
  await using upstream = speaker(() => {
    const body = new ReadableStream({
      start: async (controller) => {
        controller.enqueue(frame({ type: "speech.audio.delta", audio: tone(0.4).toBase64() }));
        await heard.promise;
        controller.enqueue(
          frame({ type: "error", error: { type: "server_error", message: "The voice is gone." } }),
        );
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const models = [{ ...voiceModel, speech_events: true }];
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
  const response = await speak(gateway, { body: events });
  assert.equal(response.status, 200);
  heard.resolve();
  const all = eventsIn(await response.text());
  assert.equal(all[0]?.type, "speech.audio.delta");
  const { type, error } = all.at(-1) ?? {};
  assert.equal(type, "error");
  assert.match(String(asObject(error).message), /The voice is gone/);
  assert.equal((await receiptOf(gateway, response)).status, "failed");
});

Deno.test("POST /audio/speech answers with a status where nothing was heard, events or not", async () => {
  await using upstream = speaker(() => Response.json({ error: { message: "Broken" } }, { status: 500 }));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  assert.equal((await readError(await speak(gateway, { body: events }))).status, 502);
  const { status, message } = await readError(await speak(gateway, { body: { stream_format: "frames" } }));
  assert.equal(status, 400);
  assert.match(message, /^stream_format .*audio.*sse/);
});

Deno.test("openai audio.speech.create streams events", async () => {
  await using upstream = speaker(() => sound(tone(0.5)));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });
  const response = await openai.audio.speech.create({
    model: "mock/voice",
    input: "Good morning",
    voice: "alloy",
    response_format: "mp3",
    stream_format: "sse",
  });
  const all = eventsIn(await response.text());
  assert.equal(all.at(-1)?.type, "speech.audio.done");
  assert.equal(audioIn(all)[0], 0xff, "MP3 begins with its mark");
});

Deno.test("POST /audio/speech ends the provider's answer when a reader of events leaves", async () => {
  const over = Promise.withResolvers<void>();
  await using upstream = speaker(() => {
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => controller.enqueue(tone(0.1));
    const body = new ReadableStream({ pull, cancel: () => over.resolve() }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "audio/pcm" } });
  });
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const response = await speak(gateway, { body: { ...events, input: "A long text. ".repeat(300) } });
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await over.promise;
  // The receipt follows the end of the provider's answer.
  const { id, status } = await newestReceipt(gateway);
  assert.deepEqual([id, status], [response.headers.get("x-generation-id"), "cancelled"]);
});
