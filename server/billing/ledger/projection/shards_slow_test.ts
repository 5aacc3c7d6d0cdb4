import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { assertSound, closesOf, everything } from "../../../../tests/support/journal.ts";
import { flatOrder, KEY_HASH, ledgerRuntime, openTransaction } from "../../../../tests/support/ledger.ts";
import { receiptWith } from "../../../../tests/support/receipts.ts";
import { toNanoUsd } from "../../../../shared/money.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../../storage/stores/store.ts";
import { queryUsage } from "../usage/usage_query.ts";
import { readShardCheckpoints, SHARD_COUNT, shardOf } from "./shard_checkpoints.ts";
import type { Ledger } from "../core/ledger.ts";
import { openLedger } from "../core/open_ledger.ts";
import { createProjectionParts } from "./projection_parts.ts";
import { UsageCounters } from "../usage/usage_counters.ts";
import { ProjectionShards } from "./shards.ts";
import type { ProjectionCommit } from "./projection.ts";
import { listReceipts } from "../index/receipt_list.ts";
import { createReceiptReader } from "../journal/receipt_reader.ts";
import { removeOldReceipts } from "../retention/receipt_retention.ts";
import { CounterCache } from "../core/counters/counter_cache.ts";

const DAY = Date.UTC(2026, 0, 14);
const DAY_MS = 86_400_000;
const COUNT = 200;

const keys = Array.from({ length: COUNT }, (_, at) => hash("sha256", `${at}`));
const scopesOf = (key: string) => [`key:${key}`, "account"];
const scopes = [...keys.map((key) => `key:${key}`), "account"];

/** One request by each key, a hundred at a time. */
async function traffic(ledger: Ledger, life: string): Promise<void> {
  for (let from = 0; from < COUNT; from += 100) {
    await Promise.all(
      keys.slice(from, from + 100).map(async (key, at) => {
        const billing = { scopes: scopesOf(key), limits: [] };
        const { transaction, close } = openTransaction(ledger, {
          billing,
          id: `gen-${life}-${from + at}`,
        });
        (await transaction.reserve(flatOrder(100))).settle({ cost: toNanoUsd(1 + at), byok: toNanoUsd(0) });
        await close({ key_hash: key });
      }),
    );
  }
}

type Fault = "before" | "after";

/** A store that takes so many commits of projections, and fails all others; the first of them may happen. */
function failing(inner: Store, { takes, fault }: { readonly takes: number; readonly fault: Fault }) {
  let posted = 0;
  const store: Store = {
    get: (key) => inner.get(key),
    getMany: (all) => inner.getMany(all),
    list: (prefix, options) => inner.list(prefix, options),
    commit: async (commit) => {
      const projection = commit.puts?.some(({ key }) => key[0] === "posting" || key[0] === "posting_lanes");
      if (projection !== true || posted++ < takes) return await inner.commit(commit);
      if (fault === "after" && posted === takes + 1) await inner.commit(commit);
      throw new StoreError("unavailable", "The disk is full");
    },
    health: () => inner.health(),
    close: () => inner.close(),
  };
  return { store, posted: () => posted };
}

async function assertCounted(store: Store): Promise<void> {
  const closes = await closesOf(store);
  const range = { from: DAY, to: DAY + DAY_MS };
  for (const grain of ["minute", "hour", "day"] as const) {
    const { groups } = await queryUsage(store, { ...range, grain, by: ["key"] });
    const totalsByKey = new Map(groups.map(({ values: [key = ""], totals }) => [key, totals]));
    assert.equal(groups.reduce((sum, { totals }) => sum + totals.requests, 0), closes.length, grain);
    for (const key of keys) {
      const own = closes.filter(({ receipt }) => receipt.key_hash === key);
      assert.equal(totalsByKey.get(key)?.requests ?? 0, own.length, `${grain} ${key}`);
      assert.equal(totalsByKey.get(key)?.cost ?? 0, own.reduce((sum, { cost }) => sum + cost, 0));
    }
  }
  const [key = ""] = keys;
  const own = closes.filter(({ receipt }) => receipt.key_hash === key);
  for (const grain of ["minute", "hour", "day"] as const) {
    const { groups } = await queryUsage(store, { ...range, grain, key });
    assert.equal(groups[0]?.totals.requests, own.length);
  }
}

for (const fault of ["before", "after"] as const) {
  Deno.test(`ProjectionShards lose and double nothing wherever a process ends between two of them: ${fault}`, async () => {
    for (let takes = 1, ended = false; !ended; takes++) {
      const inner = memoryStore();
      const { store, posted } = failing(inner, { takes, fault });
      const runtime = ledgerRuntime(memoryClock());
      const parts = (run: string) => createProjectionParts({ randomToken: () => run });
      const first = await openLedger({
        store,
        runtime,
        projectionParts: parts("one"),
        isShared: false,
      });
      // Nobody says goodbye: that is how a process ends that is killed.
      for (const wave of ["1", "2"]) {
        await traffic(first, wave);
        await first.caughtUp().catch((error: unknown) => assert.match(String(error), /cannot be read yet/));
      }
      ended = posted() <= takes;
      const again = await openLedger({
        store: inner,
        runtime,
        projectionParts: parts("two"),
        isShared: false,
      });
      await assertSound(inner, { instances: ["own"], scopes, seen: [] });
      await assertCounted(inner);
      await traffic(again, "3");
      await again.close();
      await assertSound(inner, { instances: ["own"], scopes, seen: [] });
      await assertCounted(inner);
      assert.ok(!ended || takes > 6, `only ${takes} commits`);
    }
  });
}

Deno.test("Projector writes all that is counted within a few seconds, and then rests", async () => {
  const store = memoryStore();
  const clock = memoryClock();
  const parts = createProjectionParts({ randomToken: () => "run" });
  const ledger = await openLedger({
    store,
    runtime: ledgerRuntime(clock),
    projectionParts: parts,
    isShared: false,
  });
  await traffic(ledger, "1");
  await clock.advance(10_000);
  await assertCounted(store);
  assert.equal(clock.open, 0);
  const last = await readShardCheckpoints(store, "own");
  assert.equal(last?.length, SHARD_COUNT);
  assert.equal(new Set(last).size, 1);
  await ledger.close();
});

Deno.test("ReceiptReader of many keys in one posting are listed by key, and retired with all their rows", async () => {
  const store = memoryStore();
  const clock = memoryClock();
  const parts = createProjectionParts({ randomToken: () => "run" });
  const ledger = await openLedger({
    store,
    runtime: ledgerRuntime(clock),
    projectionParts: parts,
    isShared: false,
  });
  await traffic(ledger, "1");
  await ledger.caughtUp();
  for (const key of keys.slice(0, 10)) await oneBy(ledger, key);
  await ledger.caughtUp();
  const rows = await everything(store, ["receipts_by", "key"]);
  assert.ok(rows.length < 160 + 10, `${rows.length} rows`);
  const deps = { store, batches: createReceiptReader(store) };
  for (const [at, key] of keys.entries()) {
    for (const filters of [{ key }, { key, status: "completed" }, { key, model: "m", provider: "p" }]) {
      const { receipts, next } = await listReceipts(deps, { filters, limit: 10 });
      assert.deepEqual(receipts.map(({ key_hash }) => key_hash), Array(at < 10 ? 2 : 1).fill(key));
      assert.equal(next, undefined);
    }
  }
  assert.equal(await removeOldReceipts(store, { before: clock.now() + DAY_MS, most: 1_000 }) > 5, true);
  const left = await closesOf(store);
  assert.equal((await everything(store, ["receipts_by", "key"])).length, left.length);
  assert.equal((await everything(store, ["receipt_ids"])).length, left.length);
  await ledger.close();
});

async function oneBy(ledger: Ledger, key: string): Promise<void> {
  const { transaction, close } = openTransaction(ledger, { billing: { scopes: scopesOf(key), limits: [] } });
  (await transaction.reserve(flatOrder(100))).settle({ cost: toNanoUsd(3), byok: toNanoUsd(0) });
  await close({ key_hash: key });
}

Deno.test("Shards give a shard away that a commit would soon have no room for", () => {
  const scopes = new CounterCache({ store: memoryStore(), instance: "own" });
  const { log } = ledgerRuntime(memoryClock());
  const shards = new ProjectionShards({
    instance: "own",
    scopes,
    parts: [new UsageCounters({ start: "run" }).split()],
    log,
  });
  const batch = (seq: number, modelOf: (at: number) => string) => {
    const receipts = Array.from(
      { length: 40 },
      (_, at) => receiptWith({ key_hash: KEY_HASH, model: modelOf(at) }),
    );
    return shards.add({ seq, closed: [], receipts });
  };
  for (let seq = 0; seq < 100; seq++) {
    assert.deepEqual(batch(seq, () => "m"), [], "they change the same rows");
  }
  assert.ok(!shards.isIdle);
  const input: ProjectionCommit[] = [];
  let seq = 100;
  for (; input.length === 0 && seq < 200; seq++) input.push(...batch(seq, (at) => `model-${seq}-${at}`));
  assert.equal(input.length, 1);
  const values = input[0]?.extra.map(({ value }) => value instanceof Uint8Array ? value.length : 0) ?? [];
  const bytes = values.reduce((sum, length) => sum + length, 0);
  assert.ok(bytes > 100_000 && bytes < 300_000, `${bytes} bytes`);
  assert.ok(Math.max(...values) < 60_000);
  assert.ok(shards.isIdle);
  assert.deepEqual(batch(seq, () => "m"), []);
  assert.ok(!shards.isIdle);
});

Deno.test("shardOf spreads hashes and scopes, and takes whatever it is given", () => {
  assert.equal(shardOf("ff00"), 255);
  assert.equal(shardOf("key:0a11"), 10);
  assert.equal(shardOf("guardrail:one:key:0b"), 11);
  assert.equal(shardOf("account"), 0xac);
  const two = Array.from({ length: SHARD_COUNT }, (_, at) => at.toString(16).padStart(2, "0"));
  for (
    const name of two.flatMap((digits) => [digits, `key:${digits}7`, `workspace:${digits.toUpperCase()}`])
  ) {
    assert.equal(shardOf(name), Number.parseInt(name.split(":").at(-1)?.slice(0, 2) ?? "", 16), name);
  }
  for (const [name, shard] of [["f", 15], ["fx", 15], ["xf", 0], ["key:", 0]] as const) {
    assert.equal(shardOf(name), shard);
  }
  for (const name of ["", "key:", "account", "-1", "key:-f", "💥", "workspace:zz"]) {
    assert.ok(shardOf(name) >= 0 && shardOf(name) < SHARD_COUNT, name);
  }
});
