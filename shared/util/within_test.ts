import assert from "node:assert/strict";
import { memoryClock } from "../../tests/support/clock.ts";
import { endsWithin, within } from "./within.ts";

const late = () => new Error("late");

Deno.test("within gives what the work comes to, or fails at its end", async () => {
  const clock = memoryClock();
  assert.equal(await within(Promise.resolve(1), { clock, ms: 10, late }), 1);
  await assert.rejects(within(Promise.reject(new Error("own")), { clock, ms: 10, late }), /own/);
  const never = Promise.withResolvers<number>();
  const waiting = assert.rejects(within(never.promise, { clock, ms: 10, late }), /late/);
  await clock.advance(10);
  await waiting;
  // Nobody hears of what comes afterwards, and nothing is left open.
  never.reject(new Error("too late"));
  assert.equal(clock.open, 0);
});

Deno.test("endsWithin says whether the work ended in time", async () => {
  const clock = memoryClock();
  assert.equal(await endsWithin(Promise.resolve(), { clock, ms: 10 }), true);
  await assert.rejects(endsWithin(Promise.reject(new Error("own")), { clock, ms: 10 }), /own/);
  const never = Promise.withResolvers<void>();
  const waiting = endsWithin(never.promise, { clock, ms: 10 });
  await clock.advance(10);
  assert.equal(await waiting, false);
  never.reject(new Error("too late"));
  assert.equal(clock.open, 0);
});
