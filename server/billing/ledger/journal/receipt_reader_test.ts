import assert from "node:assert/strict";
import { receiptWith } from "../../../../tests/support/receipts.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import { type Store, StoreError } from "../../../storage/stores/store.ts";
import { appendChecksum } from "./batch_checksum.ts";
import { batchKey, type CloseEntry, encodeEntry } from "./journal_batch.ts";
import { receiptPosition } from "../projection/projection_part.ts";
import { RETIRED_ROWS } from "./recovery/missing_batches.ts";
import { createReceiptReader } from "./receipt_reader.ts";

const encode = (value: unknown) => appendChecksum(JSON.stringify(value));

/** Id row of one receipt, in a projection that begins with batch `first`. */
const idRow = (id: string, { first, place = 0 }: { readonly first: number; readonly place?: number }) => ({
  key: ["receipt_ids", id, "one", first],
  value: { ids: [""], places: [place] },
});

/** Casts a value that may be no receipt to a close entry. */
function asClose(receipt: unknown): CloseEntry {
  return { type: "close", at: 1, scopes: [], cost: 0, byok: 0, receipt } as CloseEntry;
}

/** A batch as the journal writes it: receipts among entries of other kinds. */
async function written(receipts: readonly unknown[], { retired = -1 } = {}): Promise<Store> {
  const store = memoryStore();
  const open = { type: "open", id: "gen-x", at: 1, scopes: [], about: {}, holds: [] };
  const entries = receipts.flatMap((receipt) => [open, JSON.parse(encodeEntry(asClose(receipt)))]);
  const batch = { group: "g", low: 1, at: 1, entries };
  await store.commit({
    puts: [
      { key: batchKey("one", 7), value: encode(batch) },
      idRow("gen-here", { first: 6, place: receiptPosition(1, 1) }),
      idRow("gen-lost", { first: 8 }),
      idRow("gen-other", { first: 7 }),
      { key: ["receipt_ids", "gen-odd", "one", 7], value: "one" },
      ...(retired < 0 ? [] : [{ key: [RETIRED_ROWS, "one"], value: retired }]),
    ],
  });
  return store;
}

const here = receiptWith({ id: "gen-here" });

Deno.test("createReceiptReader finds a receipt by its id", async () => {
  const { receipt } = createReceiptReader(await written([receiptWith(), here], { retired: 8 }));
  assert.deepEqual(await receipt("gen-here"), here);
  for (const id of ["gen-nowhere", "gen-lost", "gen-other", "", "x".repeat(201), "\ud800"]) {
    assert.equal(await receipt(id), undefined, id.slice(0, 20));
  }
});

Deno.test("createReceiptReader gives those that are asked for, and leaves out those that are gone", async () => {
  const { receiptsAt } = createReceiptReader(
    await written([receiptWith({ id: "gen-first" }), here], { retired: 8 }),
  );
  const idsAt = async (seq: number, places: readonly number[]) =>
    (await receiptsAt({ instance: "one", first: seq }, places)).map(({ receipt }) => receipt?.id);
  assert.deepEqual(await idsAt(7, [1, 0]), ["gen-here", "gen-first"]);
  assert.deepEqual(await idsAt(7, [1, 5]), ["gen-here"]);
  assert.deepEqual(await idsAt(8, [0]), []);
  const [one, other] = [receiptPosition(1, 1), receiptPosition(1, 0)];
  assert.deepEqual(await idsAt(6, [receiptPosition(2, 0), one, other, 3]), ["gen-here", "gen-first"]);
});

Deno.test("createReceiptReader says that a batch is gone before its time", async () => {
  for (const retired of [undefined, 7]) {
    const { receipt, receiptsAt } = createReceiptReader(await written([here], { retired }));
    const corrupt = (error: unknown) => error instanceof StoreError && error.kind === "corrupt";
    await assert.rejects(receipt("gen-lost"), corrupt);
    assert.deepEqual(await receiptsAt({ instance: "one", first: 8 }, [0, 1]), [
      { place: 0, receipt: undefined },
      { place: 1, receipt: undefined },
    ]);
  }
});

Deno.test("createReceiptReader says that a record is broken, and reads what stands beside it", async () => {
  const { receipt, receiptsAt } = createReceiptReader(
    await written([{ ...here, id: "gen-other", total_ms: null }, here]),
  );
  const corrupt = (error: unknown) => error instanceof StoreError && error.kind === "corrupt";
  await assert.rejects(receipt("gen-other"), corrupt);
  await assert.rejects(receipt("gen-odd"), corrupt);
  const read = [{ place: 0, receipt: undefined }, { place: 1, receipt: here }];
  assert.deepEqual(await receiptsAt({ instance: "one", first: 7 }, [0, 1]), read);
  assert.deepEqual(await receiptsAt({ instance: "one", first: 7 }, [1]), read.slice(1));
});
