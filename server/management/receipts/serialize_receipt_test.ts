import assert from "node:assert/strict";
import { receiptWith } from "../../../tests/support/receipts.ts";
import { serializeGeneration, serializeReceipt } from "./serialize_receipt.ts";

const chosen = receiptWith({ router: "service/auto", task: "code:debugging" });
const named = receiptWith();

Deno.test("serializeGeneration tells the router and the task, and null where there is none", () => {
  const facts = [chosen, named].map(serializeGeneration).map(({ router, task }) => [router, task]);
  assert.deepEqual(facts, [["service/auto", "code:debugging"], [null, null]]);
});

Deno.test("serializeReceipt tells the router and the task, and leaves out what there is none of", () => {
  const { router, task } = serializeReceipt(chosen);
  assert.deepEqual([router, task], ["service/auto", "code:debugging"]);
  const other = serializeReceipt(named);
  assert.deepEqual(["router" in other, "task" in other], [false, false]);
});
