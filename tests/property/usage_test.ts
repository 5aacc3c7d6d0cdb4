import assert from "node:assert/strict";
import fc from "fast-check";
import { queryUsage, type UsageQuery } from "../../server/billing/ledger/usage/usage_query.ts";
import {
  type TimeSpan,
  timeSpans,
  toUsageTotals,
  type UsageDimension,
  usageDimensions,
  usageNumbers,
  usageSums,
} from "../../server/billing/ledger/usage/usage_rows.ts";
import { UsageCounters } from "../../server/billing/ledger/usage/usage_counters.ts";
import { latencyBucket } from "../../server/billing/ledger/usage/latency_histogram.ts";
import {
  indexedValues,
  receiptFields,
  ReceiptIndex,
} from "../../server/billing/ledger/index/receipt_index.ts";
import { listReceipts } from "../../server/billing/ledger/index/receipt_list.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { type Receipt, receiptStatuses } from "../../shared/receipts.ts";
import { bulkStore } from "../support/bulk_store.ts";
import { Groups, KEY_A, KEY_B, receiptWith, rowsOf, WORKSPACE } from "../support/receipts.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const HOUR = timeSpans.hour;
const BASE = Date.UTC(2026, 1, 27);
/** Over a month's end. */
const RANGE = 4 * timeSpans.day;

const OTHER_WORKSPACE = "5b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b22";

const receipt = fc.record({
  at: fc.integer({ min: 0, max: RANGE }).map((offset) => BASE + offset),
  key_hash: fc.constantFrom(KEY_A, KEY_B),
  workspace_id: fc.constantFrom(WORKSPACE, OTHER_WORKSPACE),
  model: fc.constantFrom("a/one", "b/two", null),
  provider: fc.constantFrom("acme", "other", null),
  status: fc.constantFrom(...receiptStatuses),
  cost: fc.integer({ min: 0, max: 5_000_000_000 }),
  upstream_cost: fc.integer({ min: 0, max: 5_000_000_000 }),
  is_byok: fc.boolean(),
  cache_discount: fc.option(fc.integer({ min: -1_000, max: 1_000 })),
  latency_ms: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
  total_ms: fc.double({ min: 0, max: 1e6, noNaN: true }),
  tags: fc.constantFrom<Receipt["tags"]>(undefined, undefined, ["dear"], ["dear", "slow"], [
    "slow",
    "dear",
    "x",
  ]),
  usage: fc.constantFrom<Receipt["usage"]>({}, { input_tokens: 7, output_tokens: 3 }, {
    input_tokens: 50,
    cached_tokens: 20,
  }),
}).map((changes) => receiptWith(changes));

/** Writes of one process: groups in turn, and whether some replies were lost. */
const run = fc.record({
  groups: fc.array(fc.array(receipt, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 }),
  twice: fc.boolean(),
  most: fc.constantFrom(2, 1_000),
});

const query = fc.record({
  from: fc.integer({ min: -2, max: 90 }),
  hours: fc.integer({ min: 1, max: 100 }),
  grain: fc.constantFrom<TimeSpan>("minute", "hour", "day"),
  by: fc.subarray([...usageDimensions]),
  key: fc.option(fc.constantFrom(KEY_A, KEY_B), { nil: undefined }),
  status: fc.option(fc.constantFrom("completed", "failed"), { nil: undefined }),
  bucketed: fc.boolean(),
});

const valuesOf: Readonly<Record<UsageDimension, (receipt: Receipt) => readonly string[]>> = {
  workspace: (one) => [one.workspace_id],
  key: (one) => [one.key_hash],
  model: (one) => [one.model ?? ""],
  provider: (one) => [one.provider ?? ""],
  status: (one) => [one.status],
  tag: (one) => one.tags ?? [""],
};

/** The groups of a receipt by dimensions: one for each of its tags, where these are among them. */
const groupsOf = (one: Receipt, by: readonly UsageDimension[]): readonly (readonly string[])[] =>
  by.reduce<readonly (readonly string[])[]>(
    (groups, field) => groups.flatMap((group) => valuesOf[field](one).map((value) => [...group, value])),
    [[]],
  );

type Reported = ReadonlyMap<string, Readonly<Record<string, number>>>;

/** Name of a group → what it adds up to. */
function sumByName(entries: readonly (readonly [string, Readonly<Record<string, number>>])[]): Reported {
  const all = new Map<string, Record<string, number>>();
  for (const [name, figures] of entries) {
    const known = all.get(name) ?? {};
    for (const [field, value] of Object.entries(figures)) known[field] = (known[field] ?? 0) + value;
    all.set(name, known);
  }
  return new Map([...all].toSorted(([a], [b]) => a < b ? -1 : 1));
}

const isFailed = ({ status }: Receipt) => status === "failed" || status === "interrupted";

function figuresOf(one: Receipt): Readonly<Record<string, number>> {
  const latency = one.latency_ms === null ? {} : { [`l${latencyBucket(one.latency_ms)}`]: 1 };
  return { ...toUsageTotals(usageNumbers(one)), failed: isFailed(one) ? 1 : 0, ...latency };
}

Deno.test(`sums are those of the receipts, whatever runs and groups wrote them (SEED=${seed})`, async () => {
  const property = fc.asyncProperty(
    fc.array(run, { minLength: 1, maxLength: 3 }),
    query,
    async (processes, preference) => {
      const store = memoryStore();
      const all: Receipt[] = [];
      for (const [at, { groups, twice, most }] of processes.entries()) {
        const part = new UsageCounters({ start: `run-${at}`, most });
        for (const receipts of groups) {
          const puts = rowsOf(part, receipts);
          await store.commit({ puts, small: true });
          if (twice) await store.commit({ puts, small: true });
          all.push(...receipts);
        }
      }
      const from = BASE + preference.from * HOUR;
      const to = from + preference.hours * HOUR;
      const bucket = preference.bucketed ? (at: number) => at - at % timeSpans[preference.grain] : undefined;
      const { status } = preference;
      const filter: UsageQuery["filter"] = status === undefined
        ? undefined
        : { looksAt: new Set<UsageDimension>(["status"]), takes: (combination) => combination[4] === status };
      const { groups, truncated } = await queryUsage(store, { ...preference, from, to, bucket, filter });
      const expected = all.filter((one) => {
        const at = Date.parse(one.created_at);
        if (at < from || at >= to) return false;
        return (preference.key ?? one.key_hash) === one.key_hash && (status ?? one.status) === one.status;
      });
      assert.equal(truncated, false);
      assert.deepEqual(
        sumByName(groups.map((group) => {
          const latency = [...group.latency].map(([at, count]) => [`l${at}`, count] as const);
          const figures = { ...group.totals, failed: group.failed, ...Object.fromEntries(latency) };
          return [JSON.stringify([group.bucket, ...group.values]), figures];
        })),
        sumByName(expected.flatMap((one) => {
          const at = bucket?.(Date.parse(one.created_at)) ?? 0;
          return groupsOf(one, preference.by).map((group) =>
            [JSON.stringify([at, ...group]), figuresOf(one)] as const
          );
        })),
      );
      assert(usageSums.length > 0);
    },
  );
  await assertProperty(property, { numRuns: runs(150) });
});

Deno.test(`a list of receipts is what its filters leave, page by page (SEED=${seed})`, async () => {
  const written = fc.array(fc.array(receipt, { minLength: 1, maxLength: 8 }), {
    minLength: 1,
    maxLength: 12,
  });
  const preference = fc.record({
    fields: fc.subarray([...receiptFields]),
    limit: fc.integer({ min: 1, max: 20 }),
    of: fc.nat(),
    together: fc.integer({ min: 1, max: 4 }),
  });
  const property = fc.asyncProperty(written, preference, async (groups, { fields, limit, of, together }) => {
    const store = memoryStore();
    const blocks = new Groups(store, [new ReceiptIndex()]);
    for (let at = 0; at < groups.length; at += together) {
      await blocks.writeAll(groups.slice(at, at + together), `i${(of + at) % 2}`);
    }
    const all = groups.flat();
    const model = all[of % all.length] ?? receiptWith();
    const filters = Object.fromEntries(
      fields.map((field) => [field, indexedValues(model, field)[0] ?? "none"]),
    );
    const seen: string[] = [];
    let page = await listReceipts({ store, batches: blocks, maxRowReads: 3 }, { filters, limit });
    for (let pages = 0; pages < 500; pages++) {
      assert(page.receipts.length <= limit);
      seen.push(...page.receipts.map(({ id }) => id));
      if (page.next === undefined) break;
      page = await listReceipts({ store, batches: blocks, maxRowReads: 3 }, {
        filters,
        limit,
        before: page.next,
      });
    }
    const taken = all.filter((one) =>
      fields.every((field) => indexedValues(one, field).includes(indexedValues(model, field)[0] ?? "none"))
    );
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(seen.toSorted(), taken.map(({ id }) => id).toSorted());
  });
  await assertProperty(property, { numRuns: runs(150) });
});

Deno.test("100,000 receipts are listed and a month of them is added up with few looks at the store", async () => {
  const keys = Array.from({ length: 20 }, (_, at) => String(at).padStart(64, "0"));
  const models = Array.from({ length: 5 }, (_, at) => `m/${at}`);
  const part = new UsageCounters({ start: "run" });
  const index = new ReceiptIndex();
  const store = bulkStore();
  let seq = 0;
  const blocks = new Map<number, readonly Receipt[]>();
  for (let at = 0; at < 2_500; at++) {
    const moment = BASE + Math.floor(at / 2_500 * 30 * timeSpans.day);
    const receipts = Array.from(
      { length: 40 },
      (_, one) => receiptWith({ at: moment, key_hash: keys[(at + one) % 20], model: models[one % 5] }),
    );
    blocks.set(++seq, receipts);
    const span = { instance: "one", first: seq };
    await store.commit({
      puts: [...rowsOf(part, receipts, span), ...rowsOf(index, receipts, span)],
      small: true,
    });
  }
  const { looks } = store;
  let blocksRead = 0;
  const found = await listReceipts({
    store,
    batches: {
      receiptsAt: ({ first }, places) => {
        blocksRead++;
        const found = places.map((place) => ({ place, receipt: blocks.get(first)?.[place] }));
        return Promise.resolve(found.filter(({ receipt }) => receipt !== undefined));
      },
    },
  }, { filters: { key: keys[7], model: models[2] }, limit: 50 });
  assert.equal(found.receipts.length, 50);
  assert(found.receipts.every((one) => one.key_hash === keys[7] && one.model === models[2]));
  assert(looks.lists <= 8 && looks.rows <= 600 && blocksRead <= 50, JSON.stringify({ ...looks, blocksRead }));

  Object.assign(looks, { lists: 0, rows: 0 });
  const month = { from: BASE, to: BASE + 30 * timeSpans.day, grain: "day" } as const;
  const byKey = await queryUsage(store, { ...month, by: ["key", "model"], bucket: (at) => at });
  assert.equal(byKey.groups.reduce((sum, { totals }) => sum + totals.requests, 0), 100_000);
  assert(looks.lists <= 4 && looks.rows <= 30 * 20 * 5, JSON.stringify(looks));

  Object.assign(looks, { lists: 0, rows: 0 });
  const one = await queryUsage(store, { ...month, by: ["model"], key: keys[3] });
  assert.equal(one.groups.reduce((sum, { totals }) => sum + totals.requests, 0), 5_000);
  assert(looks.lists <= 30 && looks.rows <= 30 * 5, JSON.stringify(looks));
});
