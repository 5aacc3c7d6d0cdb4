/** Budgets and guardrails at work: over HTTP, from the operation that sets them to the request that they stop. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { call, pricedAt, reservedWith } from "../money/rig.ts";

/** 13,000 nano-USD an answer; 600 tokens of output may cost 1,200,000. */
const answer = says("chat", "one two three");

interface Refused {
  readonly status: number;
  readonly metadata: Json;
}

async function refusalOf(response: Response): Promise<Refused> {
  const { error } = asObject(await response.json());
  return { status: response.status, metadata: asObject(asObject(error).metadata) };
}

async function ok(
  gateway: Gateway,
  { call: path, body }: { readonly call: string; readonly body?: unknown },
) {
  const { status, body: answered } = await managed(gateway, { call: path, body });
  assert(status === 200 || status === 201, JSON.stringify(answered));
  return asObject(answered.data ?? {});
}

Deno.test("a workspace's budget refuses its keys with 402 and names the broadest that is reached", async () => {
  await using upstream = scripted(answer);
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { key } = await createKey(gateway);
  const set = (interval: string, limit_usd: number) =>
    ok(gateway, { call: `PUT /workspaces/default/budgets/${interval}`, body: { limit_usd } });
  assert.equal((await call(gateway, { key, cap: 300 }).then(read)).status, 200);
  await set("daily", 0.000012);
  await set("monthly", 0.000013);
  const refused = await refusalOf(await call(gateway, { key, cap: 300 }));
  assert.equal(refused.status, 402);
  assert.deepEqual([refused.metadata.limit_source, refused.metadata.limit_usd], [
    "workspace_budget",
    0.000013,
  ]);
  const { key: other } = await createKey(gateway, { name: "Another" });
  assert.equal((await refusalOf(await call(gateway, { key: other, cap: 300 }))).status, 402);
  for (const interval of ["daily", "monthly"]) {
    await ok(gateway, { call: `DELETE /workspaces/default/budgets/${interval}` });
  }
  assert.equal((await call(gateway, { key, cap: 300 }).then(read)).status, 200);
});

async function read(response: Response): Promise<Response> {
  await response.text();
  return response;
}

Deno.test("a guardrail's limit refuses each key for itself with 403", async () => {
  await using upstream = scripted(answer);
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const [one, two] = [await createKey(gateway), await createKey(gateway, { name: "Two" })];
  // A request costs 0.000013 USD, so a second one does not fit.
  const limit_usd = (await reservedWith(gateway, 200) + 4_000) / 1e9;
  const { id } = await ok(gateway, {
    call: "POST /guardrails",
    body: { name: "Frugal", limit_usd, reset_interval: "daily" },
  });
  await ok(gateway, {
    call: `POST /guardrails/${id}/assignments/keys`,
    body: { key_hashes: [one.record.hash, two.record.hash] },
  });
  for (const [hash, names] of [[one.record.hash, ["A test's"]], ["0".repeat(64), []]] as const) {
    const { body } = await managed(gateway, { call: `GET /guardrails/assignments/keys?key_hash=${hash}` });
    assert.deepEqual(asList(body.data).map((assignment) => asObject(assignment).key_name), names);
  }
  const send = (key: string) => call(gateway, { key, cap: 200 });
  const first = await send(one.key);
  assert.equal(first.status, 200, await first.text());
  const refused = await refusalOf(await send(one.key));
  assert.equal(refused.status, 403);
  assert.equal(refused.metadata.limit_source, "guardrail");
  assert.deepEqual(asList(refused.metadata.patterns), []);
  const second = await send(two.key);
  assert.equal(second.status, 200, await second.text());
  await ok(gateway, {
    call: `POST /guardrails/${id}/assignments/keys/remove`,
    body: { key_hashes: [one.record.hash] },
  });
  assert.equal((await call(gateway, { key: one.key, cap: 300 }).then(read)).status, 200);
});

Deno.test("a workspace's default guardrail holds for all of its keys at once", async () => {
  await using upstream = scripted(answer);
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { key } = await createKey(gateway);
  const { default_guardrail_id: id } = await ok(gateway, { call: "GET /workspaces/default" });
  assert.equal((await call(gateway, { key }).then(read)).status, 200);
  const patch = (body: Json) => ok(gateway, { call: `PATCH /guardrails/${id}`, body });
  const steps: readonly (readonly [Json, readonly string[]])[] = [
    [{ ignored_models: ["mock/*"] }, ["ignored_models"]],
    [{ ignored_models: null, allowed_models: ["other/*"] }, ["allowed_models"]],
    [{ allowed_models: null, ignored_providers: ["mock"] }, ["ignored_providers"]],
    [{ ignored_providers: null, allowed_providers: ["other"] }, ["allowed_providers"]],
    [{ allowed_providers: null, enforce_zdr_other: true }, ["data_policy:zdr"]],
  ];
  for (const [change, by] of steps) {
    await patch(change);
    const response = await call(gateway, { key });
    assert.equal(response.status, 404);
    const { error } = asObject(await response.json());
    const { excluded_by, constraint } = asObject(asObject(error).availability);
    assert.deepEqual(excluded_by, by);
    assert.equal(asObject(constraint).field, "guardrail");
  }
  await patch({ enforce_zdr_other: null });
  assert.equal((await call(gateway, { key }).then(read)).status, 200);
  assert.equal(upstream.requested.length, 2);
});

Deno.test("a guardrail's regions leave only providers that are said to stand there", async () => {
  await using upstream = scripted(answer);
  const at = (id: string, region?: string) =>
    pricedAt(upstream.baseUrl, { id, wire: "chat", region, open: true, models: [{ id: `${id}/model` }] });
  const places = [at("paris", "eu"), at("rome", "eu-south-1"), at("boston", "us-east-1")];
  const unknown = [at("anywhere"), at("oslo", "europa"), at("moon", "usa")];
  await using gateway = await startGateway({ providers: [...places, ...unknown] });
  const { key, record: { hash } } = await createKey(gateway);
  const make = async (body: Json) =>
    String((await ok(gateway, { call: "POST /guardrails", body: { name: "Here", ...body } })).id);
  const served = async () => {
    const names: string[] = [];
    for (const { id = "" } of [...places, ...unknown]) {
      // The second is not listed: what is known of the provider holds for it all the same.
      for (const model of [`${id}/model`, `${id}/other`]) {
        const response = await call(gateway, { key, model });
        const { error } = asObject(await response.json());
        if (response.status === 200) names.push(model);
        else {
          const { code, excluded_by } = asObject(asObject(error).availability);
          assert.deepEqual([response.status, code, excluded_by], [404, "privacy_restricted", [
            "data_region",
          ]]);
        }
      }
    }
    return names;
  };
  const allowedOf = async () =>
    asObject((await managed(gateway, { call: "GET /key", token: key })).body.data).allowed_data_regions;
  const of = (...ids: readonly string[]) => ids.flatMap((id) => [`${id}/model`, `${id}/other`]);
  const everybody = of("paris", "rome", "boston", "anywhere", "oslo", "moon");
  const id = await make({ allowed_data_regions: ["europe"] });
  assert.deepEqual([await served(), await allowedOf()], [everybody, ["global"]]);
  await ok(gateway, { call: `POST /guardrails/${id}/assignments/keys`, body: { key_hashes: [hash] } });
  assert.deepEqual([await served(), await allowedOf()], [of("paris", "rome"), ["europe"]]);
  const change = (allowed_data_regions: readonly string[] | null) =>
    ok(gateway, { call: `PATCH /guardrails/${id}`, body: { allowed_data_regions } });
  await change(["us", "europe"]);
  assert.deepEqual([await served(), await allowedOf()], [of("paris", "rome", "boston"), ["europe", "us"]]);
  await change(["global", "us"]);
  assert.deepEqual([await served(), await allowedOf()], [everybody, ["global"]]);
  const { default_guardrail_id: common } = await ok(gateway, { call: "GET /workspaces/default" });
  await ok(gateway, { call: `PATCH /guardrails/${common}`, body: { allowed_data_regions: ["us"] } });
  assert.deepEqual([await served(), await allowedOf()], [of("boston"), ["us"]]);
  await change(["europe"]);
  assert.deepEqual([await served(), await allowedOf()], [[], []]);
});
