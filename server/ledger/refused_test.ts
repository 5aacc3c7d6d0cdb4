import assert from "node:assert/strict";
import { fakeClock } from "../../tests/support/clock.ts";
import { type Refused, RefusedReceipts } from "./refused.ts";

function rig(refusedPerMinute: number) {
  const clock = fakeClock();
  const written: string[] = [];
  const dropped: string[] = [];
  let made = 0;
  const receipts = new RefusedReceipts<Refused & { readonly name: string }>({
    clock,
    refusedPerMinute,
    drop: ({ name }) => dropped.push(name),
  });
  const refuse = (keyHash: string) => {
    const name = `${keyHash}${made++}`;
    return receipts.isApart({ name, keyHash, standFor: (count) => written.push(`${name} for ${count}`) });
  };
  return { clock, written, dropped, receipts, refuse };
}

Deno.test("RefusedReceipts writes the first of a minute, and of the others the last", async () => {
  const { clock, written, dropped, refuse } = rig(2);
  assert.deepEqual(["a", "a", "a", "a", "a"].map(refuse), [true, true, false, false, false]);
  assert.deepEqual([written, dropped], [[], ["a2", "a3"]]);
  await clock.advance(59_999);
  assert.deepEqual(written, []);
  await clock.advance(1);
  assert.deepEqual(written, ["a4 for 3"]);
  assert.equal(refuse("a"), true, "another minute");
  assert.equal(clock.open, 0, "nothing is waited for");
});

Deno.test("RefusedReceipts counts each key for itself", async () => {
  const { clock, written, refuse } = rig(1);
  assert.deepEqual(["a", "b", "a", "b", "b"].map(refuse), [true, true, false, false, false]);
  await clock.advance(60_000);
  assert.deepEqual(written, ["a2 for 1", "b4 for 2"]);
});

Deno.test("RefusedReceipts begins a minute with the first refusal", async () => {
  const { clock, written, refuse } = rig(1);
  refuse("a");
  await clock.advance(59_000);
  assert.equal(refuse("a"), false);
  await clock.advance(1_000);
  assert.deepEqual(written, ["a1 for 1"]);
});

Deno.test("RefusedReceipts writes what it has when it ends", () => {
  const { clock, written, receipts, refuse } = rig(1);
  refuse("a");
  refuse("a");
  receipts.flush();
  assert.deepEqual(written, ["a1 for 1"]);
  assert.equal(clock.open, 0);
  receipts.flush();
  assert.equal(written.length, 1);
});
