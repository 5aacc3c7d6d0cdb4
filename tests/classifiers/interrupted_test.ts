/** Receipts of requests whose gateway died: tagged by the rules of the moment in which they are closed. */

import assert from "node:assert/strict";
import { openLedger } from "../../server/billing/ledger/core/open_ledger.ts";
import { closeEntriesOf } from "../../server/billing/ledger/journal/recovery/recovered_requests.ts";
import type { CloseEntry, OpenEntry } from "../../server/billing/ledger/journal/journal_batch.ts";
import { tagRuleCollection } from "../../server/management/classifiers/tag_rule_rows.ts";
import { readTagger } from "../../server/management/classifiers/tag_rules.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../server/storage/stores/store.ts";
import { type TagRuleRecord, tagRuleSchema } from "../../shared/observability/tag_rules.ts";
import { memoryClock } from "../support/clock.ts";
import { closesOf } from "../support/journal.ts";
import { billingOf, flatOrder, ledgerRuntime, openTransaction, WORKSPACE } from "../support/ledger.ts";
import { receiptWith } from "../support/receipts.ts";

const OTHER = "00000000-0000-4000-8000-000000000002";
let made = 0;

const rule = (tag: string, more: Partial<TagRuleRecord>): TagRuleRecord =>
  tagRuleSchema.parse({
    id: `00000000-0000-4000-8000-1${String(++made).padStart(11, "0")}`,
    workspace_id: WORKSPACE,
    name: tag,
    tag,
    enabled: true,
    conditions: [{ field: "status", operator: "exists" }],
    created_at: `2026-01-14T12:00:00.${String(made).padStart(3, "0")}Z`,
    updated_at: "2026-01-14T12:00:00.000Z",
    ...more,
  });

/** Rules, and whether each tags the receipt of a request that was interrupted in a call of the model `m`. */
const rules: readonly (readonly [TagRuleRecord, boolean])[] = [
  [rule("cut", { conditions: [{ field: "status", operator: "equals", value: "interrupted" }] }), true],
  [rule("of-m", { conditions: [{ field: "model", operator: "equals", value: "m" }] }), true],
  [rule("paid", { conditions: [{ field: "total_cost", operator: "gt", value: 0 }] }), true],
  [rule("one-call", { conditions: [{ field: "attempts", operator: "equals", value: 1 }] }), true],
  [rule("failed", { conditions: [{ field: "error_kind", operator: "exists" }] }), true],
  [rule("done", { conditions: [{ field: "status", operator: "equals", value: "completed" }] }), false],
  [rule("of-user", { conditions: [{ field: "user_id", operator: "exists" }] }), false],
  [rule("used", { conditions: [{ field: "total_tokens", operator: "gt", value: 0 }] }), false],
  [rule("off", { enabled: false }), false],
  [rule("elsewhere", { workspace_id: OTHER }), false],
];
const expected = rules.filter(([, tags]) => tags).map(([{ tag }]) => tag);

async function storeWithRules(): Promise<Store> {
  const store = memoryStore();
  const rows = tagRuleCollection(store);
  await store.commit({ puts: rules.map(([one]) => rows.put([one.id], one)), small: true });
  return store;
}

interface Opening {
  readonly store: Store;
  readonly isShared: boolean;
  readonly name: string;
}

async function opened({ store, isShared, name }: Opening) {
  const clock = memoryClock();
  const ledger = await openLedger({
    store,
    runtime: ledgerRuntime(clock, name),
    projectionParts: [],
    isShared,
    readTagger: () => readTagger(store),
  });
  return { ledger, clock };
}

for (const isShared of [false, true]) {
  const who = isShared ? "another gateway" : "its next run";
  Deno.test(`the receipt of a request whose gateway died is tagged by the rules of ${who}`, async () => {
    const store = await storeWithRules();
    const first = await opened({ store, isShared, name: "a" });
    const { transaction } = openTransaction(first.ledger, { billing: billingOf(), id: "gen-cut" });
    await (await transaction.reserve(flatOrder(1_000))).durable();
    await first.ledger.flush();
    const second = await opened({ store, isShared, name: "b" });
    if (isShared) await second.clock.advance(90_000);
    const [closed, ...others] = await closesOf(store);
    assert.deepEqual(others, []);
    assert.deepEqual([closed?.receipt.status, closed?.receipt.tags], ["interrupted", expected]);
    await second.ledger.close();
    if (isShared) await first.ledger.close();
  });
}

const open = (id: string): OpenEntry => ({
  type: "open",
  id,
  at: Date.UTC(2026, 0, 14, 12),
  scopes: [],
  about: {
    request_id: `req-${id}`,
    key_hash: "a".repeat(64),
    workspace_id: WORKSPACE,
    api: "chat",
    streamed: false,
    requested_model: "m",
  },
  holds: [],
});
const spooled = (id: string): CloseEntry => ({
  type: "close",
  at: Date.UTC(2026, 0, 14, 12),
  scopes: [],
  cost: 0,
  byok: 0,
  receipt: receiptWith({ id, tags: ["own"] }),
});

/** Requests that are open, those in the spool, how the rules are read, and the tags of the receipts. */
type Case = readonly [
  what: string,
  open: readonly string[],
  spooled: readonly string[],
  readTagger: (() => Promise<() => readonly string[]>) | undefined,
  tags: Readonly<Record<string, readonly string[] | undefined>>,
];

const today = () => Promise.resolve(() => ["today"]);
const cases: readonly Case[] = [
  ["one is interrupted", ["a"], [], today, { a: ["today"] }],
  ["a spooled receipt keeps its own", ["a", "b"], ["b", "c"], today, {
    a: ["today"],
    b: ["own"],
    c: ["own"],
  }],
  ["no rule holds", ["a"], [], () => Promise.resolve(() => []), { a: undefined }],
  ["there are no rules", ["a"], [], undefined, { a: undefined }],
  [
    "rules cannot be read",
    ["a"],
    ["b"],
    () => Promise.reject(new StoreError("corrupt", "It is damaged")),
    { a: undefined, b: ["own"] },
  ],
];

Deno.test("closeEntriesOf tags what it makes itself, and makes it also without rules", async () => {
  for (const [what, ids, inSpool, readTagger, tags] of cases) {
    const lines: string[] = [];
    const warn = (message: string) => void lines.push(message);
    const log = { debug: warn, info: warn, warn, error: warn };
    const entries = await closeEntriesOf({
      open: ids.map(open),
      spooled: inSpool.map(spooled),
      now: Date.UTC(2026, 0, 14, 13),
      log,
      readTagger,
    });
    const found = Object.fromEntries(entries.map(({ receipt }) => [receipt.id, receipt.tags]));
    assert.deepEqual(found, tags, what);
    assert.equal(lines.length, what === "rules cannot be read" ? 1 : 0, what);
  }
});

Deno.test("closeEntriesOf reads no rules where nothing was interrupted", async () => {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const readTagger = () => Promise.reject(new Error("Nobody asks"));
  const entries = await closeEntriesOf({
    open: [open("a")],
    spooled: [spooled("a")],
    now: 0,
    log,
    readTagger,
  });
  assert.deepEqual(entries.map(({ receipt }) => receipt.tags), [["own"]]);
});
