import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { RejectedReceipts, type RejectedRequest } from "./rejected_receipts.ts";

function rig(refusedPerMinute: number) {
  const clock = memoryClock();
  const written: string[] = [];
  const dropped: string[] = [];
  let made = 0;
  const receipts = new RejectedReceipts<RejectedRequest & { readonly name: string }>({
    clock,
    rejectedPerMinute: refusedPerMinute,
    drop: ({ name }) => dropped.push(name),
  });
  const refuse = (keyHash: string) => {
    const name = `${keyHash}${made++}`;
    return receipts.keep({ name, keyHash, countFor: (count) => written.push(`${name} for ${count}`) })?.name;
  };
  return { clock, written, dropped, receipts, refuse };
}

Deno.test("RejectedReceipts lets the first of a minute be written, and keeps one for the others", async () => {
  const { clock, written, dropped, refuse } = rig(2);
  assert.deepEqual(["a", "a", "a", "a", "a"].map(refuse), [undefined, undefined, "a2", "a2", "a2"]);
  assert.deepEqual([written, dropped], [[], ["a3", "a4"]]);
  await clock.advance(59_999);
  assert.deepEqual(written, []);
  await clock.advance(1);
  assert.deepEqual(written, ["a2 for 3"]);
  assert.equal(refuse("a"), undefined, "another minute");
  assert.equal(clock.open, 0, "nothing is waited for");
});

Deno.test("RejectedReceipts counts each key for itself", async () => {
  const { clock, written, refuse } = rig(1);
  assert.deepEqual(["a", "b", "a", "b", "b"].map(refuse), [undefined, undefined, "a2", "b3", "b3"]);
  await clock.advance(60_000);
  assert.deepEqual(written, ["a2 for 1", "b3 for 2"]);
});

Deno.test("RejectedReceipts begins a minute with the first refusal", async () => {
  const { clock, written, refuse } = rig(1);
  refuse("a");
  await clock.advance(59_000);
  assert.equal(refuse("a"), "a1");
  await clock.advance(1_000);
  assert.deepEqual(written, ["a1 for 1"]);
});

Deno.test("RejectedReceipts writes what is kept when asked, within the same minute", async () => {
  const { clock, written, receipts, refuse } = rig(1);
  refuse("a");
  assert.equal(receipts.write(), false, "nothing is kept");
  assert.deepEqual([refuse("a"), refuse("a")], ["a1", "a1"]);
  assert.equal(receipts.write(), true);
  assert.deepEqual(written, ["a1 for 2"]);
  assert.equal(clock.open, 0, "nothing is waited for");
  assert.deepEqual([refuse("a"), refuse("a")], ["a3", "a3"]);
  await clock.advance(60_000);
  assert.deepEqual(written, ["a1 for 2", "a3 for 2"]);
});

Deno.test("RejectedReceipts writes what it has when it ends", () => {
  const { clock, written, receipts, refuse } = rig(1);
  refuse("a");
  refuse("a");
  receipts.end();
  assert.deepEqual(written, ["a1 for 1"]);
  assert.equal(clock.open, 0);
  receipts.end();
  assert.equal(written.length, 1);
});
