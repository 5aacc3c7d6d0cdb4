import assert from "node:assert/strict";
import { Semaphore } from "./semaphore.ts";

Deno.test("Semaphore.take gives a place to nobody who has stopped waiting, before or meanwhile", async () => {
  const places = new Semaphore({ most: 1, maxWaiting: 5 });
  const { signal } = new AbortController();
  assert.equal(await places.take(signal), true);
  await assert.rejects(places.take(AbortSignal.abort(new Error("left before"))), /left before/);
  const leaving = new AbortController();
  const left = places.take(leaving.signal);
  const next = places.take(signal);
  leaving.abort(new Error("left meanwhile"));
  await assert.rejects(left, /left meanwhile/);
  places.release();
  assert.equal(await next, true);
  places.release();
  assert.ok(places.tryTake(), "the place is free again");
});

Deno.test("Semaphore.take refuses those that are too many, and those that have waited too long", async () => {
  const ends: (() => void)[] = [];
  let cancelled = 0;
  const clock = {
    after: (_ms: number, run: () => void) => {
      ends.push(run);
      return () => cancelled++;
    },
  };
  const places = new Semaphore({ most: 1, maxWaiting: 2, maxWait: { clock, ms: 1_000 } });
  const { signal } = new AbortController();
  assert.ok(await places.take(signal) && !places.tryTake());
  const [late, next] = [places.take(signal), places.take(signal)];
  assert.equal(await places.take(signal), false, "two wait already");
  ends[0]?.();
  assert.equal(await late, false);
  assert.ok(places.hasWaiting);
  places.release();
  ends[1]?.();
  assert.equal(await next, true, "the place had come before the time was over");
  assert.deepEqual([cancelled, places.hasWaiting], [2, false]);
});
