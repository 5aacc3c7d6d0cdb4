import assert from "node:assert/strict";
import { receiptWith, rowsOf } from "../../../../tests/support/receipts.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import { locateReceipt, ReceiptIds } from "./receipt_ids.ts";

Deno.test("locateReceipt finds every receipt of a posting, whatever ids came before it", async () => {
  const store = memoryStore();
  // Of several moments, shorter than what ids of one row begin with, and cut in the middle of a character.
  const ids = [
    ...["gen-0123456789", "gen-0123456788", "gen-0123456790", "gen-0123456789ab"],
    ...["gen-1", "gen-12", "gen-12345678", "gen-123456789", "gen-1234567890", "gen-1"],
    ...["gen-12345678\u{1f600}", "gen-12345678\ufffd", "gen-12345678\ufffdx"],
  ];
  const puts = rowsOf(new ReceiptIds(), ids.map((id) => receiptWith({ id })));
  await store.commit({ puts, small: true });
  const places = await Promise.all(ids.map(async (id) => (await locateReceipt(store, id))?.position));
  assert.deepEqual(places, ids.map((id) => ids.indexOf(id)));
  assert.equal(await locateReceipt(store, "gen-123"), undefined);
});
