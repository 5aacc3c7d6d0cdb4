/**
 * A workspace's own provider keys, from POST /byok to the provider's API; and that their text is seen nowhere else.
 */

import assert from "node:assert/strict";
import { endpointChecks } from "../../server/cli/checks/provider_checks.ts";
import { JOURNAL_ROWS } from "../../server/billing/ledger/journal/journal_batch.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, PROVIDER_KEY, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, type Script, scripted } from "../support/scripted.ts";
import { call, pricedAt, receiptOf, spentBy } from "../money/rig.ts";

const SECRET = "sk-canary-0f9e8d7c6b5a4321";
const OTHER = "sk-canary-1a2b3c4d5e6f7788";
const env = { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64() };
const answer = says("chat", "one two three");
const metadata = { "x-openrouter-metadata": "enabled" };

interface Rig {
  readonly gateway: Gateway;
  readonly key: string;
  readonly hash: string;
  /** Stores a provider key and tells its id. */
  readonly bring: (fields?: Json) => Promise<string>;
}

async function rigOf(gateway: Gateway): Promise<Rig> {
  const { key, record: { hash } } = await createKey(gateway);
  const bring = async (fields: Json = {}) => {
    const body = { provider: "mock", key: SECRET, ...fields };
    const made = await managed(gateway, { call: "POST /byok", body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return String(asObject(made.body.data).id);
  };
  return { gateway, key, hash, bring };
}

/** Which credential each call came with. */
const tokens = (requested: readonly { readonly headers: Headers }[]) =>
  requested.map(({ headers }) => headers.get("authorization")?.replace("Bearer ", ""));

Deno.test("a provider key of the workspace takes the gateway's place and its calls cost nothing", async () => {
  await using upstream = scripted(answer);
  await using gateway = await startGateway({
    env,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  const { key, bring } = await rigOf(gateway);
  await (await call(gateway, { key })).text();
  const id = await bring();
  const response = await call(gateway, { key, headers: metadata });
  const receipt = await receiptOf(gateway, response.clone());
  const body = asObject(await response.json());
  assert.deepEqual(tokens(upstream.requested), [PROVIDER_KEY, SECRET]);
  assert.equal(asObject(body.usage).is_byok, true);
  assert.equal(asObject(body.openrouter_metadata).is_byok, true);
  assert.equal(asObject(body.usage).cost, 0);
  assert.equal(receipt.is_byok, true);
  assert.equal(await spentBy(gateway, key), 13_000, "only the first call");
  await managed(gateway, { call: `PATCH /byok/${id}`, body: { disabled: true } });
  await (await call(gateway, { key })).text();
  await managed(gateway, { call: `PATCH /byok/${id}`, body: { disabled: false, key: OTHER } });
  await (await call(gateway, { key })).text();
  await managed(gateway, { call: `DELETE /byok/${id}` });
  await (await call(gateway, { key })).text();
  assert.deepEqual(tokens(upstream.requested), [PROVIDER_KEY, SECRET, PROVIDER_KEY, OTHER, PROVIDER_KEY]);
});

Deno.test("prioritized keys come first, then the gateway's own, then fallback keys", async () => {
  const broken: Script = () => Response.json({ error: { message: "no" } }, { status: 503 });
  await using upstream = scripted(broken);
  await using gateway = await startGateway({
    env,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  const { key, bring } = await rigOf(gateway);
  await bring({ is_fallback: true, key: OTHER });
  await bring();
  const refused = await call(gateway, { key });
  assert.equal(refused.status, 503, await refused.text());
  assert.deepEqual(tokens(upstream.requested), [SECRET, PROVIDER_KEY, OTHER]);
});

Deno.test("a required key is asked alone; one that the provider refuses is told until it is replaced", async () => {
  const asksFor: Script = (requested, number) =>
    requested.headers.get("authorization")?.endsWith(OTHER)
      ? answer(requested, number)
      : Response.json({ error: { message: `Wrong key ${SECRET}` } }, { status: 401 });
  await using upstream = scripted(asksFor);
  await using gateway = await startGateway({
    env,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  const { key, bring } = await rigOf(gateway);
  const id = await bring({ is_required: true });
  for (let calls = 0; calls < 2; calls++) {
    const refused = await call(gateway, { key });
    assert.equal(refused.status, 502);
    assert(!(await refused.text()).includes("canary"));
  }
  assert.deepEqual(tokens(upstream.requested), [SECRET]);
  const explained = await fetch(`${gateway.url}/v1/route/explain`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/model", input: "Hi" }),
  });
  const { candidates } = asObject(await explained.json());
  const standings = asList(candidates).map((one) => [asObject(one).byok ?? false, asObject(one).excluded_by]);
  assert.deepEqual(standings, [[true, "misconfigured"], [false, "byok_required"]]);
  // Operators are told whose key it is.
  const { body: { data } } = await managed(gateway, { call: "GET /status" });
  const [endpoint] = asList(asObject(data).endpoints).map(asObject);
  assert.deepEqual(
    [endpoint?.provider_name, endpoint?.model, endpoint?.standing, endpoint?.is_byok],
    ["Mock", "mock/model", "misconfigured", true],
  );
  const [check] = endpointChecks({ data });
  assert.equal(check?.verdict, "warning");
  assert.match(check?.found ?? "", /^a workspace's own key is refused: Mock mock\/model/);
  assert.ok(gateway.logged.some((line) => line.includes("Provider rejects a workspace's own key")));
  assert.ok(!gateway.logged.some((line) => line.includes("gateway's")), "it is not the gateway's");
  await managed(gateway, { call: `PATCH /byok/${id}`, body: { key: OTHER } });
  const served = await call(gateway, { key });
  assert.equal(served.status, 200, await served.text());
});

Deno.test("provider keys are only for those for whom they were brought", async () => {
  await using upstream = scripted(answer);
  await using gateway = await startGateway({
    env,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  const { key, hash, bring } = await rigOf(gateway);
  const { key: stranger } = await createKey(gateway, { name: "Another" });
  const lab = await managed(gateway, { call: "POST /workspaces", body: { name: "Lab", slug: "lab" } });
  const { key: outside } = await createKey(gateway, { workspace_id: asObject(lab.body.data).id });
  await bring({ allowed_api_key_hashes: [hash] });
  for (const one of [key, stranger, outside]) await (await call(gateway, { key: one })).text();
  assert.deepEqual(tokens(upstream.requested), [SECRET, PROVIDER_KEY, PROVIDER_KEY]);
  await bring({ workspace_id: null, key: OTHER, allowed_models: ["mock/*"] });
  for (const one of [stranger, outside]) await (await call(gateway, { key: one })).text();
  assert.deepEqual(tokens(upstream.requested).slice(3), [OTHER, OTHER]);
});

Deno.test("a provider key can be changed after a key that it lists is gone, which goes on for its successor", async () => {
  await using upstream = scripted(answer);
  await using gateway = await startGateway({
    env,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  const { hash, bring } = await rigOf(gateway);
  const rotated = await managed(gateway, { call: `POST /keys/${hash}/rotate` });
  const id = await bring({ allowed_api_key_hashes: [hash] });
  assert.equal((await managed(gateway, { call: `DELETE /keys/${hash}` })).status, 200);
  const change = (body: Json) => managed(gateway, { call: `PATCH /byok/${id}`, body });
  const { record: { hash: fresh } } = await createKey(gateway, { name: "Fresh" });
  const same = { allowed_api_key_hashes: [hash] };
  for (const body of [{ name: "N" }, { key: OTHER }, same, { allowed_api_key_hashes: [hash, fresh] }]) {
    const changed = await change(body);
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
  }
  await (await call(gateway, { key: String(rotated.body.key) })).text();
  assert.deepEqual(tokens(upstream.requested), [OTHER]);
  assert.equal((await change({ allowed_api_key_hashes: [fresh] })).status, 200);
  assert.equal((await change(same)).status, 400, "it is listed anew and is no key");
});

Deno.test("an exhausted limit lets calls on an own key through, unless it counts them", async () => {
  await using upstream = scripted(answer);
  await using gateway = await startGateway({
    env,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  const { bring } = await rigOf(gateway);
  const { key, record: { hash } } = await createKey(gateway, { name: "Limited", limit: 0 });
  const refused = await call(gateway, { key, cap: 300 });
  assert.equal(refused.status, 402, await refused.text());
  await bring();
  const served = await call(gateway, { key, cap: 300 });
  assert.equal(served.status, 200, await served.text());
  await managed(gateway, { call: `PATCH /keys/${hash}`, body: { include_byok_in_limit: true } });
  const counted = await call(gateway, { key, cap: 300 });
  assert.equal(counted.status, 402, await counted.text());
  assert.deepEqual(tokens(upstream.requested), [SECRET]);
});

Deno.test("the text of a provider key is in no answer, log line or stored value", async () => {
  const repeats: Script = ({ headers }) =>
    Response.json(
      { error: { message: `Incorrect key: ${headers.get("authorization")}`, code: SECRET } },
      { status: 400 },
    );
  await using upstream = scripted(repeats);
  await using gateway = await startGateway({
    env,
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  const { key, bring } = await rigOf(gateway);
  const seen: string[] = [];
  const id = await bring();
  const more = { debug: { echo_upstream_body: true } };
  for (const stream of [false, true]) {
    seen.push(await (await call(gateway, { key, stream, headers: metadata, more })).text());
  }
  const wrong: readonly Json[] = [
    { provider: "mock", key: `${SECRET} x` },
    { provider: "M", key: SECRET },
    { provider: "mock", key: SECRET, is_fallback: true, is_byok_only: true },
    { key: [SECRET] },
  ];
  for (const body of wrong) {
    const refused = await managed(gateway, { call: "POST /byok", body });
    assert.equal(refused.status, 400);
    seen.push(JSON.stringify(refused.body));
  }
  for (const path of ["/byok", `/byok/${id}`, "/audit", "/audit-log"]) {
    seen.push(JSON.stringify((await managed(gateway, { call: `GET ${path}` })).body));
  }
  for (
    const name of ["byok", "audit", "vault", JOURNAL_ROWS, "receipts", "epochs", "meta", "keys", "claims"]
  ) {
    const entries = await gateway.store.list([name], { limit: 1_000 });
    seen.push(JSON.stringify(entries, (_, value) => value instanceof Uint8Array ? decoded(value) : value));
  }
  seen.push(...gateway.logged);
  for (const text of seen) assert(!text.includes("canary-"), text.slice(0, 2_000));
});

const decoded = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

Deno.test("POST /byok says what to set where there is no master key", async () => {
  await using gateway = await startGateway();
  const { status, body } = await managed(gateway, {
    call: "POST /byok",
    body: { provider: "openai", key: SECRET },
  });
  assert.equal(status, 400);
  assert.match(String(asObject(body.error).message), /TOLLGATE_MASTER_KEY/);
});
