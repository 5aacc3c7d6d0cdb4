/** Two runs of a gateway over one store, the second of which begins in the middle of the first one's hour. */

import assert from "node:assert/strict";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { fakeClock, turns } from "../support/clock.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { dataOf, operate, rowsOf } from "../support/operate.ts";
import { says, scripted } from "../support/scripted.ts";

const env = {
  TOLLGATE_API_KEY: "an-operators-own-api-key-0123456789abcdef",
  TOLLGATE_MANAGEMENT_KEY: "an-operators-own-management-key-0123456789",
};

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

async function generate({ url, apiKey }: Gateway): Promise<void> {
  const path = "/responses";
  const { status } = await operate({ url, key: apiKey }, {
    method: "POST",
    path,
    body: { model: "mock/model", input: "Hi" },
  });
  assert.equal(status, 200);
}

Deno.test("a restart in the middle of an hour loses and doubles nothing of what was counted", async () => {
  await using upstream = scripted(says("responses", "Hello there"));
  const models = [{ ...mockModel, pricing: { prompt: "0.000001", completion: "0.000002" } }];
  const providers = [providerAt(upstream.baseUrl, { models })];
  const store = memoryStore();
  const clock = fakeClock();
  const ids: unknown[] = [];
  for (const requests of [3, 2, 1]) {
    await using gateway = await startGateway({ providers, clock, env, store: kept(store) });
    const manager = { url: gateway.url, key: gateway.managementKey };
    for (let at = 0; at < requests; at++) await generate(gateway);
    const receipts = rowsOf(await operate(manager, { path: "/receipts" }));
    assert.deepEqual(receipts.slice(requests).map(({ id }) => id), ids, "the earlier ones are still there");
    ids.splice(0, ids.length, ...receipts.map(({ id }) => id));
    const cost = receipts.reduce((sum, receipt) => sum + Number(receipt.cost), 0);
    for (const granularity of ["minute", "hour", "day"]) {
      const body = { metrics: ["request_count", "total_usage"], granularity };
      const answer = dataOf(await operate(manager, { method: "POST", path: "/analytics/query", body }));
      const rows = rowsOf({ status: 200, body: { data: answer.data } });
      assert.equal(rows.reduce((sum, row) => sum + Number(row.request_count), 0), ids.length, granularity);
      const totalUsage = rows.reduce((sum, row) => sum + Number(row.total_usage), 0);
      assert.equal(totalUsage.toFixed(9), cost.toFixed(9), granularity);
    }
    await clock.advanceOnce(turns, 7 * 60_000);
  }
  assert.equal(ids.length, 6);
});
