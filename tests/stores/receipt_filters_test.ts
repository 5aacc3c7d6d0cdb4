/** Lists of receipts by filters, against a plain filter over random receipts, on every store. */

import assert from "node:assert/strict";
import { ReceiptIds } from "../../server/billing/ledger/index/receipt_ids.ts";
import { ReceiptIndex } from "../../server/billing/ledger/index/receipt_index.ts";
import { UsageCounters } from "../../server/billing/ledger/usage/usage_counters.ts";
import { listByFilters, type ReceiptListDeps } from "../../server/management/receipts/list_receipts.ts";
import { countReceipts } from "../../server/management/receipts/receipt_histogram.ts";
import { createRuntime } from "../../server/runtime.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { managementApi } from "../../shared/management/api.ts";
import { type Receipt, receiptStatuses } from "../../shared/receipts.ts";
import { type Random, seeded } from "../fuzz/random.ts";
import { fakeClock } from "../support/clock.ts";
import { testEachStore } from "../support/each_store.ts";
import { Groups, KEY_A, KEY_B, receiptWith, WORKSPACE } from "../support/receipts.ts";
import { seed } from "../support/seed.ts";

const NOON = Date.UTC(2026, 0, 14, 12);
const OTHER = "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b12";
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function randomReceipt(random: Random, at: number): Receipt {
  const failed = random.next() < 0.3;
  const status = failed ? random.pick(["failed", "refused"] as const) : "completed";
  const [attempt] = receiptWith().attempts;
  const attempts = attempt === undefined || random.next() < 0.7
    ? receiptWith().attempts
    : [{ ...attempt, status: random.pick([503, 200, 0]) }, attempt];
  return receiptWith({
    at,
    key_hash: random.pick([KEY_A, KEY_B]),
    workspace_id: random.pick([WORKSPACE, OTHER]),
    model: random.pick(["mock/model", "mock/other", null]),
    requested_model: random.pick(["mock/model", "Auto"]),
    provider: random.pick(["mock", "spare", null]),
    status,
    error: failed
      ? {
        kind: random.pick(["rate_limited", "timeout"]),
        status: 429,
        message: random.pick(["Too MANY", "slow"]),
      }
      : null,
    user: random.pick([null, "ada", "ada2"]),
    external_user: random.pick([null, "ada"]),
    session_id: random.pick([null, "sess-1", "sess-12", "x sess-1"]),
    app_title: random.pick([null, "Many things"]),
    preset: random.next() < 0.5
      ? undefined
      : { id: OTHER, slug: random.pick(["support", "other"]), version: 3 },
    cost: random.pick([0, 2_500, 5_000_000]),
    total_ms: random.pick([10, 500, 60_000]),
    upstream_id: `up_${at}`,
    attempts,
  });
}

type Query = Readonly<Record<string, string>>;

const texts = (one: Receipt) =>
  [
    one.error?.message,
    one.requested_model,
    one.model,
    one.user,
    one.external_user,
    one.session_id,
    one.app_title,
  ]
    .map((text) => text?.toLowerCase() ?? "");

/** Values to ask for, and a plain filter of each. */
const filters: Readonly<
  Record<string, readonly [values: readonly string[], takes: (one: Receipt, value: string) => boolean]>
> = {
  api_key_hash: [[KEY_A, KEY_B], (one, value) => one.key_hash === value],
  workspace_id: [[WORKSPACE, OTHER], (one, value) => one.workspace_id === value],
  model: [["mock/model", "none"], (one, value) => one.model === value],
  requested_model: [["Auto", "auto"], (one, value) => one.requested_model === value],
  provider: [["mock", "spare"], (one, value) => one.provider === value],
  status: [receiptStatuses, (one, value) => one.status === value],
  since: [
    [NOON, NOON + 300_000].map((at) => new Date(at).toISOString()),
    (one, value) => one.ended_at >= value,
  ],
  until: [
    [NOON + 100_000, NOON + 400_500].map((at) => new Date(at).toISOString()),
    (one, value) => one.ended_at < value,
  ],
  error_kind: [["rate_limited", "timeout"], (one, value) => one.error?.kind === value],
  session_id: [["sess-1", "sess-12", "ess"], (one, value) => one.session_id?.startsWith(value) === true],
  user: [["ada"], (one, value) => one.user === value || one.external_user === value],
  preset: [["support", "supp"], (one, value) => one.preset?.slug === value],
  min_cost: [["0.0000025", "0.005"], (one, value) => one.cost / 1e9 >= Number(value)],
  min_ms: [["500", "60000"], (one, value) => one.total_ms >= Number(value)],
  fell_back: [
    ["true", "false"],
    (one, value) => one.attempts.slice(0, -1).some(({ status }) => status !== 200) === (value === "true"),
  ],
  q: [
    ["MANY", "auto", "sess-1", "nothing"],
    (one, value) => texts(one).some((text) => text.includes(value.toLowerCase())),
  ],
};

interface Rig {
  readonly deps: ReceiptListDeps;
  readonly write: (receipts: readonly Receipt[], instance: string) => Promise<unknown>;
}

function rigOf(store: Store): Rig {
  const groups = new Groups(store, [
    new ReceiptIndex(),
    new ReceiptIds(),
    new UsageCounters({ start: "run" }),
  ]);
  const known: Receipt[] = [];
  const deps: ReceiptListDeps = {
    store,
    runtime: { ...createRuntime(silent), clock: fakeClock() },
    modelId: (name) => name,
    pause: () => Promise.resolve(),
    ledger: { readSpend: () => Promise.reject(new Error("Nobody asks")), caughtUp: () => Promise.resolve() },
    receipts: {
      receiptsAt: (span, places) => groups.receiptsAt(span, places),
      receipt: (id) => Promise.resolve(known.find((one) => one.id === id)),
    },
  };
  const write = async (receipts: readonly Receipt[], instance: string) => {
    known.push(...receipts);
    return await groups.write(receipts, instance);
  };
  return { deps, write };
}

const callOf = <T>(query: T) => ({
  caller: { kind: "management", keyHash: KEY_A, workspaceId: WORKSPACE } as const,
  params: {},
  query,
  body: undefined,
  header: () => null,
  requestId: "req_1",
});
const inputOf = (query: Query) => callOf(managementApi["receipts.list"].query.parse(query));

/** Every page; `come` runs behind each. */
async function idsOf({ deps, come }: Rig & { readonly come?: () => Promise<unknown> }, query: Query) {
  const ids: string[] = [];
  let before: string | null = null;
  do {
    const input = inputOf(before === null ? query : { ...query, before });
    const page = await listByFilters(deps, input);
    assert(page.data.length <= Number(query.limit));
    assert.equal(page.next === null, page.scanned_until === null);
    ids.push(...page.data.map(({ id }) => id));
    before = page.next;
    await come?.();
  } while (before !== null);
  return ids;
}

async function agree(store: Store): Promise<void> {
  const random = seeded(seed);
  const rig = rigOf(store);
  const receipts: Receipt[] = [];
  for (let at = NOON; at < NOON + 500_000; at += 5_000) {
    const batch = Array.from(
      { length: 1 + random.below(5) },
      (_, place) => randomReceipt(random, at + place * 100),
    );
    receipts.push(...batch);
    await rig.write(batch, random.pick(["one", "two"]));
  }
  const newest = receipts.toReversed();
  const names = Object.keys(filters);
  for (let run = 0; run < 150; run++) {
    const query: Record<string, string> = {};
    for (let count = random.below(4); count >= 0; count--) {
      const name = random.pick(names);
      query[name] = random.pick(filters[name]?.[0] ?? []);
    }
    const wanted = newest.filter((one) =>
      Object.entries(query).every(([name, value]) => filters[name]?.[1](one, value))
    );
    const limit = String(1 + random.below(40));
    const what = JSON.stringify({ ...query, limit });
    const expected = wanted.map(({ id }) => id);
    // What comes in meanwhile is in front of every page that is behind the first.
    const come = () => rig.write([randomReceipt(random, NOON + 10_000_000)], "one");
    const until = query.until ?? new Date(NOON + 3_600_000).toISOString();
    assert.deepEqual(await idsOf({ ...rig, come }, { ...query, limit, until }), expected, what);
  }
  await histograms(rig, { random, receipts });
  await byId(rig, receipts);
}

const barOf = (status: string) =>
  status === "refused" ? "refused" : status === "failed" ? "failed" : "answered";

interface HistogramInput {
  readonly random: Random;
  readonly receipts: readonly Receipt[];
}

/** Bars over all calls. */
async function barsOf({ deps }: Rig, query: Query) {
  const sums = new Map<string, number>();
  let before: string | null = null;
  let counted = "";
  do {
    const wanted = before === null ? query : { ...query, before };
    const input = callOf(managementApi["receipts.histogram"].query.parse(wanted));
    const { data, next } = await countReceipts(deps, input);
    assert(data.bars.length <= 120);
    ({ counted } = data);
    for (const { at, ...counts } of data.bars) {
      for (const [name, count] of Object.entries(counts)) {
        if (count > 0) sums.set(`${at} ${name}`, (sums.get(`${at} ${name}`) ?? 0) + count);
      }
    }
    before = next;
  } while (before !== null);
  return { sums, counted };
}

async function histograms(rig: Rig, { random, receipts }: HistogramInput): Promise<void> {
  const range = { since: new Date(NOON).toISOString(), until: new Date(NOON + 600_000).toISOString() };
  const names = Object.keys(filters).filter((name) => !(name in range));
  for (let run = 0; run < 60; run++) {
    const query: Record<string, string> = {};
    for (let count = random.below(3); count > 0; count--) {
      const name = random.pick(names);
      query[name] = random.pick(filters[name]?.[0] ?? []);
    }
    const { sums, counted } = await barsOf(rig, { ...query, ...range });
    const wanted = new Map<string, number>();
    for (const one of receipts) {
      if (!Object.entries(query).every(([name, value]) => filters[name]?.[1](one, value))) continue;
      const at = Date.parse(counted === "sums" ? one.created_at : one.ended_at);
      const bar = `${new Date(at - at % 60_000).toISOString()} ${barOf(one.status)}`;
      wanted.set(bar, (wanted.get(bar) ?? 0) + 1);
    }
    assert.deepEqual([...sums].sort(), [...wanted].sort(), JSON.stringify({ query, counted }));
  }
}

async function byId(rig: Rig, receipts: readonly Receipt[]): Promise<void> {
  const digits = "0192f1c0aa7c7000800000000000000a";
  const own = receiptWith({ id: `gen-${digits}`, request_id: `req_${digits}`, at: NOON });
  await rig.write([own], "one");
  const [oldest] = receipts;
  const find = (id: string, more: Query = {}) => idsOf(rig, { id, limit: "1", ...more });
  for (const id of [own.id, own.request_id, `resp_${digits}`]) {
    assert.deepEqual(await find(id), [own.id]);
    assert.deepEqual(await find(id, { since: "2030-01-01T00:00:00Z" }), [own.id], "whatever the time");
    assert.deepEqual(await find(id, { workspace_id: OTHER }), [], "of another workspace");
  }
  assert.deepEqual(await find(String(oldest?.upstream_id)), [oldest?.id]);
  assert.deepEqual(await find("up_nothing"), []);
}

testEachStore(`lists of receipts by filters are what a plain filter says, seed ${seed}`, agree);

Deno.test("GET /receipts looks through 2,000 receipts a call, and says how far it got", async () => {
  const rig = rigOf(memoryStore());
  for (let at = 0; at < 5_000; at += 40) {
    await rig.write(Array.from({ length: 40 }, (_, place) => receiptWith({ at: NOON + at + place })), "one");
  }
  const first = await listByFilters(rig.deps, inputOf({ q: "nothing" }));
  assert.deepEqual([first.data.length, first.scanned_until], [0, new Date(NOON + 3_039 + 500).toISOString()]);
  let calls = 1;
  for (let { next } = first; next !== null; calls++) {
    ({ next } = await listByFilters(rig.deps, inputOf({ q: "nothing", before: next })));
  }
  assert.equal(calls, 3);
});
