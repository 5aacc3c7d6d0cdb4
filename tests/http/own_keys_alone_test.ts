/** Services that the operator has not switched on, and that a workspace reaches with a key of its own. */

import assert from "node:assert/strict";
import { readError } from "../support/call.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { apiNames, call, pricedAt, receiptOf, spentBy } from "../money/rig.ts";

const SECRET = "sk-canary-0f9e8d7c6b5a4321";
const env = { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64() };
const answer = says("chat", "one two three");

async function bring(gateway: Gateway, fields: Json): Promise<string> {
  const made = await managed(gateway, { call: "POST /byok", body: { key: SECRET, ...fields } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return String(asObject(made.body.data).id);
}

/** A gateway whose services with these names stand at `baseUrl`, without keys for them. */
function withoutKeys(baseUrl: string, options: GatewayOptions = {}) {
  const addresses = { GROQ_BASE_URL: baseUrl, OPENAI_BASE_URL: baseUrl };
  return startGateway({ ...options, env: { ...env, ...addresses, ...options.env } });
}

const model = "groq/some-model";
const known = "openai/gpt-5-mini";

Deno.test("a provider that is not switched on is reached with the workspace's own key only", async () => {
  await using upstream = scripted(answer);
  await using gateway = await withoutKeys(upstream.baseUrl);
  const { key } = await createKey(gateway);
  assert.equal((await readError(await call(gateway, { key, model }))).status, 404);
  const id = await bring(gateway, { provider: "groq" });
  for (const api of apiNames) {
    const response = await call(gateway, { key, model, api });
    const receipt = await receiptOf(gateway, response.clone());
    const { usage } = asObject(await response.json());
    assert.deepEqual([response.status, asObject(usage).is_byok, receipt.is_byok], [200, true, true]);
  }
  assert.deepEqual(new Set(upstream.requested.map(({ headers }) => headers.get("authorization"))), bearer);
  assert.equal(upstream.requested[0]?.body.model, "some-model");
  assert.equal(await spentBy(gateway, key), 0);
  for (const change of [{ disabled: true }, { disabled: false, allowed_models: ["groq/other"] }]) {
    await managed(gateway, { call: `PATCH /byok/${id}`, body: change });
    assert.equal((await readError(await call(gateway, { key, model }))).status, 404);
  }
  assert.equal(upstream.requested.length, apiNames.length);
});

const bearer = new Set([`Bearer ${SECRET}`]);

Deno.test("an own key reaches a provider's catalogued models, whose cost counts where it is to", async () => {
  await using upstream = scripted(says("responses", "one two three"));
  await using gateway = await withoutKeys(upstream.baseUrl);
  const { key, record: { hash } } = await createKey(gateway, { limit: 1 });
  await bring(gateway, { provider: "openai" });
  const response = await call(gateway, { key, model: known });
  assert.equal(response.status, 200, await response.clone().text());
  const { upstream_cost: counted, cost } = await receiptOf(gateway, response);
  await response.body?.cancel();
  assert.equal(cost, 0);
  assert(counted > 0);
  const record = asObject((await managed(gateway, { call: `GET /keys/${hash}` })).body.data);
  assert.deepEqual([record.usage, record.limit_remaining], [0, 1]);
  assert.equal(record.byok_usage, counted / 1e9);
  await managed(gateway, { call: `PATCH /keys/${hash}`, body: { limit: 0, include_byok_in_limit: true } });
  assert.equal((await readError(await call(gateway, { key, model: known }))).status, 402);
});

Deno.test("an own key is for nobody else, and lists nothing among the gateway's models", async () => {
  await using upstream = scripted(answer);
  await using gateway = await withoutKeys(upstream.baseUrl);
  const { key, record: { hash } } = await createKey(gateway);
  const { key: stranger } = await createKey(gateway);
  const lab = await managed(gateway, { call: "POST /workspaces", body: { name: "Lab", slug: "lab" } });
  const { key: outside } = await createKey(gateway, { workspace_id: asObject(lab.body.data).id });
  await bring(gateway, { provider: "groq", allowed_api_key_hashes: [hash] });
  const statuses = [];
  for (const one of [key, stranger, outside]) {
    const response = await call(gateway, { key: one, model });
    statuses.push(response.status);
    await response.body?.cancel();
  }
  assert.deepEqual(statuses, [200, 404, 404]);
  const models = await managed(gateway, { call: "GET /models", token: key });
  assert.deepEqual(models.body.data, []);
  const providers = await managed(gateway, { call: "GET /providers", token: key });
  assert.deepEqual(providers.body.data, []);
});

Deno.test("own keys at a provider that is off come before the gateway's own endpoints, or behind them", async () => {
  for (const fallback of [false, true]) {
    await using own = scripted(answer);
    await using shared = scripted(() => Response.json({ error: { message: "no" } }, { status: 503 }));
    await using gateway = await withoutKeys(own.baseUrl, {
      providers: [pricedAt(shared.baseUrl, { wire: "chat", models: [{ id: model }] })],
    });
    const { key } = await createKey(gateway);
    await bring(gateway, { provider: "groq", is_fallback: fallback });
    const response = await call(gateway, { key, model });
    assert.equal(response.status, 200, await response.text());
    assert.deepEqual([shared.requested.length, own.requested.length], [fallback ? 1 : 0, 1]);
  }
});

Deno.test("explain says that a provider without a key of the gateway's is asked with the workspace's", async () => {
  await using upstream = scripted(answer);
  await using gateway = await withoutKeys(upstream.baseUrl);
  const { key } = await createKey(gateway);
  await bring(gateway, { provider: "groq", allowed_models: ["groq/some-*"] });
  const explained = async (name: string) => {
    const body = { model: name, input: "Hi" };
    const { body: explanation } = await managed(gateway, { call: "POST /route/explain", body, token: key });
    return asList(explanation.candidates).map((
      one,
    ) => [asObject(one).byok ?? false, asObject(one).excluded_by]);
  };
  assert.deepEqual(await explained(model), [[true, null]]);
  assert.deepEqual(await explained("groq/other"), [[false, "byok_required"]]);
});

Deno.test("byok_providers names what workspaces may reach that is not switched on", async () => {
  await using upstream = scripted(answer);
  for (const [allowed, status] of [[[], 404], [["openai"], 404], [["groq"], 200]] as const) {
    await using gateway = await withoutKeys(upstream.baseUrl, { file: { byok_providers: allowed } });
    const { key } = await createKey(gateway);
    await bring(gateway, { provider: "groq" });
    const response = await call(gateway, { key, model });
    assert.equal(response.status, status, allowed.join());
    await response.body?.cancel();
  }
});

Deno.test("a key for a provider that there is not is refused with the list, and one for a provider that is off is not", async () => {
  await using gateway = await startGateway({ env });
  const make = (provider: string) =>
    managed(gateway, { call: "POST /byok", body: { provider, key: "sk-0123456789" } });
  for (const provider of ["opneai", "gpt-5.5", "local", "constructor", "openai2"]) {
    const { status, body } = await make(provider);
    assert.equal(status, 400, provider);
    const { message, metadata } = asObject(body.error);
    assert.match(
      String(message),
      new RegExp(`provider is "${provider}", which is no provider here: allowed are `),
    );
    assert.match(String(message), /\banthropic, .*\bopenai, /);
    assert.equal(asObject(metadata).path, "provider");
  }
  for (const provider of ["openai", "groq", "azure", "bedrock", "google-vertex", "elevenlabs", "ollama"]) {
    assert.equal((await make(provider)).status, 201, provider);
  }
});
