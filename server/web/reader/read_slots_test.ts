import assert from "node:assert/strict";
import { ReadSlots } from "./read_slots.ts";

Deno.test("ReadSlots.take gives a slot to nobody who has stopped waiting, before or meanwhile", async () => {
  const slots = new ReadSlots({ concurrency: 1, maxWaiting: 5 });
  const { signal } = new AbortController();
  const first = await slots.take(signal);
  await assert.rejects(slots.take(AbortSignal.abort(new Error("left before"))), /left before/);
  const leaving = new AbortController();
  const left = slots.take(leaving.signal);
  const next = slots.take(signal);
  leaving.abort(new Error("left meanwhile"));
  await assert.rejects(left, /left meanwhile/);
  first?.release();
  (await next)?.release();
  assert.ok(await slots.take(signal) !== undefined, "the slot is free again");
});
