/** Tests tags over HTTP: they are set when a receipt is written, and each list of receipts filters by them. */

import assert from "node:assert/strict";
import { call, pricedAt } from "../money/rig.ts";
import { fakeClock, turns } from "../support/clock.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, manage, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";

const stars = [{ field: "user_id", operator: "starts_with", value: "ada" }];

async function createRule(gateway: Gateway, more: Json): Promise<string> {
  const body = { name: "A rule", conditions: stars, ...more };
  const made = await managed(gateway, { call: "POST /observability/classifiers", body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return String(asObject(made.body.data).id);
}

async function ask(gateway: Gateway, { key, user }: { readonly key: string; readonly user: string }) {
  const response = await call(gateway, { key, more: { user } });
  await response.text();
  return response.headers.get("x-generation-id") ?? "";
}

async function data(gateway: Gateway, call: string, body?: Json) {
  const answer = await managed(gateway, { call, body });
  assert.equal(answer.status, 200, `${call}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

const tagsOf = async (gateway: Gateway, id: string) =>
  asObject(await data(gateway, `GET /generation?id=${id}`)).tags;

/** A gateway with three rules, and receipts of three users by these. */
async function taggedRig() {
  const upstream = scripted(says("chat", "one two three"));
  const gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { key } = await createKey(gateway);
  await createRule(gateway, { tag: "star" });
  const dear = { field: "total_cost", operator: "gt", value: 0 };
  await createRule(gateway, { tag: "billed", conditions: [...stars, dear] });
  const bobs = [{ field: "user_id", operator: "equals", value: "bob" }];
  await createRule(gateway, { tag: "bob", conditions: bobs });
  const ids: string[] = [];
  for (const user of ["ada-1", "bob", "eve"]) ids.push(await ask(gateway, { key, user }));
  const [ada = "", bob = "", eve = ""] = ids;
  const close = async () => {
    await gateway[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  };
  return { gateway, ada, bob, eve, [Symbol.asyncDispose]: close };
}

Deno.test("lists, exports, histograms and groups find receipts by their tags", async () => {
  await using rig = await taggedRig();
  const { gateway, ada, bob, eve } = rig;
  assert.deepEqual(await tagsOf(gateway, ada), ["star", "billed"]);
  assert.deepEqual(await tagsOf(gateway, bob), ["bob"]);
  assert.deepEqual(await tagsOf(gateway, eve), []);
  const wanted: readonly (readonly [string, readonly string[]])[] = [
    ["tag=star", [ada]],
    ["tag=billed&q=ada", [ada]],
    ["tag=billed&status=completed", [ada]],
    ["tag=bob", [bob]],
    ["tag=none", []],
    ["tag=", [eve, bob, ada]],
  ];
  for (const [query, ids] of wanted) {
    const rows = asList(await data(gateway, `GET /receipts?${query}`)).map(asObject);
    assert.deepEqual(rows.map(({ id }) => id).sort(), [...ids].sort(), query);
    const bars = asObject(await data(gateway, `GET /receipts/histogram?${query}`));
    const answered = asList(bars.bars).map((bar) => Number(asObject(bar).answered));
    assert.equal(answered.reduce((sum, one) => sum + one, 0), ids.length, query);
    assert.equal(bars.counted, query.includes("q=") ? "receipts" : "sums", query);
    const groups = asList(await data(gateway, `GET /receipts/groups?by=user&${query}`)).map(asObject);
    assert.equal(groups.reduce((sum, { requests }) => sum + Number(requests), 0), ids.length, query);
    const file = await (await manage(gateway, { call: `GET /receipts/export?format=jsonl&${query}` })).text();
    const exported = file.split("\n").filter((line) => line !== "").map((line) => asObject(JSON.parse(line)));
    assert.deepEqual(exported.map(({ id }) => id).sort(), [...ids].sort(), query);
    if (query === "tag=star") assert.deepEqual(exported[0]?.tags, ["star", "billed"]);
  }
  const csv = await (await manage(gateway, { call: "GET /receipts/export?tag=star" })).text();
  assert.match(csv, /star.*billed/);
  assert.equal((await managed(gateway, { call: "GET /receipts?tag=A%20b" })).status, 400);
});

Deno.test("analytics counts a request for each of its tags, and filters by them", async () => {
  await using rig = await taggedRig();
  const count = async (more: Json) => {
    const body = { metrics: ["request_count"], ...more };
    const answer = await data(rig.gateway, "POST /analytics/query", body);
    return asList(asObject(answer ?? {}).data ?? answer).map(asObject);
  };
  const byTag = await count({ dimensions: ["tag"] });
  assert.deepEqual(
    new Map(byTag.map(({ tag, request_count }) => [tag, request_count])),
    new Map([["star", 1], ["billed", 1], ["bob", 1], [null, 1]]),
  );
  const filters: readonly (readonly [string, string | readonly string[], number])[] = [
    ["eq", "star", 1],
    ["neq", "star", 2],
    ["in", ["billed", "bob"], 2],
    ["not_in", ["star", "bob"], 1],
    ["eq", "", 1],
  ];
  for (const [operator, value, wanted] of filters) {
    const [row] = await count({ filters: [{ field: "tag", operator, value }] });
    assert.equal(row?.request_count, wanted, `${operator} ${JSON.stringify(value)}`);
  }
});

Deno.test("the tail sends receipts of a tag only", async () => {
  await using upstream = scripted(says("chat", "one"));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { key } = await createKey(gateway);
  await createRule(gateway, { tag: "star" });
  const tail = await manage(gateway, { call: "GET /receipts/tail?tag=star" });
  await ask(gateway, { key, user: "eve" });
  const ada = await ask(gateway, { key, user: "ada" });
  const reader = tail.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  while (!seen.includes("event: receipt\n") || !seen.includes("\n\n")) {
    seen += (await reader?.read())?.value ?? "";
  }
  await reader?.cancel();
  assert.deepEqual([...seen.matchAll(/"id":"(gen-[0-9a-f]+)"/g)].map(([, id]) => id), [ada]);
});

Deno.test("a change of rules holds from the next receipt on, and older ones keep their tags", async () => {
  await using upstream = scripted(says("chat", "one"));
  const clock = fakeClock();
  const providers = [pricedAt(upstream.baseUrl, { wire: "chat" })];
  await using one = await startGateway({ providers, shared: true, clock: fakeClock() });
  await using other = await startGateway({ providers, beside: one, clock });
  const { key } = await createKey(one);
  const tags = async () => {
    const here = await ask(one, { key, user: "ada" });
    await clock.advanceOnce(turns, 1_000);
    const there = await ask(other, { key, user: "ada" });
    return [here, await tagsOf(one, here), await tagsOf(one, there)] as const;
  };
  const [, ...before] = await tags();
  assert.deepEqual(before, [[], []]);
  const id = await createRule(one, { tag: "star" });
  const path = `/observability/classifiers/${id}`;
  const [first, ...created] = await tags();
  assert.deepEqual(created, [["star"], ["star"]]);
  await managed(one, { call: `PATCH ${path}`, body: { tag: "moon" } });
  assert.deepEqual((await tags()).slice(1), [["moon"], ["moon"]]);
  await managed(one, { call: `PATCH ${path}`, body: { enabled: false } });
  assert.deepEqual((await tags()).slice(1), [[], []]);
  await managed(one, { call: `PATCH ${path}`, body: { enabled: true } });
  assert.deepEqual((await tags()).slice(1), [["moon"], ["moon"]]);
  await managed(one, { call: `DELETE ${path}` });
  assert.deepEqual((await tags()).slice(1), [[], []]);
  assert.deepEqual(await tagsOf(one, first), ["star"]);
});

Deno.test("of rules that are made at once no more stay than there may be", async () => {
  await using gateway = await startGateway();
  const body = { name: "A rule", tag: "star", conditions: stars };
  const create = () => managed(gateway, { call: "POST /observability/classifiers", body });
  for (let count = 0; count < 48; count++) await create();
  const last = await Promise.all(Array.from({ length: 5 }, create));
  assert.deepEqual(last.map(({ status }) => status).sort(), [201, 201, 409, 409, 409]);
  const { body: listed } = await managed(gateway, { call: "GET /observability/classifiers" });
  assert.equal(listed.total_count, 50);
});
