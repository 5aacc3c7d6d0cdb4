import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { Groups, KEY_A, KEY_B, receiptWith, rowsOf, WORKSPACE } from "../../../../tests/support/receipts.ts";
import { everything } from "../../../../tests/support/journal.ts";
import type { Receipt } from "../../../../shared/receipts.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import type { Store } from "../../../storage/stores/store.ts";
import { taskRowsJob } from "../retention/task_rows_job.ts";
import { TaskCounters } from "./task_counters.ts";
import { readTaskSums, removeTaskRowsOf } from "./task_query.ts";
import { TASK_ROWS } from "./task_rows.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 0, 14, 12);
const OTHER = "11111111-9a51-4d43-8f4b-0d2f4d0f9b11";

type Changes = Parameters<typeof receiptWith>[0];

const vote = (changes: Changes = {}): Receipt => receiptWith({ at: NOON, task: "math", ...changes });

/** `now`: an hour after the receipts that `vote` makes. */
function sumsOf(
  store: Store,
  { now = NOON + HOUR, ...more }: Partial<Parameters<typeof readTaskSums>[1]> = {},
) {
  const hasWorkspace = () => Promise.resolve(true);
  return readTaskSums(store, { now, modelId: (name) => name, hasWorkspace, ...more });
}

async function generations(store: Store, more: Parameters<typeof sumsOf>[1] = {}): Promise<number> {
  const { sums } = await sumsOf(store, more);
  return [...sums.values()].flatMap(({ models }) => [...models.values()])
    .reduce((sum, { generations }) => sum + generations, 0);
}

const counted = (receipts: readonly Receipt[]): number =>
  rowsOf(new TaskCounters({ start: "run" }), receipts).length;

const one = { step: 1, provider: "mock", status: "completed", latency_ms: 1, cost: 0 } as const;

const ways: readonly (readonly [name: string, changes: Changes, counts: boolean])[] = [
  ["a completed request that named its model", {}, true],
  ["one on a provider key of the workspace", { is_byok: true, cost: 0 }, true],
  ["one that cost nothing", { cost: 0, upstream_cost: 0 }, true],
  ["one that made several calls", { calls: [{ ...one, purpose: "tool:datetime", model: null }] }, true],
  ["one whose task is unknown", { task: undefined }, false],
  ["one that a router chose for", { router: "service/auto" }, false],
  ["one that named no model", { requested_model: null }, false],
  ["one that reached no model", { model: null }, false],
  ["one of a key that tests the gateway", { self_test: true }, false],
  ...(["incomplete", "failed", "cancelled", "refused", "interrupted"] as const)
    .map((status) => [`one that ended ${status}`, { status }, false] as const),
];
for (const [name, changes, counts] of ways) {
  Deno.test(`TaskCounters ${counts ? "counts" : "leaves out"} ${name}`, () => {
    assert.equal(counted([vote(changes)]), counts ? 1 : 0);
  });
}

Deno.test("TaskCounters sums what requests have cost at the provider, without tools", async () => {
  const store = memoryStore();
  const groups = new Groups(store, [new TaskCounters({ start: "run" })]);
  const usage = { input_tokens: 100 };
  await groups.write([
    vote({ usage, upstream_cost: 700, cost: 0, server_tool_cost: 50, input_cost: 200 }),
    vote({ usage, upstream_cost: 300, input_cost: 100, key_hash: KEY_B }),
    // Without a list of prices nobody knows what the input has cost.
    vote({ usage, upstream_cost: 10, input_cost: 0, lines: [] }),
    vote({ usage, upstream_cost: 0, input_cost: 0, unpriced: true }),
    // The tokens are in part those of another model.
    vote({
      usage,
      upstream_cost: 40,
      input_cost: 20,
      calls: [{ ...one, purpose: "model", model: "mock/model" }, { ...one, purpose: "plugin:x", model: "m" }],
    }),
    vote({
      usage,
      upstream_cost: 5,
      input_cost: 5,
      calls: [{ ...one, purpose: "model", model: "mock/model" }],
    }),
  ]);
  const { sums } = await sumsOf(store);
  assert.deepEqual([...sums.keys()], ["math"]);
  const sum = { generations: 6, spend: 1_005, inputTokens: 300, inputCost: 305 };
  assert.deepEqual([...sums.get("math")?.models ?? []], [["mock/model", sum]]);
  assert.deepEqual([...sums.get("math")?.keys ?? []], [KEY_A.slice(0, 10), KEY_B.slice(0, 10)]);
});

Deno.test("sums by task are those of all runs and workspaces, under the model's id", async () => {
  const store = memoryStore();
  for (const start of ["run-1", "run-2"]) {
    const groups = new Groups(store, [new TaskCounters({ start })]);
    await groups.write([vote(), vote({ model: "mock/alias" }), vote({ workspace_id: OTHER })]);
    await groups.write([vote(), vote({ task: "code:review" })]);
  }
  const { sums } = await sumsOf(store, { modelId: () => "mock/model" });
  const found = [...sums].map(([task, { models }]) => [task, models.get("mock/model")?.generations]);
  assert.deepEqual(Object.fromEntries(found), { math: 8, "code:review": 2 });
  const remaining = { hasWorkspace: (id: string) => Promise.resolve(id !== OTHER) };
  assert.equal(await generations(store, remaining), 8, "those of a workspace that is gone count no more");
});

Deno.test("sums by task are the same when a projection is written twice", async () => {
  const store = memoryStore();
  const part = new TaskCounters({ start: "run" });
  part.add({ receipts: [vote(), undefined, vote()] });
  const puts = part.take();
  for (let time = 0; time < 2; time++) await store.commit({ puts, small: true });
  assert.deepEqual(part.take(), []);
  assert.equal(await generations(store), 2);
});

Deno.test("a part that begins anew writes other rows than before", async () => {
  const store = memoryStore();
  const first = new TaskCounters({ start: "run" });
  await new Groups(store, [first]).write([vote()]);
  await new Groups(store, [first.renewed()]).write([vote()]);
  assert.equal(await generations(store), 2);
});

Deno.test("any number of models is counted, in rows of a few, and nothing that is forgotten is lost", async () => {
  const store = memoryStore();
  const part = new TaskCounters({ start: "run", most: 20 });
  const groups = new Groups(store, [part]);
  for (let round = 0; round < 3; round++) {
    for (let at = 0; at < 60; at++) await groups.write([vote({ model: `mock/${at}` })]);
    assert.ok(part.held <= 20, `${part.held}`);
  }
  assert.equal(await generations(store), 180);
  const rows = await everything(store, [TASK_ROWS]);
  for (const { value } of rows) assert.ok(value instanceof Uint8Array && value.length < 1_000);
});

Deno.test("a few keys are told of a task, from however many sums", async () => {
  const store = memoryStore();
  const groups = new Groups(store, [new TaskCounters({ start: "run" })]);
  const keys = Array.from({ length: 9 }, (_, at) => `${at}`.repeat(64));
  const told = async () => (await sumsOf(store)).sums.get("math")?.keys.size;
  for (const [at, key_hash] of keys.entries()) {
    await groups.write([vote({ key_hash, model: at < 2 ? "mock/one" : "mock/two" })]);
    if (at < 3) assert.equal(await told(), at + 1);
  }
  assert.ok((await told() ?? 0) >= 5);
});

Deno.test("sums by task are of the last seven days, and older rows are removed", async () => {
  const store = memoryStore();
  const groups = new Groups(store, [new TaskCounters({ start: "run" })]);
  for (let day = 0; day < 10; day++) await groups.write([vote({ at: NOON + day * DAY })]);
  assert.equal(await generations(store, { now: NOON }), 10, "what is to come is there already");
  assert.equal(await generations(store, { now: NOON + 9 * DAY }), 7);
  assert.equal(await generations(store, { now: NOON + 9 * DAY + HOUR }), 7);
  assert.equal(await generations(store, { now: NOON + 12 * DAY }), 4);
  assert.equal(await generations(store, { now: NOON + 9 * DAY, maxRows: 2 }), 2, "the newest");

  const clock = memoryClock(NOON + 9 * DAY);
  const log = { debug() {}, info() {}, warn() {}, error: assert.fail };
  const job = taskRowsJob({ store, runtime: { clock, log } });
  await clock.advance(600_000);
  await job.close();
  assert.equal((await everything(store, [TASK_ROWS])).length, 7);
});

Deno.test("removeTaskRowsOf removes the rows of one workspace", async () => {
  const store = memoryStore();
  const groups = new Groups(store, [new TaskCounters({ start: "run" })]);
  for (let hour = 0; hour < 30; hour++) {
    await groups.write([
      vote({ at: NOON - hour * HOUR }),
      vote({ at: NOON - hour * HOUR, workspace_id: OTHER }),
    ]);
  }
  await removeTaskRowsOf(store, WORKSPACE);
  assert.equal(await generations(store), 30);
  await removeTaskRowsOf(store, OTHER);
  assert.deepEqual(await everything(store, [TASK_ROWS]), []);
});

Deno.test("a damaged row is left out and told, and so are tasks of a later version", async () => {
  const store = memoryStore();
  await new Groups(store, [new TaskCounters({ start: "run" })]).write([vote()]);
  const [row] = await everything(store, [TASK_ROWS]);
  assert.ok(row);
  const hour = Number(row.key[1]);
  const bytes = (text: string) => new TextEncoder().encode(text);
  const values = ["[", bytes("[1"), bytes("[[0]]"), bytes('[["math","m",1,1,1,1,[]]]'), bytes("{}")];
  for (const [at, value] of values.entries()) {
    await store.commit({ puts: [{ key: [TASK_ROWS, hour, WORKSPACE, "broken", at], value }] });
  }
  const later = bytes('[[999,"m",1,1,1,1,[]]]');
  await store.commit({ puts: [{ key: [TASK_ROWS, hour, WORKSPACE, "later", 1], value: later }] });
  const { sums, damaged } = await sumsOf(store);
  assert.deepEqual([[...sums.keys()], damaged], [["math"], values.length]);
});
