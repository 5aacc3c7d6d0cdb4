import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import { CALM_MS, LAG_MS, LATE_MS, LOOK_MS, OverloadGuard, RETRY_S } from "./overload_guard.ts";

/** A guard whose loop is late by so many ms at each look. */
function rig() {
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const at = { now: 0, memory: 0, limit: 1_000 as number | undefined, released: 0 };
  const guard = new OverloadGuard({
    clock: { monotonic: () => at.now },
    log: { debug: note, info: note, warn: note, error: note },
    memoryLimit: () => at.limit,
    memory: () => at.memory,
    release: () => void at.released++,
  });
  guard.look();
  const run = (ms: number, lagMs: number) => {
    for (const until = at.now + ms; at.now < until;) {
      at.now += LOOK_MS + lagMs;
      guard.look();
    }
  };
  return { guard, at, run, logged };
}

Deno.test("OverloadGuard refuses new work once every turn was late for seconds, until the loop is in time again", () => {
  const { guard, run, logged } = rig();
  run(LATE_MS - 2 * LAG_MS, LAG_MS + 1);
  guard.assertTakesWork();
  run(LOOK_MS, 0);
  run(LATE_MS - 2 * LAG_MS, LAG_MS + 1);
  guard.assertTakesWork();
  run(3 * LAG_MS, LAG_MS + 1);
  assert.throws(() => guard.assertTakesWork(), (error) => {
    assert(error instanceof ApiError);
    assert.deepEqual([error.status, error.details.retryAfter], [503, RETRY_S]);
    return true;
  });
  assert.equal(guard.refusals("loop_lag"), 1);
  run(CALM_MS - LOOK_MS, 0);
  assert.throws(() => guard.assertTakesWork());
  run(2 * LOOK_MS, 0);
  guard.assertTakesWork();
  assert.deepEqual(logged, ["Overloaded: new requests are refused", "New requests are taken again"]);
});

Deno.test("OverloadGuard refuses new work beyond the limit of memory, until a twentieth of it is free", () => {
  const { guard, at, run } = rig();
  const after = (memory: number) => {
    at.memory = memory;
    run(1_000, 0);
    return [...guard.active];
  };
  assert.deepEqual(after(1_000), []);
  assert.equal(at.released, 0);
  assert.deepEqual(after(1_001), ["memory"]);
  assert.equal(at.released, 1);
  assert.deepEqual(after(960), ["memory"]);
  assert.deepEqual(after(950), []);
  assert.deepEqual(after(2_000), ["memory"]);
  at.limit = undefined;
  assert.deepEqual(after(2_000), []);
});
