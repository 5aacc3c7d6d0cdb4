import assert from "node:assert/strict";
import {
  counting,
  type Groups,
  Groups as Written,
  KEY_A,
  KEY_B,
  receiptWith,
  rowsOf,
} from "../../../../tests/support/receipts.ts";
import type { Receipt } from "../../../../shared/receipts.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import type { Store } from "../../../storage/stores/store.ts";
import { receiptPosition } from "../projection/projection_part.ts";
import { decodeCursor, encodeCursor } from "./receipt_cursor.ts";
import { ReceiptIndex, toKeyPart } from "./receipt_index.ts";
import { listReceipts, type ReceiptQuery } from "./receipt_list.ts";

const NOON = Date.UTC(2026, 0, 14, 12);

interface Rig {
  readonly store: Store;
  readonly batches: Groups;
}

function rig(store: Store = memoryStore()): Rig {
  return { store, batches: new Written(store, [new ReceiptIndex()]) };
}

/** Every page to the end. */
async function all(deps: Rig, query: Omit<ReceiptQuery, "before">): Promise<readonly Receipt[]> {
  const receipts: Receipt[] = [];
  let before: ReceiptQuery["before"];
  for (let page = 0; page < 1_000; page++) {
    const { receipts: some, next } = await listReceipts(deps, { ...query, before });
    receipts.push(...some);
    if (next === undefined) return receipts;
    before = decodeCursor(encodeCursor(next));
    assert.deepEqual(before, next);
  }
  throw new Error("The list does not end");
}

const idsOf = (receipts: readonly Receipt[]) => receipts.map(({ id }) => id);

/** Ten batches of four receipts, a second apart; every third is of another key, every fifth failed. */
async function forty(deps: Rig): Promise<readonly Receipt[]> {
  const receipts = Array.from({ length: 40 }, (_, at) =>
    receiptWith({
      at: NOON + at * 250,
      key_hash: at % 3 === 0 ? KEY_B : KEY_A,
      status: at % 5 === 0 ? "failed" : "completed",
      model: at % 7 === 0 ? null : "mock/model",
    }));
  for (let at = 0; at < 40; at += 4) {
    await deps.batches.write(receipts.slice(at, at + 4), at % 8 === 0 ? "one" : "two");
  }
  return receipts;
}

Deno.test("listReceipts tells all, newest first, whatever the page", async () => {
  const deps = rig();
  const receipts = await forty(deps);
  for (const limit of [1, 3, 4, 7, 100]) {
    assert.deepEqual(idsOf(await all(deps, { filters: {}, limit })), idsOf(receipts.toReversed()));
  }
});

Deno.test("listReceipts tells those that every filter takes", async () => {
  const deps = rig();
  const receipts = (await forty(deps)).toReversed();
  const cases: readonly (readonly [ReceiptQuery["filters"], (receipt: Receipt) => boolean])[] = [
    [{ key: KEY_B }, (one) => one.key_hash === KEY_B],
    [{ status: "failed" }, (one) => one.status === "failed"],
    [{ key: KEY_B, status: "failed" }, (one) => one.key_hash === KEY_B && one.status === "failed"],
    [
      { key: KEY_A, model: "mock/model", provider: "mock" },
      (one) => one.key_hash === KEY_A && one.model !== null,
    ],
    [{ workspace: "nowhere" }, () => false],
    [{ key: KEY_A, status: "refused" }, () => false],
  ];
  for (const [filters, takes] of cases) {
    for (const limit of [2, 100]) {
      assert.deepEqual(idsOf(await all(deps, { filters, limit })), idsOf(receipts.filter(takes)));
    }
  }
});

Deno.test("listReceipts goes on where a page ended, whatever came in since", async () => {
  const deps = rig();
  const receipts = (await forty(deps)).toReversed();
  const first = await listReceipts(deps, { filters: {}, limit: 6 });
  await deps.batches.write([receiptWith({ at: NOON + 60_000 }), receiptWith({ at: NOON + 60_100 })]);
  const second = await listReceipts(deps, { filters: {}, limit: 6, before: first.next });
  assert.deepEqual(idsOf([...first.receipts, ...second.receipts]), idsOf(receipts.slice(0, 12)));
});

Deno.test("listReceipts passes over batches that were removed", async () => {
  const deps = rig();
  const gone = await deps.batches.write([receiptWith({ at: NOON })]);
  const kept = receiptWith({ at: NOON - 1_000 });
  await deps.batches.write([kept]);
  deps.batches.remove(gone);
  assert.deepEqual(idsOf(await all(deps, { filters: {}, limit: 1 })), [kept.id]);
});

Deno.test("listReceipts ends a page early when its filters almost never agree, and says where to go on", async () => {
  const { store, calls } = counting(memoryStore());
  const deps = { ...rig(store), maxRowReads: 10 };
  const wanted = receiptWith({ at: NOON - 1, key_hash: KEY_B, status: "failed" });
  await deps.batches.write([wanted]);
  for (let at = 0; at < 20_000; at += 20) {
    // Both filters have rows everywhere, and never for the same receipt.
    const receipts = [
      receiptWith({ at: NOON + at, key_hash: KEY_B }),
      receiptWith({ at: NOON + at, status: "failed" }),
    ];
    await deps.batches.write(receipts);
  }
  const query = { filters: { key: KEY_B, status: "failed" }, limit: 5 } as const;
  const first = await listReceipts(deps, query);
  assert.deepEqual(first.receipts, []);
  assert(first.next !== undefined);
  assert(calls.lists <= 10, `${calls.lists} looks`);
  assert.deepEqual(idsOf(await all(deps, query)), [wanted.id]);
  assert(calls.lists <= 10 + 2 * 20, `${calls.lists} looks`);
  assert.equal(deps.batches.reads, 1);
});

Deno.test("ReceiptIndex has a row for each value of a posting, not for each receipt", () => {
  const receipts = Array.from({ length: 40 }, () => receiptWith({ at: NOON }));
  const index = new ReceiptIndex();
  index.add({ receipts, offset: 0 });
  index.add({ receipts: [undefined, receiptWith({ at: NOON })], offset: 3 });
  assert.equal(index.rows, 5);
  const rows = index.take({ instance: "one", first: 7 });
  assert.equal(rows.length, 5);
  assert(rows.every(({ value }) => Array.isArray(value) && value.length === 41));
  assert(rows.every(({ value }) => Array.isArray(value) && value.at(-1) === receiptPosition(3, 1)));
  assert.deepEqual(rowsOf(index, []), []);
});

Deno.test("listReceipts reads a posting of several batches from its newest receipt to its oldest", async () => {
  const store = memoryStore();
  const deps = rig(store);
  const batches = Array.from({ length: 5 }, (_, at) => [
    receiptWith({ at: NOON + at, key_hash: KEY_B }),
    receiptWith({ at: NOON + at, status: "failed" }),
  ]);
  await deps.batches.writeAll(batches);
  const ids = batches.flat().map(({ id }) => id).reverse();
  assert.deepEqual(idsOf(await all(deps, { filters: {}, limit: 3 })), ids);
  const failed = idsOf(await all(deps, { filters: { status: "failed" }, limit: 2 }));
  assert.deepEqual(failed, batches.map(([, second]) => second?.id).reverse());
});

Deno.test("toKeyPart keeps a commit's keys short whatever a model is called", () => {
  const long = "é".repeat(900);
  const receipts = Array.from(
    { length: 40 },
    (_, at) => receiptWith({ model: `${long}${at}`, provider: `${at}${long}` }),
  );
  const rows = rowsOf(new ReceiptIndex(), receipts, { instance: "0".repeat(32), first: 7 });
  assert.equal(new Set(rows.map(({ key }) => JSON.stringify(key))).size, 83);
  const bytes = rows.reduce((sum, { key }) => sum + new TextEncoder().encode(key.join("--")).length, 0);
  assert(bytes < 30_000, `${bytes} bytes`);
  assert.notEqual(toKeyPart(`${long}1`), toKeyPart(`${long}2`));
  assert(toKeyPart("\ud800").isWellFormed());
});

Deno.test("decodeCursor takes nothing but what writeCursor gives", () => {
  for (const text of ["", "x", "W10", "[]", "bnVsbA", "WzEsMl0", "a".repeat(600), "W1stMF0sMV0", "💥"]) {
    assert.equal(decodeCursor(text), undefined, text);
  }
});
