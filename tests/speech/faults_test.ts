import assert from "node:assert/strict";
import { readError } from "../support/call.ts";
import { fakeClock, turns } from "../support/clock.ts";
import { startGateway } from "../support/gateway.ts";
import { runOut } from "../support/run_out.ts";
import { pause, until } from "../support/until.ts";
import { receiptOf } from "../money/rig.ts";
import {
  bytesOf,
  lastReceipt,
  RATE,
  sound,
  speak,
  speaker,
  speakerAt,
  sse,
  stalling,
  tone,
  voiceModel,
  voicePrice,
  wav,
} from "./rig.ts";

const two = (first: string, second: string) => [
  speakerAt(first, { id: "p0", name: "First" }),
  speakerAt(second, { id: "p1", name: "Second" }),
];
const firstOf = { provider: { order: ["p0", "p1"] } };

/** A provider's error, what the client gets of it, and its words. */
const refusals: readonly (readonly [status: number, body: string, told: number, words: RegExp])[] = [
  [400, '{"error":{"message":"voice is wrong","param":"voice"}}', 400, /voice is wrong/],
  [422, '{"detail":[{"loc":["body","voice"],"msg":"no such voice"}]}', 400, /voice: no such voice/],
  [401, '{"error":{"message":"bad key sk-abc"}}', 502, /status 401: it is wrong, expired or disabled/],
  [402, '{"error":{"message":"top up"}}', 502, /status 402: its account has no money/],
  [404, '{"error":{"message":"no such model"}}', 404, /no such model/],
  [429, '{"error":{"message":"slow down"}}', 429, /slow down/],
  [500, "<html><title>Oops</title></html>", 502, /Oops/],
  [503, "", 503, /503/],
  [529, '{"error":{"message":"Overloaded"}}', 529, /Overloaded/],
  [302, "", 502, /redirect/],
];

for (const [status, body, reported, words] of refusals) {
  Deno.test(`a provider's ${status} is ${reported} for who asks for speech, and costs nothing`, async () => {
    await using upstream = speaker(() => new Response(body, { status, headers: { location: "/x" } }));
    await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
    const response = await speak(gateway);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    assert.match(response.headers.get("x-generation-id") ?? "", /^gen-/);
    const { error } = await readError(response);
    assert.equal(response.status, reported);
    assert.match(String(error.message), words);
    const receipt = await receiptOf(gateway, response);
    assert.equal(receipt.cost, 0);
    assert.equal(receipt.status, "failed");
  });
}

const silences: readonly (readonly [what: string, answer: () => Response])[] = [
  ["nothing", () => sound(new Uint8Array(0))],
  ["an error with a status of 200", () => Response.json({ error: { message: "broken" } })],
  ["a page", () => new Response("<html></html>", { headers: { "content-type": "text/html" } })],
  ["what is no sound", () => sound(new TextEncoder().encode("not a wave at all"), "audio/wav")],
  ["events without sound", () => sse([{ type: "speech.audio.done" }])],
  ["an error as an event", () => sse([{ error: { message: "broken" } }])],
  ["events that are cut off", () => sse([])],
];

for (const [what, answer] of silences) {
  Deno.test(`a provider that answers with ${what} gives way to the next one`, async () => {
    await using first = speaker(answer);
    await using second = speaker(() => sound(tone(0.1)));
    await using gateway = await startGateway({ providers: two(first.baseUrl, second.baseUrl) });
    const response = await speak(gateway, { body: firstOf });
    assert.deepEqual(await bytesOf(response), tone(0.1));
    const receipt = await receiptOf(gateway, response);
    assert.equal(receipt.provider, "Second");
    assert.deepEqual(receipt.attempts.map(({ provider }) => provider), ["First", "Second"]);
    assert.equal(receipt.cost, 120_000);
  });
}

Deno.test("another model stands in for one that fails", async () => {
  await using first = speaker(() => new Response("", { status: 500 }));
  await using second = speaker(() => sound(tone(0.1)));
  const other = [{ ...voiceModel, id: "other/voice" }];
  await using gateway = await startGateway({
    providers: [
      speakerAt(first.baseUrl, { id: "p0" }),
      speakerAt(second.baseUrl, { id: "p1", models: other }),
    ],
  });
  const response = await speak(gateway, { body: { models: ["other/voice"] } });
  assert.equal((await bytesOf(response)).length, tone(0.1).length);
  assert.equal((await receiptOf(gateway, response)).model, "other/voice");
  const alone = await speak(gateway, { body: { model: undefined, models: ["mock/voice", "other/voice"] } });
  assert.equal((await bytesOf(alone)).length, tone(0.1).length);
  assert.equal((await receiptOf(gateway, alone)).model, "other/voice");
});

Deno.test("a voice that one endpoint does not have is spoken by another", async () => {
  await using first = speaker(() => sound(tone(0.1)));
  await using second = speaker(() => sound(tone(0.2)));
  const voices = (...names: readonly string[]) => [{ ...voiceModel, supported_voices: names }];
  await using gateway = await startGateway({
    providers: [
      speakerAt(first.baseUrl, { id: "p0", models: voices("nova") }),
      speakerAt(second.baseUrl, { id: "p1", models: voices("alloy") }),
    ],
  });
  const response = await speak(gateway, { body: firstOf });
  assert.equal((await bytesOf(response)).length, tone(0.2).length);
  assert.equal(first.requested.length, 0);
  const nobody = await readError(await speak(gateway, { body: { voice: "onyx" } }));
  assert.equal(nobody.error.code, 400);
  assert.match(String(nobody.error.message), /voice is "onyx"; allowed: (nova|alloy)/);
});

/** Half a second of sound, and then the connection is gone. */
function cut(): Response {
  let sent = false;
  const body = new ReadableStream({
    pull(controller) {
      if (sent) return controller.error(new Error("cut"));
      sent = true;
      controller.enqueue(tone(0.5));
    },
  });
  return new Response(body, { headers: { "content-type": "audio/pcm" } });
}

Deno.test("a provider that dies in mid-audio breaks the client's connection, and the receipt says how far it came", async () => {
  await using upstream = speaker(cut);
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const input = "Good morning to all of you who are listening to this";
  const response = await speak(gateway, { body: { input } });
  assert.equal(response.status, 200);
  await assert.rejects(bytesOf(response));
  const receipt = await lastReceipt(gateway);
  assert.equal(receipt.status, "failed");
  assert.equal(receipt.error?.kind, "upstream_failed");
  assert.equal(receipt.usage.audio_bytes, RATE);
  assert.equal(receipt.usage.characters, 8);
  assert.equal(receipt.cost, 80_000);
  assert.equal(receipt.estimated, true);
});

Deno.test("sound that is shorter than its head says is no whole answer", async () => {
  await using upstream = speaker(() => sound(wav(tone(1)).slice(0, 30_000), "audio/wav"));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const response = await speak(gateway);
  await assert.rejects(bytesOf(response));
  assert.equal((await lastReceipt(gateway)).status, "failed");
});

Deno.test("a client that leaves ends the provider's call, and pays for the text", async () => {
  const stall = stalling(tone(0.5));
  await using upstream = speaker(stall.answer);
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const abort = new AbortController();
  const response = await speak(gateway, { signal: abort.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  abort.abort();
  await reader?.read().catch(() => {
    // That is what an aborted request says.
  });
  await until(() => stall.ended(), { what: "that the provider's call has ended" });
  const receipt = await lastReceipt(gateway);
  assert.equal(receipt.status, "cancelled");
  assert.equal(receipt.cost, 120_000);
  assert.equal(receipt.usage.audio_bytes, RATE);
});

Deno.test("a client that leaves before the first sound pays for the text, too", async () => {
  const stall = stalling();
  await using upstream = speaker(stall.answer);
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const abort = new AbortController();
  const requested = speak(gateway, { signal: abort.signal });
  await until(() => upstream.requested.length === 1);
  // The API begins to watch slow requests after 50 ms.
  await pause(80);
  abort.abort();
  await assert.rejects(requested);
  await until(() => stall.ended());
  const receipt = await lastReceipt(gateway);
  assert.equal(receipt.status, "cancelled");
  assert.equal(receipt.cost, 120_000);
});

Deno.test("a provider that says nothing is 524, one that falls silent breaks the connection", async (t) => {
  const clock = fakeClock();
  await t.step("nothing", async () => {
    const stall = stalling();
    await using upstream = speaker(stall.answer);
    await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)], clock });
    const once = () => upstream.requested.length === 1;
    const { value: response } = await runOut(speak(gateway), { clock, once });
    assert.equal(response.status, 524);
    await response.body?.cancel();
    await until(() => stall.ended());
  });
  await t.step("silent", async () => {
    const stall = stalling(tone(0.1));
    await using upstream = speaker(stall.answer);
    await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)], clock });
    const response = await speak(gateway);
    const read = bytesOf(response).then(() => "whole", () => "broken");
    assert.equal((await runOut(read, { clock, once: turns })).value, "broken");
    assert.equal((await lastReceipt(gateway)).error?.status, 524);
  });
});

Deno.test("a provider that speaks on and on is cut", async () => {
  let ended = false;
  const body = () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(tone(1)),
      cancel: () => {
        ended = true;
      },
    });
  await using upstream = speaker(() => new Response(body(), { headers: { "content-type": "audio/pcm" } }));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  await assert.rejects(bytesOf(await speak(gateway)));
  const receipt = await lastReceipt(gateway);
  assert.match(receipt.error?.message ?? "", /longer than a text of this length can last/);
  // Twelve characters, and what may be silence around them.
  assert((receipt.usage.seconds ?? 0) < 25, `${receipt.usage.seconds} s`);
  await until(() => ended);
});

Deno.test("a piece that fails in the middle of a long text breaks the connection", async () => {
  await using upstream = speaker((_, number) =>
    number === 0 ? sound(tone(0.5)) : new Response("", { status: 500 })
  );
  const models = [{ ...voiceModel, max_input_characters: 20, pricing: voicePrice }];
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
  const response = await speak(gateway, { body: { input: "The first sentence. The second sentence. " } });
  assert.equal(response.status, 200);
  await assert.rejects(bytesOf(response));
  const receipt = await lastReceipt(gateway);
  assert.equal(receipt.status, "failed");
  assert(receipt.cost > 0 && receipt.cost <= 200_000, `${receipt.cost}`);
});
