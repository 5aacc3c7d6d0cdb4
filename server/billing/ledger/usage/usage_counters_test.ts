import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { latencyBucketOf } from "./usage_rows.ts";
import { isModelVote } from "./task_rows.ts";
import { Groups, KEY_A, KEY_B, receiptWith, rowsOf } from "../../../../tests/support/receipts.ts";
import { everything } from "../../../../tests/support/journal.ts";
import type { Receipt } from "../../../../shared/receipts.ts";
import { keyBytes } from "../../../storage/stores/store_key.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import type { Store } from "../../../storage/stores/store.ts";
import { queryUsage, type UsageQuery } from "./usage_query.ts";
import { usageLevelNames } from "./usage_rows.ts";
import { UsageCounters } from "./usage_counters.ts";
import { checkpointsPut, EMBEDDED_INSTANCE, SHARD_COUNT } from "../projection/shard_checkpoints.ts";
import { minuteUsageJob, removeMinuteRows } from "../retention/minute_usage_job.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 0, 14, 12);

const wholeDay = { from: NOON - NOON % DAY, to: NOON - NOON % DAY + DAY } as const;

async function requests(store: Store, query: UsageQuery): Promise<number> {
  const { groups } = await queryUsage(store, query);
  return groups.reduce((sum, { totals }) => sum + totals.requests, 0);
}

Deno.test("UsageCounters writes one row a level for what a batch has in common", () => {
  const parts = new UsageCounters({ start: "run-1" });
  const receipts = Array.from({ length: 40 }, () => receiptWith({ at: NOON }));
  const puts = rowsOf(parts, receipts);
  assert.equal(puts.length, usageLevelNames.length);
  assert.equal(new Set(puts.map(({ key }) => JSON.stringify(key))).size, puts.length);
});

Deno.test("UsageCounters counts a batch as it counts its receipts one by one", () => {
  const moments = [NOON, NOON + 1, NOON + MINUTE - 1, NOON + MINUTE, NOON + HOUR, NOON];
  const kinds: readonly Partial<Receipt>[] = [
    { key_hash: KEY_A, latency_ms: 5, endpoint_id: "one" },
    { key_hash: KEY_A, latency_ms: null, endpoint_id: null, cost: 7 },
    { key_hash: KEY_A, latency_ms: 900, endpoint_id: "two", stands_for: 3 },
    { key_hash: KEY_B, self_test: true },
    { key_hash: KEY_B, status: "failed", model: null },
    { key_hash: KEY_B, provider: null },
  ];
  // Each kind and moment stands beside each other one somewhere.
  const mixed = Array.from(
    { length: 72 },
    (_, n) =>
      receiptWith({ ...kinds[Math.floor(n / 6) % 6], at: moments[(n + Math.floor(n / 36)) % 6] ?? NOON }),
  );
  const whole = new UsageCounters({ start: "run" });
  const single = new UsageCounters({ start: "run" });
  whole.add({ receipts: [...mixed.slice(0, 40), undefined] });
  whole.add({ receipts: mixed.slice(40) });
  for (const receipt of mixed) single.add({ receipts: [receipt] });
  const puts = whole.take();
  assert.ok(puts.length > 10);
  assert.deepEqual(puts, single.take());
});

Deno.test("UsageCounters leaves out what a key did that only tries the gateway", () => {
  const parts = new UsageCounters({ start: "run-1" });
  assert.deepEqual(rowsOf(parts, [receiptWith({ at: NOON, self_test: true })]), []);
  const mixed = [receiptWith({ at: NOON, self_test: true }), receiptWith({ at: NOON })];
  assert.equal(rowsOf(parts, mixed).length, usageLevelNames.length);
});

Deno.test("UsageCounters keeps a commit's keys short when forty receipts have nothing in common", () => {
  const parts = new UsageCounters({ start: "123456789012" });
  const long = "x".repeat(400);
  const receipts = Array.from(
    { length: 40 },
    (_, at) =>
      receiptWith({
        at: NOON,
        key_hash: String(at).padStart(64, "0"),
        model: `${long}${at}`,
        provider: `${at}${long}`,
      }),
  );
  const puts = rowsOf(parts, receipts);
  assert.equal(puts.length, 40 * usageLevelNames.length);
  const bytes = puts.reduce((sum, { key }) => sum + keyBytes(key), 0);
  assert(bytes < 18_000, `${bytes} bytes`);
});

Deno.test("UsageCounters gives values that later receipts do not change", () => {
  const parts = new UsageCounters({ start: "run-1" });
  const first = rowsOf(parts, [receiptWith({ at: NOON })]);
  const before = JSON.stringify(first);
  rowsOf(parts, [receiptWith({ at: NOON })]);
  assert.equal(JSON.stringify(first), before);
});

Deno.test("UsageCounters loses and doubles nothing when a process ends in the middle of an hour", async () => {
  const store = memoryStore();
  const one = new Groups(store, [new UsageCounters({ start: "run-1" })]);
  await one.write([receiptWith({ at: NOON }), receiptWith({ at: NOON + MINUTE })]);
  // The reply of this commit was lost: it is written again.
  const again = new UsageCounters({ start: "run-2" });
  const puts = rowsOf(again, [receiptWith({ at: NOON + 2 * MINUTE })]);
  await store.commit({ puts, small: true });
  await store.commit({ puts, small: true });
  const three = new Groups(store, [new UsageCounters({ start: "run-3" })]);
  await three.write([receiptWith({ at: NOON + 3 * MINUTE })]);
  for (const grain of ["minute", "hour", "day"] as const) {
    assert.equal(await requests(store, { ...wholeDay, grain }), 4, grain);
    assert.equal(await requests(store, { ...wholeDay, grain, key: KEY_A }), 4, grain);
  }
});

Deno.test("UsageCounters holds no rows of hours long past, and no more than it may", async () => {
  const parts = new UsageCounters({ start: "run-1", most: 50 });
  const store = memoryStore();
  const groups = new Groups(store, [parts]);
  for (let at = 0; at < 40; at++) {
    await groups.write(
      Array.from(
        { length: 10 },
        (_, key) => receiptWith({ at: NOON + at * HOUR, key_hash: String(at * 10 + key).padStart(64, "0") }),
      ),
    );
    assert(parts.held <= usageLevelNames.length * 50, `${parts.held} rows held`);
  }
  assert.equal(await requests(store, { from: NOON, to: NOON + 40 * HOUR, grain: "hour" }), 400);
  assert.equal(await requests(store, { from: NOON, to: NOON + 40 * HOUR, grain: "day" }), 400);
});

Deno.test("UsageCounters counts a stream that ends in a later hour where it began", async () => {
  const store = memoryStore();
  const groups = new Groups(store, [new UsageCounters({ start: "run-1" })]);
  await groups.write([receiptWith({ at: NOON })]);
  for (let hour = 1; hour < 6; hour++) await groups.write([receiptWith({ at: NOON + hour * HOUR })]);
  await groups.write([receiptWith({ at: NOON })]);
  assert.equal(await requests(store, { from: NOON, to: NOON + HOUR, grain: "hour" }), 2);
});

Deno.test("queryUsage takes whole days from rows of days and the rest from hours", async () => {
  const store = memoryStore();
  const groups = new Groups(store, [new UsageCounters({ start: "run-1" })]);
  for (let hour = 0; hour < 72; hour++) {
    await groups.write([receiptWith({ at: wholeDay.from + hour * HOUR })]);
  }
  const from = wholeDay.from + 20 * HOUR;
  const sums = await queryUsage(store, { from, to: from + 40 * HOUR, grain: "day" });
  assert.equal(sums.groups[0]?.totals.requests, 40);
  assert.equal(sums.rowsRead, 4 + 1 + 12);
});

Deno.test("queryUsage reads one key's days without those of others", async () => {
  const store = memoryStore();
  const groups = new Groups(store, [new UsageCounters({ start: "run-1" })]);
  await groups.write(Array.from({ length: 30 }, (_, at) => receiptWith({ at: NOON, model: `m/${at}` })));
  await groups.write([receiptWith({ at: NOON, key_hash: KEY_B })]);
  const sums = await queryUsage(store, { ...wholeDay, grain: "day", key: KEY_B, by: ["model"] });
  assert.equal(sums.rowsRead, 1);
  assert.deepEqual(sums.groups.map(({ values }) => values), [["mock/model"]]);
});

Deno.test("queryUsage leaves out the oldest when there is more than it may read", async () => {
  const store = memoryStore();
  const groups = new Groups(store, [new UsageCounters({ start: "run-1" })]);
  for (let hour = 0; hour < 10; hour++) await groups.write([receiptWith({ at: NOON + hour * HOUR })]);
  const query = { from: NOON, to: NOON + 10 * HOUR, grain: "hour", bucket: (at: number) => at } as const;
  const sums = await queryUsage(store, { ...query, maxRows: 3 });
  assert.equal(sums.truncated, true);
  assert.deepEqual(sums.groups.map(({ bucket }) => bucket), [9, 8, 7].map((hour) => NOON + hour * HOUR));
  assert.equal((await queryUsage(store, { ...query, maxRows: 10 })).truncated, false);
  assert.deepEqual((await queryUsage(store, { ...query, to: NOON })).groups, []);
});

Deno.test("removeMinuteRows removes what is older than a day, a bounded number at a time", async () => {
  const store = memoryStore();
  const groups = new Groups(store, [new UsageCounters({ start: "run-1" })]);
  for (let minute = 0; minute < 40; minute++) {
    await groups.write([receiptWith({ at: NOON + minute * MINUTE })]);
  }
  await groups.write([receiptWith({ at: NOON + 2 * DAY })]);
  const now = NOON + 25 * HOUR + 10 * MINUTE;
  assert.equal(await removeMinuteRows(store, { now, most: 4 }), 4);
  assert.equal(await removeMinuteRows(store, { now, most: 100 }), 6);
  assert.equal(await removeMinuteRows(store, { now, most: 100 }), 0);
  assert.equal(await requests(store, { from: NOON, to: NOON + DAY, grain: "minute" }), 30);
  assert.equal(await requests(store, { from: NOON, to: NOON + DAY, grain: "hour" }), 40);
});

Deno.test("minuteUsageJob sweeps every minute until it is closed, and goes on when the store fails", async () => {
  const store = memoryStore();
  const clock = memoryClock(NOON + 2 * DAY);
  const groups = new Groups(store, [new UsageCounters({ start: "run-1" })]);
  await groups.write([receiptWith({ at: NOON })]);
  const warned: string[] = [];
  const quiet = () => {};
  const log = { debug: quiet, info: quiet, warn: (text: string) => warned.push(text), error: quiet };
  let fails = true;
  const flaky: Store = {
    ...store,
    list: (prefix, options) => fails ? Promise.reject(new Error("gone")) : store.list(prefix, options),
    commit: (commit) => store.commit(commit),
  };
  const sweep = minuteUsageJob({ store: flaky, runtime: { clock, log } });
  await clock.advance(MINUTE);
  assert.equal(warned.length, 1);
  fails = false;
  await clock.advance(MINUTE);
  assert.deepEqual(await store.list(["usage_minute"]), []);
  await sweep.close();
  assert.equal(clock.open, 0);
});

Deno.test("Usage rows of a shard put keys that begin alike into one row, and each is read alone", async () => {
  const store = memoryStore();
  await store.commit({ puts: [checkpointsPut(EMBEDDED_INSTANCE, Array(SHARD_COUNT).fill(-1))], small: true });
  const shard = new UsageCounters({ start: "run-1" }).split().shard();
  const keys = Array.from({ length: 40 }, (_, at) => `ab${String(at).padStart(62, "0")}`);
  const groups = new Groups(store, [shard]);
  await groups.write(keys.map((key_hash) => receiptWith({ at: NOON, key_hash })));
  await groups.write(keys.slice(0, 10).map((key_hash) => receiptWith({ at: NOON, key_hash })));
  assert.equal((await everything(store, ["usage_day"])).length, 2);
  assert.equal((await everything(store, ["usage_day_all"])).length, 0);
  for (const grain of ["minute", "hour", "day"] as const) {
    for (const [at, key] of keys.entries()) {
      const { groups, rowsRead } = await queryUsage(store, { ...wholeDay, grain, key });
      assert.equal(groups[0]?.totals.requests, at < 10 ? 2 : 1);
      assert.equal(rowsRead, 1);
    }
    const { groups: all } = await queryUsage(store, { ...wholeDay, grain, by: ["key"] });
    assert.equal(all.length, 40);
  }
});

Deno.test("Usage rows of a shard keep their rows small whatever models are called", () => {
  const shard = new UsageCounters({ start: "run-1" }).split().shard();
  for (let bucket = 0; bucket < 100; bucket++) {
    for (let at = 0; at < 60; at++) {
      const model = `${"模".repeat(at % 2 === 0 ? 2 : 1_000)}${at}`;
      shard.add({ receipts: [receiptWith({ at: NOON, model, latency_ms: 2 ** (bucket / 4) })], offset: 0 });
    }
  }
  const estimate = shard.bytes;
  const sizes = shard.take({ instance: "one", first: 1 })
    .map(({ value }) => value instanceof Uint8Array ? value.length : Infinity);
  assert.ok(Math.max(...sizes) < 60_000, `${Math.max(...sizes)} bytes`);
  assert.ok(estimate > sizes.reduce((sum, size) => sum + size, 0) * 0.8);
});

Deno.test("a response of the cache is no vote for its model, and tells nothing of its latency", () => {
  const asked = receiptWith({ at: NOON, requested_model: "x/1", model: "x/1", latency_ms: 5 });
  const cached = { ...asked, response_cache_source_id: "gen-1" };
  assert.deepEqual([asked, cached].map(isModelVote), [true, false]);
  assert.deepEqual([asked, cached].map((one) => latencyBucketOf(one) !== undefined), [true, false]);
});
