import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import type { Store } from "../../../storage/stores/store.ts";
import { bucketNamesAt } from "../core/counters/bucket_names.ts";
import { QuotaStore } from "./quota_store.ts";

const DAY_MS = 86_400_000;
const scope = "key:a";

async function bucketsOf(store: Store, rows: string): Promise<readonly string[]> {
  return (await store.list([rows, scope])).map(({ key }) => String(key[2]));
}

/** Takes a quota of every bucket of a moment, and gives some of it back. */
async function takeAll(quotas: QuotaStore, at: number): Promise<void> {
  for (const bucket of Object.values(bucketNamesAt(at))) {
    const found = await quotas.read({ scope, bucket });
    const row = { grants: { a: 5 }, gone: 0 };
    assert.ok(await quotas.change({ scope, bucket }, { found, row, returned: true, requests: false }));
  }
}

Deno.test("QuotaStore removes rows of buckets that ended two days before the scope gets a new one", async () => {
  const store = memoryStore();
  const clock = memoryClock();
  const quotas = new QuotaStore({ store, clock, instance: "a" });
  const first = clock.now();
  await takeAll(quotas, first);
  await clock.advance(DAY_MS);
  await takeAll(quotas, clock.now());
  const { daily, lifetime } = bucketNamesAt(first);
  assert.ok((await bucketsOf(store, "share")).includes(daily), "a request may still spend in it");
  await clock.advance(70 * DAY_MS);
  await takeAll(quotas, clock.now());
  const kept = Object.values(bucketNamesAt(clock.now())).sort();
  assert.ok(kept.includes(lifetime));
  assert.deepEqual(await bucketsOf(store, "share"), kept);
  assert.deepEqual(await bucketsOf(store, "wanted"), kept);
});

Deno.test("QuotaStore lets another scope's rows and a bucket that is running be", async () => {
  const store = memoryStore();
  const clock = memoryClock();
  const quotas = new QuotaStore({ store, clock, instance: "a" });
  await takeAll(quotas, clock.now());
  await store.commit({ puts: [{ key: ["share", "key:b", "d2001-01-01"], value: { grants: {}, gone: 0 } }] });
  const running = await bucketsOf(store, "share");
  await takeAll(quotas, clock.now());
  assert.deepEqual(await bucketsOf(store, "share"), running);
  assert.ok(await store.get(["share", "key:b", "d2001-01-01"]));
});
