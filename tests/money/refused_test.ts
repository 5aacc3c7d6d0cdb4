/** A key whose requests are all refused costs its owner nothing, and must not fill the store. */

import assert from "node:assert/strict";
import { hashKey } from "../../server/management/keys/key_rows.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { type FakeClock, fakeClock, turns } from "../support/clock.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { dataOf, operate, rowsOf } from "../support/operate.ts";
import { says, scripted } from "../support/scripted.ts";
import { apiNames, call, pricedAt } from "./rig.ts";

/** Store that stays for the next run. */
function kept(store: Store): Store {
  return {
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    list: (prefix, options) => store.list(prefix, options),
    commit: (commit) => store.commit(commit),
    health: () => store.health(),
    close: () => Promise.resolve(),
  };
}

interface Rig {
  readonly gateway: Gateway;
  readonly clock: FakeClock;
}

async function withGateway(test: (rig: Rig) => Promise<void>): Promise<void> {
  await using upstream = scripted(says("chat", "one two three"));
  const clock = fakeClock();
  const providers = [pricedAt(upstream.baseUrl, { wire: "chat" })];
  await using gateway = await startGateway({ providers, clock });
  await test({ gateway, clock });
}

const management = ({ gateway: { url, managementKey: key } }: Rig) => ({ url, key });

/** Asks and is refused; gives the generation of each answer. */
async function refusals(rig: Rig, { key, count, status }: { key: string; count: number; status: number }) {
  const generations: string[] = [];
  for (let at = 0; at < count; at++) {
    const api = apiNames[at % apiNames.length];
    const refused = await call(rig.gateway, { key, api, stream: at % 2 === 0 });
    assert.equal(refused.status, status, await refused.text());
    generations.push(refused.headers.get("x-generation-id") ?? "");
  }
  return generations;
}

/** Every receipt of a key, newest first, as how many refusals each stands for. */
async function receiptsOf(rig: Rig, key: string): Promise<readonly number[]> {
  const path = `/receipts?api_key_hash=${hashKey(key)}&limit=100`;
  const rows = rowsOf(await operate(management(rig), { path }));
  assert(rows.every(({ status }) => status === "refused"));
  return rows.map(({ stands_for: count = 1 }) => Number(count));
}

/** Refused requests as the sums know them. */
async function refusedOf(rig: Rig): Promise<number> {
  const body = { metrics: ["request_count"], dimensions: ["status"], granularity: "minute" };
  const query = { method: "POST", path: "/analytics/query", body };
  const { data } = dataOf(await operate(management(rig), query));
  const rows = rowsOf({ status: 200, body: { data } }).filter(({ status }) => status === "refused");
  return rows.reduce((sum, row) => sum + Number(row.request_count), 0);
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

Deno.test("of a flood of refusals so many a minute are written, and all are counted", () =>
  withGateway(async (rig) => {
    const key = await rig.gateway.addKey({ kind: "api", limit: 0 });
    const other = await rig.gateway.addKey({ kind: "api", limit: 0 });
    await refusals(rig, { key, count: 100, status: 402 });
    await refusals(rig, { key: other, count: 2, status: 402 });
    await rig.clock.advanceOnce(turns, 60_000);
    const [last, ...first] = await receiptsOf(rig, key);
    assert.deepEqual([last, first.length, sumOf(first)], [40, 60, 60]);
    assert.deepEqual(await receiptsOf(rig, other), [1, 1], "another key has its own");
    assert.equal(await refusedOf(rig), 102);
    await refusals(rig, { key, count: 1, status: 402 });
    assert.equal((await receiptsOf(rig, key)).length, 62, "a new minute begins");
  }));

Deno.test("every refusal names a receipt that is there, within the minute too", () =>
  withGateway(async (rig) => {
    const key = await rig.gateway.addKey({ kind: "api", limit: 0 });
    const named = await refusals(rig, { key, count: 70, status: 402 });
    assert.equal(new Set(named).size, 61, "those beyond sixty share one");
    for (const id of new Set(named)) {
      const { status, body } = await operate(management(rig), { path: `/generation?id=${id}` });
      assert.equal(status, 200, `${id} ${JSON.stringify(body)}`);
    }
    assert.deepEqual((await receiptsOf(rig, key)).slice(0, 2), [10, 1], "asked for, it is written at once");
    await refusals(rig, { key, count: 5, status: 402 });
    assert.equal(sumOf(await receiptsOf(rig, key)), 75, "and the next ones share another");
    assert.equal(await refusedOf(rig), 75);
  }));

Deno.test("refusals for a rate are written no more often", () =>
  withGateway(async (rig) => {
    const key = await rig.gateway.addKey({ kind: "api" });
    const path = `/keys/${hashKey(key)}/rate-limits`;
    await operate(management(rig), { method: "PUT", path, body: { requests_per_minute: 1 } });
    assert.equal((await call(rig.gateway, { key, cap: 300 }).then(read)).status, 200);
    await refusals(rig, { key, count: 70, status: 429 });
    await rig.clock.advanceOnce(turns, 60_000);
    assert.equal(await refusedOf(rig), 70);
    const query = `/receipts?api_key_hash=${hashKey(key)}&status=refused&limit=100`;
    assert.equal(rowsOf(await operate(management(rig), { path: query })).length, 61);
  }));

Deno.test("answers are written one by one, however many there are", () =>
  withGateway(async (rig) => {
    const key = await rig.gateway.addKey({ kind: "api", limit: 1 });
    for (let at = 0; at < 70; at++) await call(rig.gateway, { key, cap: 300 }).then(read);
    const path = `/receipts?api_key_hash=${hashKey(key)}&limit=100`;
    assert.equal(rowsOf(await operate(management(rig), { path })).length, 70);
  }));

Deno.test("a gateway that stops writes the refusals that it has counted", async () => {
  await using upstream = scripted(says("chat", "one two three"));
  const store = kept(memoryStore());
  const providers = [pricedAt(upstream.baseUrl, { wire: "chat" })];
  const clock = fakeClock();
  const env = {
    TOLLGATE_MANAGEMENT_KEY: "refused-management-key-of-32-characters",
    TOLLGATE_API_KEY: "refused-api-key-of-at-least-32-characters",
  };
  const first = await startGateway({ providers, clock, store, env });
  const key = await first.addKey({ kind: "api", limit: 0 });
  await refusals({ gateway: first, clock }, { key, count: 75, status: 402 });
  await first.close();
  await using second = await startGateway({ providers, clock, store, env });
  assert.deepEqual((await receiptsOf({ gateway: second, clock }, key)).slice(0, 2), [15, 1]);
  assert.equal(await refusedOf({ gateway: second, clock }), 75);
});

async function read(response: Response): Promise<Response> {
  await response.text();
  return response;
}
