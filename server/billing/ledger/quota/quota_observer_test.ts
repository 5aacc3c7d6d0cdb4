import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { limitOf } from "../../../../tests/support/ledger.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import { CounterCache } from "../core/counters/counter_cache.ts";
import { heldQuotaOf } from "./held_quota.ts";
import { instanceKey, liveInstances } from "./instances.ts";
import { QuotaObserver } from "./quota_observer.ts";
import { QuotaStore } from "./quota_store.ts";
import { quotaKey } from "./quota_division.ts";

const instances = ["a", "b"];
const scope = "key:a";

/** A bucket in which each of two instances has a grant. */
async function observing() {
  const store = memoryStore();
  const clock = memoryClock();
  const grants = Object.fromEntries(instances.map((id) => [id, 10]));
  await store.commit({
    puts: [
      ...instances.map((id) => ({ key: instanceKey(id), value: { beat: 1 } })),
      { key: quotaKey(scope, "lifetime"), value: { grants } },
    ],
  });
  const counters = new CounterCache({ store, instance: "a" });
  const rows = new QuotaStore({ store, clock, instance: "a" });
  const observer = new QuotaObserver({ rows, scopes: counters, live: () => liveInstances(store) });
  const counter = counters.get(scope);
  const bound = {
    limit: limitOf(100, { scope }),
    counter,
    bucket: counter.bucket("lifetime"),
    at: clock.now(),
  };
  return { observer, quota: heldQuotaOf(bound, clock) };
}

Deno.test("a look counts everybody who lives, while others forget it all the time", async () => {
  const { observer, quota } = await observing();
  let isOver = false;
  const looking = observer.look(quota, undefined).finally(() => isOver = true);
  while (!isOver) {
    observer.forgetLive();
    await null;
  }
  assert.deepEqual([...(await looking).live].toSorted(), instances);
});
