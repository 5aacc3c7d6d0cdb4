/** Names that are aliases where nobody may serve the request: the error says so, and what they stand for. */

import assert from "node:assert/strict";
import { type ApiName, apiNames, call, type Calling, pricedAt, twoModels } from "../money/rig.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { type Script, scripted } from "../support/scripted.ts";

const file = {
  aliases: {
    chain: ["mock/first", "mock/second"],
    one: "mock/second",
    lost: "mock/secnd",
    gone: ["mock/none", "mock/nobody"],
    many: [0, 1, 2, 3, 4, 5, 6].map((at) => `mock/none-${at}`),
    routed: ["service/free"],
  },
};

const busy: Script = () =>
  Response.json({ error: { message: "busy" } }, { status: 429, headers: { "retry-after": "60" } });

const gatewayAt = (baseUrl: string) =>
  startGateway({ providers: [pricedAt(baseUrl, { wire: "chat", models: twoModels })], file });

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Asks on each API and both ways, and tells what the client is told. */
async function refusals(gateway: Gateway, calling: Calling): Promise<readonly Refusal[]> {
  const found: Refusal[] = [];
  const ways = apiNames.flatMap((
    api,
  ): readonly (readonly [ApiName, boolean])[] => [[api, false], [api, true]]);
  for (const [api, stream] of ways) {
    const response = await call(gateway, { ...calling, api, stream });
    const { error } = asObject(await response.json());
    found.push({ status: response.status, message: String(asObject(error).message) });
  }
  return found;
}

const chain = 'The alias "chain" stands for mock/first, mock/second';

const cases: Readonly<Record<string, readonly [asked: Omit<Calling, "key">, words: string]>> = {
  "unknown models": [
    { model: "gone" },
    'The alias "gone" stands for mock/none, mock/nobody: no such model is configured here. GET /v1/models',
  ],
  "one unknown model, with what was meant": [
    { model: "lost" },
    'The alias "lost" stands for mock/secnd: no such model is configured here. Did you mean mock/second? GET',
  ],
  "many unknown models": [
    { model: "many" },
    'The alias "many" stands for mock/none-0, mock/none-1, mock/none-2, mock/none-3, mock/none-4 and 2 more: no such',
  ],
  "unknown names and an alias": [
    { model: "gone", more: { models: ["mock/x", "lost"] } },
    'No model named "mock/x" is configured here. The alias "gone" stands for mock/none, mock/nobody: no such model is ' +
    'configured here. The alias "lost" stands for mock/secnd: no such model is configured here.',
  ],
  "a variant that none has": [
    { model: "chain:free" },
    'No endpoint of chain:free may serve this request. The alias "chain:free" stands for mock/first:free, mock/second:free.',
  ],
  "a preference that none fulfils": [
    { model: "chain", more: { provider: { max_price: { prompt: 0.001 } } } },
    `No endpoint of chain may serve this request. ${chain}. `,
  ],
  "a provider that is left out": [
    { model: "one", more: { provider: { ignore: ["mock"] } } },
    'No endpoint of one may serve this request. The alias "one" stands for mock/second. ',
  ],
  "a router that finds none": [
    { model: "routed" },
    'No model that costs nothing can take the request. The alias "routed" stands for service/free.',
  ],
  "a router's list that names an alias": [
    { model: "openrouter/auto", more: { plugins: [{ id: "auto-router", allowed_models: ["chain"] }] } },
    'No models match your request and model restrictions. "chain" is an alias: name what it stands for, mock/first, mock/second.',
  ],
};

Deno.test("a request that nobody may serve is told what its aliases stand for, on every API", async (t) => {
  await using gateway = await gatewayAt("http://127.0.0.1:9/v1");
  for (const [name, [asked, words]] of Object.entries(cases)) {
    await t.step(name, async () => {
      for (const { status, message } of await refusals(gateway, { ...asked, key: gateway.apiKey })) {
        assert.equal(status, 404, message);
        assert.ok(message.startsWith(words), message);
      }
    });
  }
});

Deno.test("a guardrail, and endpoints that rest, are told of with what the alias stands for", async () => {
  await using upstream = scripted(busy);
  await using gateway = await gatewayAt(upstream.baseUrl);
  const { key, record } = await createKey(gateway);
  const rules = { name: "Others alone", allowed_models: ["other/*"] };
  const made = await managed(gateway, { call: "POST /guardrails", body: rules });
  const assign = `POST /guardrails/${asObject(made.body.data).id}/assignments/keys`;
  await managed(gateway, { call: assign, body: { key_hashes: [record.hash] } });
  for (const { status, message } of await refusals(gateway, { key, model: "chain" })) {
    assert.equal(status, 404, message);
    assert.ok(message.startsWith(`No endpoint of chain may serve this request. ${chain}. `), message);
  }
  assert.equal(upstream.requested.length, 0);
  const first = await call(gateway, { key: gateway.apiKey, model: "chain" });
  assert.equal(first.status, 429, await first.text());
  assert.equal(upstream.requested.length, 2);
  for (const { status, message } of await refusals(gateway, { key: gateway.apiKey, model: "chain" })) {
    assert.equal(status, 429, message);
    assert.equal(message, `All endpoints of this model are cooling down. Try again later. ${chain}.`);
  }
});

/** Further operations that name a model. */
const others: Readonly<Record<string, object>> = {
  "/v1/messages/count_tokens": { messages: [{ role: "user", content: "Hi" }] },
  "/v1/embeddings": { input: "Hi" },
  "/v1/audio/speech": { input: "Hi", voice: "alloy" },
};

Deno.test("an alias of unknown models is told of by every operation that names a model", async () => {
  await using gateway = await gatewayAt("http://127.0.0.1:9/v1");
  const headers = { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" };
  const messages: string[] = [];
  for (const [path, fields] of Object.entries(others)) {
    const body = JSON.stringify({ model: "gone", ...fields });
    const response = await fetch(gateway.url + path, { method: "POST", headers, body });
    const { error } = asObject(await response.json());
    assert.equal(response.status, 404, path);
    messages.push(String(asObject(error).message));
  }
  const explained = await fetch(`${gateway.url}/v1/route/explain`, {
    method: "POST",
    headers,
    body: JSON.stringify({ model: "gone", input: "Hi" }),
  });
  messages.push(String(asObject(asObject(await explained.json()).refusal).message));
  for (const message of messages) {
    assert.match(
      message,
      /^The alias "gone" stands for mock\/none, mock\/nobody: no such model is configured here\./,
    );
  }
  const one = await fetch(`${gateway.url}/v1/models/gone`, { headers });
  assert.equal(one.status, 404);
  assert.match(
    String(asObject(asObject(await one.json()).error).message),
    /^No model named "gone" is configured here\. "gone" is an alias: name what it stands for, mock\/none, mock\/nobody\./,
  );
});
