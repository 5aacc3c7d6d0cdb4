/** `POST /providers/{slug}/test`: one short call of a provider, as a receipt of the gateway's own key. */

import assert from "node:assert/strict";
import { pricedAt } from "../money/rig.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { readJson } from "../support/call.ts";
import { says, type Script, scripted } from "../support/scripted.ts";

const SECRET = "sk-planted-secret-0123456789";

interface TestCall {
  readonly body?: Json;
  readonly slug?: string;
}

async function test(gateway: Gateway, { body = { model: "mock/model" }, slug = "mock" }: TestCall = {}) {
  return await managed(gateway, { call: `POST /providers/${slug}/test`, body });
}

function providersAt(baseUrl: string) {
  return [pricedAt(baseUrl, { wire: "chat", headers: { "x-extra": SECRET } })];
}

Deno.test("POST /providers/{slug}/test makes one call of 16 tokens with a key of its own, and tells what came", async () => {
  await using upstream = scripted(says("chat", "Hello there."));
  await using gateway = await startGateway({ providers: providersAt(upstream.baseUrl) });
  const { status, body } = await test(gateway);
  assert.equal(status, 200, JSON.stringify(body));
  const { receipt_id, latency_ms, total_ms, ...told } = asObject(body.data);
  assert.deepEqual(told, {
    ok: true,
    provider: "mock",
    model: "mock/model",
    endpoint_id: "mock|mock/model|upstream-model",
    status: 200,
    answer: "Hello there.",
    error: null,
  });
  assert(Number(latency_ms) >= 0 && Number(total_ms) >= Number(latency_ms));
  const [sent] = upstream.requested;
  assert.match(JSON.stringify(sent), /"max(?:_completion)?_tokens":16/);
  await test(gateway);
  const keys = asList((await managed(gateway, { call: "GET /keys" })).body.data).map(asObject);
  const own = keys.filter(({ name }) => name === "Provider tests");
  assert.equal(own.length, 1, "it is made once, and listed");
  const { body: found } = await managed(gateway, { call: `GET /receipts?id=${receipt_id}` });
  const [receipt] = asList(found.data).map(asObject);
  assert.deepEqual([receipt?.key_hash, receipt?.status], [own[0]?.hash, "completed"]);
  const audit = asList((await managed(gateway, { call: "GET /audit" })).body.data).map(asObject);
  const operations = audit.map(({ operation }) => operation);
  assert.deepEqual(operations.filter((one) => one === "providers.test").length, 2);
  assert.deepEqual(operations.filter((one) => one === "keys.create").length, 1);
});

const repeatsKeys = (status: number) =>
  Response.json({ error: { message: `Bad key ${SECRET}\r\n<script> sk-test-provider-0123456789` } }, {
    status,
  });

const failures: readonly (readonly [name: string, script: Script, status: number | null, error: RegExp])[] = [
  ["a refused key", () => repeatsKeys(401), 401, /refuses the gateway's key \(status 401/],
  ["an account without money", () => repeatsKeys(402), 402, /no money or no quota left/],
  ["an error that repeats keys", () => repeatsKeys(500), 500, /Bad key \[redacted\] <script>/],
  ["a limit", () => Response.json({ error: { message: "Slow down." } }, { status: 429 }), 429, /Slow down\./],
  ["what is no JSON", () => new Response("<html>", { status: 200 }), 200, /./],
];

for (const [name, script, status, error] of failures) {
  Deno.test(`POST /providers/{slug}/test tells of ${name} without a secret`, async () => {
    await using upstream = scripted(script);
    await using gateway = await startGateway({ providers: providersAt(upstream.baseUrl) });
    const answer = await test(gateway);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const told = asObject(answer.body.data);
    assert.deepEqual([told.ok, told.status, told.answer], [false, status, null], JSON.stringify(told));
    assert.match(String(told.error), error);
    const text = JSON.stringify(answer.body) + gateway.logged.join("\n");
    for (const secret of [SECRET, "sk-test-provider"]) assert.equal(text.includes(secret), false, secret);
    assert.doesNotMatch(String(told.error), /[\r\n]/);
  });
}

Deno.test("POST /providers/{slug}/test refuses what reaches no provider, and asks nobody", async () => {
  await using upstream = scripted(says("chat", "Hello there."));
  await using gateway = await startGateway({
    providers: providersAt(upstream.baseUrl),
    env: { TOLLGATE_LOCAL: "on" },
  });
  const cases = [
    [{ model: "mock/model" }, "constructor", 404],
    [{ model: "mock/model" }, "%2E%2E%2Fmock", 400],
    [{ model: "mock/none" }, "mock", 404],
    [{ model: "local/echo" }, "mock", 404],
    [{ model: "fault/503" }, "fault", 404],
    [{ model: "local/echo" }, "*", 404],
    [{ model: "" }, "mock", 400],
    [{}, "mock", 400],
    [{ model: "mock/model", input: "Hi" }, "mock", 400],
    [{ model: "mock/model", workspace_id: "00000000-0000-4000-8000-000000000000" }, "mock", 400],
  ] as const;
  for (const [body, slug, status] of cases) {
    const answer = await test(gateway, { body, slug });
    assert.equal(answer.status, status, `${slug} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`);
  }
  assert.equal(upstream.requested.length, 0);
  const keys = asList((await managed(gateway, { call: "GET /keys" })).body.data).map(asObject);
  const own = keys.find(({ name }) => name === "Provider tests");
  await managed(gateway, { call: `PATCH /keys/${own?.hash}`, body: { disabled: true } });
  const refused = await test(gateway);
  assert.equal(refused.status, 400);
  assert.match(JSON.stringify(refused.body), /is disabled; enable or delete it/);
  await managed(gateway, { call: `DELETE /keys/${own?.hash}` });
  assert.equal((await test(gateway)).status, 200, "a deleted one is made anew");
  const again = asList((await managed(gateway, { call: "GET /keys" })).body.data).map(asObject);
  const next = again.find(({ name }) => name === "Provider tests");
  const body = { overlap_seconds: 0 };
  assert.equal((await managed(gateway, { call: `POST /keys/${next?.hash}/rotate`, body })).status, 201);
  assert.equal((await test(gateway)).status, 200, "so is one that was rotated");
});

Deno.test("POST /providers/{slug}/test calls every provider that GET /providers lists, the simulated ones too", async () => {
  await using upstream = scripted(says("chat", "Hello there."));
  await using gateway = await startGateway({
    providers: providersAt(upstream.baseUrl),
    env: { TOLLGATE_LOCAL: "on", TOLLGATE_FAULT_LAB: "on" },
  });
  const models: Readonly<Record<string, readonly [model: string, ok: boolean]>> = {
    mock: ["mock/model", true],
    local: ["local/echo", true],
    fault: ["fault/503", false],
  };
  const headers = { authorization: `Bearer ${gateway.apiKey}` };
  const { data } = await readJson(await fetch(`${gateway.url}/v1/providers`, { headers }));
  const slugs = asList(data).map((one) => String(asObject(one).slug));
  assert.deepEqual(slugs.toSorted(), Object.keys(models).toSorted());
  for (const [slug, [model, ok]] of Object.entries(models)) {
    const { status, body } = await test(gateway, { body: { model }, slug });
    const { provider, ok: isOk } = asObject(body.data);
    assert.deepEqual([status, provider, isOk], [200, slug, ok], JSON.stringify(body));
  }
});
