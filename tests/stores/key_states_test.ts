/** Lists of keys by state and order, against a plain filter over random keys, on every store. */

import assert from "node:assert/strict";
import type { LimitPeriod, SpendByPeriod, SpendScope } from "../../server/billing/ledger/core/ledger.ts";
import { UsageCounters } from "../../server/billing/ledger/usage/usage_counters.ts";
import { CacheVersions } from "../../server/management/core/cache_versions.ts";
import { zeroSpend } from "../../server/management/keys/key_record.ts";
import { keyCollection, type KeyRow, keyScope, newKeyRow } from "../../server/management/keys/key_rows.ts";
import { keyPuts } from "../../server/management/keys/lists/key_index.ts";
import { keyIndexMarks } from "../../server/management/keys/lists/key_index_fill.ts";
import { KeyLists } from "../../server/management/keys/lists/key_lists.ts";
import { workspaceCollection } from "../../server/management/workspaces/workspace_rows.ts";
import { createRuntime } from "../../server/runtime.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { type KeySort, keySorts, type KeyState, keyStates } from "../../shared/management/lists/key_sorts.ts";
import type { KeyListQuery, ListedKey } from "../../shared/management/keys.ts";
import { toNanoUsd } from "../../shared/money.ts";
import { seeded } from "../fuzz/random.ts";
import { fakeClock } from "../support/clock.ts";
import { testEachStore } from "../support/each_store.ts";
import { Groups, receiptWith } from "../support/receipts.ts";
import { seed } from "../support/seed.ts";

const DAY_MS = 86_400_000;
const WORKSPACES = ["0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11", "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b12"] as const;
const KEYS = 150;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

interface MadeKey {
  readonly row: KeyRow;
  /** Nano-USD in every period. */
  readonly spent: number;
  /** Start of the hour, or of the day where that is long ago. */
  readonly usedAt: number | undefined;
}

/** Keys of each state, by a plain look at each key. */
const states: { readonly [S in KeyState]: (key: MadeKey, now: number) => boolean } = {
  active: ({ row }, now) => !row.disabled && !(row.expires_at !== null && Date.parse(row.expires_at) <= now),
  disabled: ({ row }) => row.disabled,
  expired: ({ row }, now) => !row.disabled && row.expires_at !== null && Date.parse(row.expires_at) <= now,
  expiring: (key, now) =>
    states.active(key, now) && key.row.expires_at !== null &&
    Date.parse(key.row.expires_at) - now <= 7 * DAY_MS,
  nearly: (key, now) => {
    const { limit } = key.row;
    return states.active(key, now) && limit !== null && key.spent < limit && key.spent >= limit * 0.9;
  },
  reached: (key, now) => states.active(key, now) && key.row.limit !== null && key.spent >= key.row.limit,
  unused: (key, now) =>
    states.active(key, now) && now - Date.parse(key.row.created_at) >= 30 * DAY_MS &&
    (key.usedAt ?? 0) < now - 30 * DAY_MS,
};

function makeKeys(now: number): readonly MadeKey[] {
  const random = seeded(seed);
  return Array.from({ length: KEYS }, (_, count) => {
    const workspaceId = random.pick(WORKSPACES);
    const token = `key ${count}`;
    const age = random.pick([0, 1, 29, 30, 31, 90]) * DAY_MS;
    const end = random.pick([
      null,
      null,
      null,
      -DAY_MS,
      1,
      6 * DAY_MS,
      7 * DAY_MS,
      7 * DAY_MS + 1,
      90 * DAY_MS,
    ]);
    const used = random.pick([null, 0, 1, 29, 31, 40]);
    const at = used === null ? undefined : now - used * DAY_MS;
    const row: KeyRow = {
      ...newKeyRow(
        { kind: "api", token, name: `Key ${random.pick(["a", "b", "c"])} ${count}`, workspaceId },
        now - age,
      ),
      disabled: random.next() < 0.2,
      expires_at: end === null ? null : new Date(now + end).toISOString(),
      limit: random.pick([null, 1_000, 0]),
      limit_reset: random.pick([null, "daily", "weekly", "monthly"]),
    };
    const unit = used !== null && used > 31 ? DAY_MS : 3_600_000;
    return {
      row,
      spent: random.pick([0, 500, 899, 900, 999, 1_000, 2_000]),
      usedAt: at === undefined ? undefined : Math.floor(at / unit) * unit,
    };
  });
}

async function fill(
  store: Store,
  { keys, now }: { readonly keys: readonly MadeKey[]; readonly now: number },
) {
  const workspaces = workspaceCollection(store);
  const puts = WORKSPACES.map((id, at) =>
    workspaces.put([id], {
      id,
      name: `Workspace ${at}`,
      slug: `workspace-${at}`,
      created_at: new Date(now).toISOString(),
      updated_at: null,
      created_by: null,
    })
  );
  await store.commit({ puts: [...puts, ...keyIndexMarks(store, new Date(now).toISOString())] });
  for (const { row } of keys) await store.commit({ puts: keyPuts(store, row) });
  const groups = new Groups(store, [new UsageCounters({ start: "run" })]);
  for (const { row, usedAt } of keys) {
    if (usedAt === undefined) continue;
    await groups.write([receiptWith({ at: usedAt, key_hash: row.hash, workspace_id: row.workspace_id })]);
  }
}

const spendOf = (nano: number): SpendByPeriod => {
  const each = { cost: toNanoUsd(nano), byok: toNanoUsd(0) };
  const spend: Record<LimitPeriod, typeof each> = {
    daily: each,
    weekly: each,
    monthly: each,
    lifetime: each,
  };
  return spend;
};

async function everyPage(lists: KeyLists, query: Partial<KeyListQuery>) {
  const keys: ListedKey[] = [];
  const totals = new Set<number | null | undefined>();
  let cursor: string | undefined;
  do {
    const page = await lists.read({ workspace_id: "all", limit: 7, ...query, cursor });
    assert(page.data.length <= 7);
    keys.push(...page.data);
    totals.add(page.total);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  assert.equal(totals.size, 1);
  return { keys, total: [...totals][0] };
}

const orders: { readonly [S in KeySort]?: (a: ListedKey, b: ListedKey) => number } = {
  created: (a, b) => b.created_at.localeCompare(a.created_at),
  name: (a, b) => a.name.localeCompare(b.name),
  last_used: (a, b) =>
    Date.parse(b.last_used_at ?? "1970-01-01") - Date.parse(a.last_used_at ?? "1970-01-01"),
  expires: (a, b) => Date.parse(a.expires_at ?? "9999-01-01") - Date.parse(b.expires_at ?? "9999-01-01"),
};

async function agree(store: Store): Promise<void> {
  const clock = fakeClock();
  const now = clock.now();
  const keys = makeKeys(now);
  await fill(store, { keys, now });
  const spent = new Map<SpendScope, SpendByPeriod>(
    keys.map(({ row, spent }) => [keyScope(row), spendOf(spent)]),
  );
  const runtime = { ...createRuntime(silent), clock };
  const lists = new KeyLists({
    store,
    runtime,
    cacheVersions: new CacheVersions({ store, runtime }),
    ledger: {
      readSpend: (scope) => Promise.resolve(spent.get(scope) ?? zeroSpend),
      caughtUp: () => Promise.resolve(),
    },
  });
  await lists.read({ workspace_id: "all", sort: "last_used" });
  const named = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name).sort();
  for (const sort of keySorts) {
    for (const state of [undefined, ...keyStates]) {
      for (const q of [undefined, "a"]) {
        for (const workspace_id of ["all", WORKSPACES[1]]) {
          const what = JSON.stringify({ sort, state, q, workspace_id });
          const wanted = keys.filter((key) =>
            (state === undefined ? !key.row.disabled : states[state](key, now)) &&
            (workspace_id === "all" || key.row.workspace_id === workspace_id) &&
            (q === undefined || key.row.name.startsWith("Key a"))
          );
          const found = await everyPage(lists, { sort, state, q, workspace_id });
          assert.deepEqual(named(found.keys), named(wanted.map(({ row }) => row)), what);
          const { total } = found;
          if (total !== null) assert.equal(total, wanted.length, what);
          const compare = orders[sort];
          if (compare === undefined) continue;
          for (const [at, key] of found.keys.entries()) {
            const before = found.keys[at - 1] ?? key;
            assert(compare(before, key) <= 0, `${what}: ${before.name} before ${key.name}`);
          }
        }
      }
    }
  }
  const used = new Map(keys.map(({ row, usedAt }) => [row.hash, usedAt]));
  for (const { hash, last_used_at } of (await everyPage(lists, {})).keys) {
    const at = used.get(hash);
    assert.equal(last_used_at, at === undefined ? null : new Date(at).toISOString());
  }
}

/** Counts follow what comes and goes. */
async function counts(store: Store): Promise<void> {
  const runtime = { ...createRuntime(silent), clock: fakeClock() };
  const cacheVersions = new CacheVersions({ store, runtime });
  const ledger = { readSpend: () => Promise.resolve(zeroSpend), caughtUp: () => Promise.resolve() };
  const lists = new KeyLists({ store, runtime, cacheVersions, ledger });
  const totalOf = async () => (await lists.read({ workspace_id: "all", limit: 1 })).total;
  const before = Number(await totalOf());
  const row = newKeyRow({ kind: "api", token: "more", name: "More", workspaceId: WORKSPACES[0] }, 1_000);
  await store.commit({ puts: [...keyPuts(store, row), cacheVersions.put("keys")] });
  assert.equal(await totalOf(), before + 1);
  assert.notEqual(await keyCollection(store).get(row.hash), undefined);
}

Deno.test("an unused key is found behind thousands of younger ones by one call", async () => {
  const store = memoryStore();
  const runtime = { ...createRuntime(silent), clock: fakeClock() };
  const now = runtime.clock.now();
  await fill(store, { keys: [], now });
  const madeAt = (token: string, at: number) =>
    newKeyRow({ kind: "api", token, name: token, workspaceId: WORKSPACES[0] }, at);
  const old = madeAt("old", now - 30 * DAY_MS);
  const young = Array.from({ length: 2_500 }, (_, count) => madeAt(`young ${count}`, now - count * 1_000));
  for (const row of [old, ...young]) await store.commit({ puts: keyPuts(store, row) });
  const ledger = { readSpend: () => Promise.resolve(zeroSpend), caughtUp: () => Promise.resolve() };
  const lists = new KeyLists({
    store,
    runtime,
    cacheVersions: new CacheVersions({ store, runtime }),
    ledger,
  });
  const { data } = await lists.read({ workspace_id: "all", state: "unused", limit: 20 });
  assert.deepEqual(data.map(({ hash }) => hash), [old.hash]);
});

testEachStore(`lists of keys by state are what a plain filter says, seed ${seed}`, async (store) => {
  await agree(store);
  await counts(store);
});
