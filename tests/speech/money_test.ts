import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readError } from "../support/call.ts";
import { type Gateway, patientCrowd, startGateway } from "../support/gateway.ts";
import { receiptOf, spentBy } from "../money/rig.ts";
import type { Json } from "../support/event_stream.ts";
import { bytesOf, sound, speak, speaker, speakerAt, sse, stalling, tone, voiceModel } from "./rig.ts";

const priced = (pricing: Json, more: Json = {}) => [{ ...voiceModel, pricing, ...more }];

/** Prices, how long the sound is, and the nano-USD that "Good morning" costs. */
const prices: readonly (readonly [what: string, pricing: Json, cost: number, estimated: boolean])[] = [
  ["characters", { prompt: "0", completion: "0", character: "0.000015" }, 12 * 15_000, false],
  ["seconds", { prompt: "0", completion: "0", second: "0.0003" }, 2 * 300_000, false],
  // Three tokens of text; 25 for a second and a half of sound.
  ["tokens", { prompt: "0.000001", completion: "0.00001" }, 3 * 1_000 + 38 * 10_000, true],
  [
    "tokens of sound",
    { prompt: "0.000001", completion: "0", audio_output: "0.00001" },
    3 * 1_000 + 38 * 10_000,
    true,
  ],
  ["requests", { prompt: "0", completion: "0", request: "0.01" }, 10_000_000, false],
  ["nothing", { prompt: "0", completion: "0" }, 0, false],
];

for (const [what, pricing, cost, estimated] of prices) {
  Deno.test(`speech that is priced by ${what} is charged by it`, async () => {
    await using upstream = speaker(() => sound(tone(1.5)));
    const providers = [speakerAt(upstream.baseUrl, { models: priced(pricing) })];
    await using gateway = await startGateway({ providers });
    const key = await gateway.addKey({ kind: "api", limit: 5 });
    const response = await speak(gateway, { key });
    await bytesOf(response);
    const receipt = await receiptOf(gateway, response);
    assert.equal(receipt.cost, cost);
    assert.equal(receipt.estimated, estimated);
    assert.equal(await spentBy(gateway, key), cost);
    assert(receipt.reserved >= receipt.cost);
  });
}

Deno.test("a long text that is spoken in pieces is a request for each of them", async () => {
  await using upstream = speaker(() => sound(tone(0.1)));
  const models = priced({ prompt: "0", completion: "0", request: "0.01" }, { max_input_characters: 20 });
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
  const key = await gateway.addKey({ kind: "api", limit: 1 });
  const response = await speak(gateway, { key, body: { input: "The first one here. The second one. " } });
  await bytesOf(response);
  const receipt = await receiptOf(gateway, response);
  assert.equal(receipt.usage.calls, 2);
  assert.equal(receipt.cost, 20_000_000);
  assert.equal(receipt.reserved, 20_000_000);
});

Deno.test("a text costs what it was reserved for at most, also at the slowest speed", async () => {
  await using upstream = speaker(() => sound(tone(80)));
  const pricing = { prompt: "0.000001", completion: "0.00001", second: "0.001", character: "0.0001" };
  const providers = [speakerAt(upstream.baseUrl, { models: priced(pricing) })];
  await using gateway = await startGateway({ providers });
  const key = await gateway.addKey({ kind: "api", limit: 50 });
  const response = await speak(gateway, { key, body: { speed: 0.25 } });
  await bytesOf(response);
  const receipt = await receiptOf(gateway, response);
  assert.equal(receipt.overrun, 0);
  assert(receipt.cost <= receipt.reserved);
});

Deno.test("a key that is exhausted gets 402, and nobody is asked", async () => {
  await using upstream = speaker(() => sound(tone(0.1)));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const key = await gateway.addKey({ kind: "api", limit: 0.00012 });
  const first = await speak(gateway, { key });
  assert.equal(first.status, 200);
  await bytesOf(first);
  const second = await speak(gateway, { key });
  const { error } = await readError(second);
  assert.equal(second.status, 402);
  assert.deepEqual(Object.keys(error.metadata ?? {}).filter((name) => name.endsWith("_usd")).sort(), [
    "limit_usd",
    "reserved_usd",
    "spend_usd",
  ]);
  assert.equal(upstream.requested.length, 1);
  assert.equal((await receiptOf(gateway, second)).status, "refused");
});

Deno.test("GET /generation shows what speech has cost, and an error where nobody spoke", async () => {
  await using upstream = speaker((_, number) =>
    number === 0 ? sound(tone(0.5)) : new Response("", { status: 500 })
  );
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const first = await speak(gateway);
  await bytesOf(first);
  const shown = await fetch(`${gateway.url}/v1/generation?id=${first.headers.get("x-generation-id")}`, {
    headers: { authorization: `Bearer ${gateway.apiKey}` },
  });
  const { data } = await shown.json();
  assert.equal(data.api_type, "tts");
  assert.equal(data.total_cost, 0.00012);
  assert.equal(data.model, "mock/voice");
  assert.equal(data.streamed, true);
  const second = await speak(gateway, { headers: { "x-service-metadata": "enabled" } });
  const { body } = await readError(second);
  assert.equal(second.status, 502);
  assert.match(JSON.stringify(body.service_metadata), /"requested":"mock\/voice"/);
});

Deno.test("a model without a price is refused under a limit, and free of charge without one", async () => {
  await using upstream = speaker(() => sound(tone(0.1)));
  const models = priced({}, { pricing: undefined });
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
  const key = await gateway.addKey({ kind: "api", limit: 1 });
  const refused = await speak(gateway, { key });
  assert.equal(refused.status, 404);
  assert.match(String((await readError(refused)).error.message), /price/);
  const response = await speak(gateway);
  await bytesOf(response);
  assert.equal((await receiptOf(gateway, response)).unpriced, true);
});

/** Tells what it has metered: a third of what had to be reserved. */
function metering(): Response {
  const usage = { input_tokens: 30, output_tokens: 90 };
  return sse([
    { type: "speech.audio.delta", audio: tone(0.1).toBase64() },
    { type: "speech.audio.done", usage },
  ]);
}

async function race(gateway: Gateway, key: string): Promise<readonly number[]> {
  const one = async () => {
    const response = await speak(gateway, { key });
    await bytesOf(response);
    return response.status;
  };
  return await Promise.all(Array.from({ length: 400 }, one));
}

Deno.test("400 requests at once for a limit of 40 spend no nano-dollar more, and serve nearly all of the 40", async () => {
  await using upstream = speaker(metering);
  const pricing = { prompt: "0.000001", completion: "0.00001" };
  const models = priced(pricing, { speech_events: true, max_output_tokens: 270 });
  const providers = [speakerAt(upstream.baseUrl, { models })];
  await using gateway = await startGateway({ providers, limits: patientCrowd });
  const cost = 30 * 1_000 + 90 * 10_000;
  const key = await gateway.addKey({ kind: "api", limit: 40 * cost / 1e9 });
  const statuses = await race(gateway, key);
  const served = statuses.filter((status) => status === 200).length;
  assert.deepEqual([...new Set(statuses)].sort(), [200, 402]);
  const spent = await spentBy(gateway, key);
  assert.equal(spent, served * cost);
  assert(spent <= 40 * cost);
  assert(served >= 36, `${served} were served`);
  assert.equal(upstream.requested.length, served);
});

Deno.test("a key that is disabled ends its speech", async () => {
  const stall = stalling(tone(0.1));
  await using upstream = speaker(stall.answer);
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const key = await gateway.addKey({ kind: "api", limit: 1 });
  const response = await speak(gateway, { key });
  const read = assert.rejects(bytesOf(response));
  const hash = createHash("sha256").update(key).digest("hex");
  const patched = await fetch(`${gateway.url}/v1/keys/${hash}?abort=true`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${gateway.managementKey}`, "content-type": "application/json" },
    body: JSON.stringify({ disabled: true }),
  });
  assert.equal(patched.status, 200);
  await patched.body?.cancel();
  await read;
  assert.equal(stall.ended(), true);
});

Deno.test("rate limits hold for speech, and stand in its headers", async () => {
  await using upstream = speaker(() => sound(tone(0.1)));
  await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)] });
  const key = await gateway.addKey({ kind: "api" });
  const hash = createHash("sha256").update(key).digest("hex");
  const set = await fetch(`${gateway.url}/v1/keys/${hash}/rate-limits`, {
    method: "PUT",
    headers: { authorization: `Bearer ${gateway.managementKey}`, "content-type": "application/json" },
    body: JSON.stringify({ requests_per_minute: 1 }),
  });
  assert.equal(set.status, 200, await set.text());
  const first = await speak(gateway, { key });
  await bytesOf(first);
  assert.equal(first.headers.get("x-ratelimit-limit"), "1");
  assert.equal(first.headers.get("x-ratelimit-remaining"), "0");
  const second = await speak(gateway, { key });
  assert.equal(second.status, 429);
  assert.match(second.headers.get("retry-after") ?? "", /^\d+$/);
  await second.body?.cancel();
});
