import assert from "node:assert/strict";
import { receiptWith } from "../../tests/support/receipts.ts";
import { memoryStore } from "../stores/memory.ts";
import { type Store, StoreError } from "../stores/store.ts";
import { receiptsOf } from "./receipt_blocks.ts";

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** A block as the journal writes it: receipts among entries of other kinds. */
async function written(receipts: readonly unknown[]): Promise<Store> {
  const store = memoryStore();
  const open = { type: "open", id: "gen-x", at: 1, scopes: [], about: {}, holds: [] };
  const entries = receipts.flatMap((
    receipt,
  ) => [open, { type: "close", at: 1, scopes: [], cost: 0, byok: 0, receipt }]);
  const block = { group: "g", low: 1, at: 1, entries };
  await store.commit({
    puts: [
      { key: ["journal", "one", 7], value: encode(block) },
      { key: ["receipt", "gen-here"], value: ["one", 7] },
      { key: ["receipt", "gen-lost"], value: ["one", 8] },
      { key: ["receipt", "gen-other"], value: ["one", 7] },
      { key: ["receipt", "gen-odd"], value: "one" },
    ],
  });
  return store;
}

const here = receiptWith({ id: "gen-here" });

Deno.test("receiptsOf finds a receipt by its id", async () => {
  const { receipt } = receiptsOf(await written([receiptWith(), here]));
  assert.deepEqual(await receipt("gen-here"), here);
  for (const id of ["gen-nowhere", "gen-lost", "gen-other", "", "x".repeat(201), "\ud800"]) {
    assert.equal(await receipt(id), undefined, id.slice(0, 20));
  }
});

Deno.test("receiptsOf gives those that are asked for, and leaves out those that are gone", async () => {
  const { receiptsAt } = receiptsOf(await written([receiptWith({ id: "gen-first" }), here]));
  const idsAt = async (seq: number, places: readonly number[]) =>
    (await receiptsAt(["one", seq], places)).map(({ id }) => id);
  assert.deepEqual(await idsAt(7, [1, 0]), ["gen-here", "gen-first"]);
  assert.deepEqual(await idsAt(7, [1, 5]), ["gen-here"]);
  assert.deepEqual(await idsAt(8, [0]), []);
});

Deno.test("receiptsOf says that a record is broken, and reads what stands beside it", async () => {
  const { receipt, receiptsAt } = receiptsOf(await written([{ id: "gen-other" }, here]));
  const corrupt = (error: unknown) => error instanceof StoreError && error.kind === "corrupt";
  await assert.rejects(receipt("gen-other"), corrupt);
  await assert.rejects(receipt("gen-odd"), corrupt);
  await assert.rejects(receiptsAt(["one", 7], [0]), corrupt);
  assert.deepEqual(await receiptsAt(["one", 7], [1]), [here]);
});
