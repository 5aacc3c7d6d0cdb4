/**
 * Tests the operations that read receipts, over real requests: generations, lists, activity, a key's own usage
 * (promises M7).
 */

import assert from "node:assert/strict";
import * as z from "zod";
import { auditRowSchema } from "../../shared/management/audit.ts";
import { hashKey } from "../../server/management/keys/key_rows.ts";
import { type FakeClock, fakeClock, turns } from "../support/clock.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { dataOf, operate, rowsOf } from "../support/operate.ts";
import { says, type Script, scripted } from "../support/scripted.ts";

interface Rig {
  readonly gateway: Gateway;
  readonly clock: FakeClock;
  readonly key?: string;
}

const DAY = 86_400_000;

const pricing = { prompt: "0.000001", completion: "0.000002" };

async function withGateway(
  test: (rig: Rig) => Promise<void>,
  script: Script = says("responses", "Hello there"),
) {
  await using upstream = scripted(script);
  const clock = fakeClock();
  const providers = [providerAt(upstream.baseUrl, { models: [{ ...mockModel, pricing }] })];
  await using gateway = await startGateway({ providers, clock });
  await test({ gateway, clock });
}

/** With the management key unless the rig names another. */
const get = ({ gateway, key = gateway.managementKey }: Rig, path: string) =>
  operate({ url: gateway.url, key }, { path });

/** Asks the model and tells the generation's id. */
async function generate(
  rig: Rig,
  { key = rig.gateway.apiKey, body = {} }: { key?: string; body?: Json } = {},
) {
  const answer = await fetch(`${rig.gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/model", input: "Hi", ...body }),
  });
  await answer.text();
  return answer.headers.get("x-generation-id") ?? "";
}

Deno.test("GET /generation shows the bill line by line, and how it came about", () =>
  withGateway(async (rig) => {
    const id = await generate(rig, { body: { session_id: "s-1", user: "u-1" } });
    const data = dataOf(await get({ ...rig, key: rig.gateway.apiKey }, `/generation?id=${id}`));
    assert.equal(data.id, id);
    assert.equal(data.total_cost, 0.000011);
    assert.equal(data.settled, 0.000011);
    assert.deepEqual(data.lines, [
      { rate: "prompt", quantity: 7, unit_price: "0.000001", cost: "0.000007" },
      { rate: "completion", quantity: 2, unit_price: "0.000002", cost: "0.000004" },
    ]);
    assert(Number(data.reserved) > Number(data.settled));
    assert.deepEqual([data.tokens_prompt, data.tokens_completion], [7, 2]);
    assert.deepEqual([data.status, data.cancelled, data.streamed, data.session_id], [
      "completed",
      false,
      false,
      "s-1",
    ]);
    assert(Array.isArray(data.provider_responses) && data.provider_responses.length === 1);
    const [attempt] = Array.isArray(data.attempts) ? data.attempts.map(asObject) : [];
    assert(typeof attempt?.why === "string" && attempt.why !== "");
    const managed = dataOf(await get(rig, `/generation?id=${id}`));
    assert.deepEqual(managed, data);
  }));

Deno.test("GET /generation shows a key its own, and says the same of what is another's and what is nowhere", () =>
  withGateway(async (rig) => {
    const other = await rig.gateway.addKey({ kind: "api" });
    const id = await generate(rig);
    const theirs = await get({ ...rig, key: other }, `/generation?id=${id}`);
    const nowhere = await get({ ...rig, key: other }, "/generation?id=gen-nowhere");
    assert.equal(theirs.status, 404);
    assert.deepEqual(theirs, nowhere);
    assert.equal((await get(rig, "/generation?id=gen-nowhere")).status, 404);
    for (const path of ["/generation", "/generation?id=", `/generation?id=${"x".repeat(201)}`]) {
      assert.equal((await get({ ...rig, key: other }, path)).status, 400, path);
    }
  }));

Deno.test("GET /generation shows requests that failed, with what ended them", () =>
  withGateway(async (rig) => {
    const id = await generate(rig);
    const data = dataOf(await get(rig, `/generation?id=${id}`));
    assert.equal(data.status, "failed");
    assert.equal(data.total_cost, 0);
    assert.equal(asObject(data.error).status, 502);
    assert.deepEqual([data.tokens_prompt, data.lines], [null, []]);
  }, () => Response.json({ error: { message: "broken" } }, { status: 500 })));

Deno.test("GET /generation/content says that nothing is stored, and only to whom it concerns", () =>
  withGateway(async (rig) => {
    const id = await generate(rig);
    const own = await get({ ...rig, key: rig.gateway.apiKey }, `/generation/content?id=${id}`);
    assert.equal(own.status, 404);
    assert(JSON.stringify(own.body).includes("not stored"));
    const other = await rig.gateway.addKey({ kind: "api" });
    const theirs = await get({ ...rig, key: other }, `/generation/content?id=${id}`);
    assert.deepEqual(theirs, await get({ ...rig, key: other }, "/generation/content?id=gen-nowhere"));
  }));

Deno.test("POST /generation/feedback stands in the audit log, and GET /audit shows it", () =>
  withGateway(async (rig) => {
    const { url, managementKey } = rig.gateway;
    const generation_id = await generate(rig);
    const send = (body: Json) =>
      operate({ url, key: managementKey }, { method: "POST", path: "/generation/feedback", body });
    const kept = await send({ generation_id, category: "billing", comment: "Too much" });
    assert.deepEqual(kept, { status: 200, body: { data: { success: true } } });
    const { body: audit } = await operate({ url, key: managementKey }, { method: "GET", path: "/audit" });
    const audited = z.object({ data: z.array(auditRowSchema) }).parse(audit).data
      .filter(({ operation }) => operation === "generations.feedback");
    assert.deepEqual(audited.map(({ subject, after }) => ({ subject, after })), [
      {
        subject: { type: "generation", id: generation_id },
        after: { category: "billing", comment: "Too much" },
      },
    ]);
    assert.equal(audited[0]?.actor?.key_hash, hashKey(managementKey));
    assert.equal((await send({ generation_id: "gen-nowhere", category: "billing" })).status, 404);
    assert.equal((await send({ generation_id, category: "weather" })).status, 400);
    assert.equal((await send({ generation_id, category: "other", more: 1 })).status, 400);
  }));

Deno.test("GET /receipts lists and filters, newest first, page by page", () =>
  withGateway(async (rig) => {
    const other = await rig.gateway.addKey({ kind: "api" });
    const ids: string[] = [];
    for (let at = 0; at < 6; at++) {
      ids.unshift(await generate(rig, { key: at % 2 === 0 ? rig.gateway.apiKey : other }));
      await rig.clock.advanceOnce(turns, 1_000);
    }
    const idsOf = async (path: string) => rowsOf(await get(rig, path)).map(({ id }) => id);
    assert.deepEqual(await idsOf("/receipts"), ids);
    const theirs = ids.filter((_, at) => at % 2 === 0);
    assert.deepEqual(await idsOf(`/receipts?api_key_hash=${hashKey(other)}`), theirs);
    assert.deepEqual(
      await idsOf(`/receipts?api_key_hash=${hashKey(other)}&model=mock/model&status=completed`),
      theirs,
    );
    assert.deepEqual(await idsOf("/receipts?status=failed"), []);
    const first = await get(rig, "/receipts?limit=4");
    const { next } = first.body;
    assert(typeof next === "string");
    assert.deepEqual(rowsOf(first).map(({ id }) => id), ids.slice(0, 4));
    assert.deepEqual(await idsOf(`/receipts?limit=4&before=${next}`), ids.slice(4));
    for (
      const wrong of ["before=x", "limit=0", "limit=101", "status=odd", "api_key_hash=x", "workspace_id=x"]
    ) {
      assert.equal((await get(rig, `/receipts?${wrong}`)).status, 400, wrong);
    }
  }));

Deno.test("GET /key/usage shows a key its own spend, and nothing of others'", () =>
  withGateway(async (rig) => {
    const other = await rig.gateway.addKey({ kind: "api" });
    await generate(rig);
    await generate(rig);
    await generate(rig, { key: other });
    const data = dataOf(await get({ ...rig, key: rig.gateway.apiKey }, "/key/usage"));
    assert.deepEqual(data.days, [{
      date: "2026-01-14",
      model: "mock/model",
      requests: 2,
      prompt_tokens: 14,
      completion_tokens: 4,
      reasoning_tokens: 0,
      cached_tokens: 0,
      usage: 0.000022,
      byok_usage: 0,
    }]);
    assert.deepEqual(asObject(data.spend).total, { usage: 0.000022, byok_usage: 0 });
    assert.equal(asObject(data.resets).weekly, "2026-01-19T00:00:00.000Z");
    const managed = dataOf(await get(rig, "/key/usage"));
    assert.deepEqual(managed.days, []);
    // A manager names the key; a holder may name none.
    const path = `/keys/${hashKey(rig.gateway.apiKey)}/usage`;
    assert.deepEqual(dataOf(await get(rig, path)).days, data.days);
    assert.equal((await get({ ...rig, key: rig.gateway.apiKey }, path)).status, 403);
    assert.equal((await get(rig, `/keys/${hashKey("nobody")}/usage`)).status, 404);
    assert.equal((await get({ ...rig, key: other }, "/key/usage?days=91")).status, 400);
    const client = await rig.gateway.addKey({ kind: "client" });
    assert.equal((await get({ ...rig, key: client }, "/key/usage")).status, 403);
  }));

Deno.test("GET /key/receipts lists what the key that calls requested, and nothing of others'", () =>
  withGateway(async (rig) => {
    const other = await rig.gateway.addKey({ kind: "api" });
    const own = { ...rig, key: rig.gateway.apiKey };
    const ids = [await generate(rig), await generate(rig), await generate(rig)].toReversed();
    const foreign = await generate(rig, { key: other });
    const first = asObject((await get(own, "/key/receipts?limit=2")).body);
    assert(Array.isArray(first.data));
    assert.deepEqual(first.data.map(({ id }) => id), ids.slice(0, 2));
    const [newest] = first.data;
    for (const name of ["key_hash", "attempts", "endpoint_id", "upstream_cost", "lines"]) {
      assert(!Object.hasOwn(newest, name), `${name} is not for this list`);
    }
    const rest = asObject((await get(own, `/key/receipts?before=${first.next}`)).body);
    assert(Array.isArray(rest.data));
    assert.deepEqual([rest.data.map(({ id }) => id), rest.next], [ids.slice(2), null]);
    const refused = asObject((await get(own, "/key/receipts?status=refused")).body);
    assert.deepEqual(refused.data, []);
    const others = asObject((await get({ ...rig, key: other }, "/key/receipts")).body);
    assert(Array.isArray(others.data));
    assert.deepEqual(others.data.map(({ id }) => id), [foreign]);
    assert.deepEqual(asObject((await get(rig, "/key/receipts")).body).data, []);
    for (const wrong of ["before=x", "limit=0", "status=odd"]) {
      assert.equal((await get(own, `/key/receipts?${wrong}`)).status, 400, wrong);
    }
    const client = await rig.gateway.addKey({ kind: "client" });
    assert.equal((await get({ ...rig, key: client }, "/key/receipts")).status, 403);
  }));

Deno.test("what a key's predecessors used is its own, however often it was rotated", () =>
  withGateway(async (rig) => {
    const { url, apiKey, managementKey } = rig.gateway;
    const keys = [apiKey];
    const ids = [await generate(rig)];
    for (let turn = 0; turn < 3; turn++) {
      const path = `/keys/${hashKey(keys.at(-1) ?? "")}/rotate`;
      const body = { overlap_seconds: 600 };
      const next = await operate({ url, key: managementKey }, { method: "POST", path, body });
      keys.push(String(next.body.key));
      ids.push(await generate(rig, { key: keys.at(-1) }));
    }
    for (const key of keys) {
      for (const id of ids) assert.equal((await get({ ...rig, key }, `/generation?id=${id}`)).status, 200);
      const { days, spend } = dataOf(await get({ ...rig, key }, "/key/usage"));
      assert(Array.isArray(days));
      assert.deepEqual(days.map((day) => [day.date, day.requests, day.usage]), [["2026-01-14", 4, 0.000044]]);
      assert.equal(asObject(asObject(spend).total).usage, 0.000044);
      const receipts = asObject((await get({ ...rig, key }, "/key/receipts")).body).data;
      assert(Array.isArray(receipts));
      assert.deepEqual(receipts.map(({ id }) => id), ids.toReversed());
    }
    const stranger = await rig.gateway.addKey({ kind: "api" });
    assert.equal((await get({ ...rig, key: stranger }, `/generation?id=${ids[1]}`)).status, 404);
    // The one in the middle goes; what it spent does not.
    const path = `/keys/${hashKey(keys[1] ?? "")}`;
    await operate({ url, key: managementKey }, { method: "DELETE", path });
    const last = { ...rig, key: keys.at(-1) };
    assert.equal((await get(last, `/generation?id=${ids[1]}`)).status, 200);
    const { days } = dataOf(await get(last, "/key/usage"));
    assert(Array.isArray(days) && days[0].requests === 4);
  }));

Deno.test("GET /key/usage says how long a limit lasts", () =>
  withGateway(async (rig) => {
    const { url, apiKey, managementKey } = rig.gateway;
    const limit = { limit: 1, limit_reset: "monthly" };
    const path = `/keys/${hashKey(apiKey)}`;
    await operate({ url, key: managementKey }, { method: "PATCH", path, body: limit });
    await generate(rig, { body: { max_output_tokens: 16 } });
    const usage = async () => dataOf(await get({ ...rig, key: apiKey }, "/key/usage"));
    const young = asObject((await usage()).forecast);
    assert.equal(young.explanation, "There is a forecast once the key is 24 hours old.");
    await rig.clock.advanceOnce(turns, DAY);
    const data = await usage();
    assert.deepEqual([data.limit, data.limit_remaining], [1, 0.999989]);
    assert.equal(data.limit_resets_at, "2026-02-01T00:00:00.000Z");
    const forecast = asObject(data.forecast);
    assert.equal(forecast.reaches_limit_at, null);
    assert(String(forecast.explanation).includes("resets at 2026-02-01"), String(forecast.explanation));
  }));

Deno.test("GET /activity shows whole days by model and endpoint", () =>
  withGateway(async (rig) => {
    const other = await rig.gateway.addKey({
      kind: "api",
      workspaceId: "5b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b22",
    });
    await generate(rig);
    await generate(rig, { key: other });
    const path = "/activity";
    assert.deepEqual(rowsOf(await get(rig, path)), []);
    await rig.clock.advanceOnce(turns, DAY);
    const row = {
      date: "2026-01-14",
      model: "mock/model",
      model_permaslug: "mock/model",
      endpoint_id: "mock|mock/model|upstream-model",
      provider_name: "Mock",
      usage: 0.000022,
      byok_usage_inference: 0,
      requests: 2,
      prompt_tokens: 14,
      completion_tokens: 4,
      reasoning_tokens: 0,
    };
    assert.deepEqual(rowsOf(await get(rig, path)), [row]);
    const one = { ...row, usage: 0.000011, requests: 1, prompt_tokens: 7, completion_tokens: 2 };
    assert.deepEqual(rowsOf(await get(rig, `${path}?api_key_hash=${hashKey(other)}`)), [one]);
    const workspace_id = "5b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b22";
    assert.deepEqual(rowsOf(await get(rig, `${path}?workspace_id=${workspace_id}`)), [one]);
    const apart = rowsOf(await get(rig, `${path}?group_by=workspace`));
    assert.equal(apart.length, 2);
    assert.deepEqual(apart.find((it) => it.workspace_id === workspace_id), { ...one, workspace_id });
    assert.deepEqual(rowsOf(await get(rig, `${path}?date=2026-01-13`)), []);
    assert.deepEqual(rowsOf(await get(rig, `${path}?user_id=nobody`)), []);
    assert.equal(rowsOf(await get(rig, `${path}?date=2026-01-14`)).length, 1);
    for (const wrong of ["date=2026-01-15", "date=2025-12-15", "date=x", "group_by=model"]) {
      assert.equal((await get(rig, `${path}?${wrong}`)).status, 400, wrong);
    }
  }));
