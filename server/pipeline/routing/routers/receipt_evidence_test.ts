import assert from "node:assert/strict";
import type { TaskType } from "../../../../shared/task_types.ts";
import type { TaskQueryResult, TaskSums } from "../../../billing/ledger/usage/task_query.ts";
import { receiptEvidenceOf, ReceiptEvidenceTable } from "./receipt_evidence.ts";

const sum = (generations: number, spend: number) => ({ generations, spend, inputTokens: 0, inputCost: 0 });

const paid = (inputTokens: number, inputCost: number): Sum => ({ ...sum(1, 1), inputTokens, inputCost });

type Sum = ReturnType<typeof sum>;

const sums = (models: Readonly<Record<string, Sum>>, keys: readonly string[] = ["a"]): TaskSums => ({
  models: new Map(Object.entries(models)),
  keys: new Set(keys),
});

Deno.test("receiptEvidenceOf tells each model's share of spend, and its average cost from 20 generations on", () => {
  const { receipts } = receiptEvidenceOf(
    new Map([[
      "math",
      sums({ dear: sum(20, 3_000_000_000), cheap: sum(19, 1_000_000_000) }, ["a", "b", "c"]),
    ]]),
  );
  const models = new Map([["dear", { share: 0.75, averageCost: 0.15 }], ["cheap", { share: 0.25 }]]);
  assert.deepEqual(receipts.get("math"), { votes: 39, keys: 3, models });
});

Deno.test("receiptEvidenceOf sums tasks under their macro, and unites their keys", () => {
  const { receipts } = receiptEvidenceOf(
    new Map<TaskType, TaskSums>([
      ["code:debugging", sums({ one: sum(12, 200), two: sum(1, 200) }, ["a", "b"])],
      ["code:review", sums({ one: sum(8, 400) }, ["b", "c"])],
      ["math", sums({ one: sum(1, 1) }, ["d"])],
    ]),
  );
  assert.deepEqual([...receipts.keys()], ["code:debugging", "code:review", "math", "code", "general"]);
  const { votes, keys, models } = receipts.get("code") ?? assert.fail("no macro");
  assert.deepEqual([votes, keys], [21, 3]);
  assert.deepEqual(models.get("one"), { share: 0.75, averageCost: 600 / 1e9 / 20 });
  assert.equal(receipts.get("general")?.keys, 1);
});

Deno.test("where nothing costs anything, requests count instead of money", () => {
  const { receipts } = receiptEvidenceOf(new Map([["math", sums({ one: sum(30, 0), two: sum(10, 0) })]]));
  const models = new Map([["one", { share: 0.75, averageCost: 0 }], ["two", { share: 0.25 }]]);
  assert.deepEqual(receipts.get("math")?.models, models);
});

Deno.test("paidInputPrices are weighted by tokens over all tasks, and absent without traffic", () => {
  const { paidInputPrices } = receiptEvidenceOf(
    new Map<TaskType, TaskSums>([
      // 1 and 4 USD per million.
      ["code:debugging", sums({ one: paid(3_000, 3_000_000), unpriced: sum(5, 0) })],
      ["math", sums({ one: paid(1_000, 4_000_000), free: paid(500, 0) })],
    ]),
  );
  assert.deepEqual(paidInputPrices, new Map([["one", 1.75], ["free", 0]]));
});

Deno.test("ReceiptEvidenceTable keeps its value until something changes, and when it cannot read", async () => {
  const warned: string[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (message: string) => void warned.push(message) };
  let read: () => Promise<TaskQueryResult> = () => Promise.reject(new Error("The store is away"));
  const table = new ReceiptEvidenceTable({ log, read: () => read() });
  const empty = table.current;
  assert.equal(empty.receipts.size, 0);
  await assert.rejects(table.renew(), /away/);
  read = () => Promise.resolve({ sums: new Map(), damaged: 0 });
  await table.renew();
  assert.equal(table.current, empty);

  const found = (models: Readonly<Record<string, Sum>>, damaged = 0) => {
    read = () => Promise.resolve({ sums: new Map([["math", sums(models)]]), damaged });
  };
  found({ one: sum(1, 2), two: sum(3, 4) });
  await table.renew();
  const first = table.current;
  assert.equal(first.receipts.get("math")?.votes, 4);
  found({ two: sum(3, 4), one: sum(1, 2) }, 1);
  await table.renew();
  assert.equal(table.current, first, "read in another order");
  assert.deepEqual(warned, ["Damaged sums by task left out"]);
  found({ two: sum(3, 4), one: sum(1, 3) });
  await table.renew();
  assert.notEqual(table.current, first);
  read = () => Promise.reject(new Error("The store is away"));
  const last = table.current;
  await assert.rejects(table.renew(), /away/);
  assert.equal(table.current, last);
});
