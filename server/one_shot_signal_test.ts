import assert from "node:assert/strict";
import { OneShotSignal } from "./one_shot_signal.ts";

Deno.test("OneShotSignal tells all listeners in their order, once", () => {
  const once = new OneShotSignal();
  const reported: string[] = [];
  for (const name of ["a", "b", "c"]) once.onFire(() => reported.push(name));
  assert.equal(once.fired, false);
  once.fire();
  once.fire();
  assert.deepEqual([reported, once.fired], [["a", "b", "c"], true]);
});

Deno.test("OneShotSignal does not tell those who stopped listening, however often they said so", () => {
  const once = new OneShotSignal();
  const reported: string[] = [];
  const stops = ["a", "b", "c", "d"].map((name) => once.onFire(() => reported.push(name)));
  for (const at of [1, 3, 1]) stops[at]?.();
  once.onFire(() => reported.push("e"));
  once.fire();
  for (const stop of stops) stop();
  assert.deepEqual(reported, ["a", "c", "e"]);
});

Deno.test("OneShotSignal tells a late listener at once", () => {
  const once = new OneShotSignal();
  const reported: string[] = [];
  once.onFire(() => {
    once.onFire(() => reported.push("inner"));
    reported.push("outer");
  });
  once.fire();
  once.onFire(() => reported.push("late"))();
  assert.deepEqual(reported, ["inner", "outer", "late"]);
});

Deno.test("OneShotSignal tells everyone who listens when it happens, also those whom another one stops", () => {
  const once = new OneShotSignal();
  const reported: string[] = [];
  once.onFire(() => (reported.push("a"), stopB()));
  const stopB = once.onFire(() => reported.push("b"));
  once.fire();
  assert.deepEqual(reported, ["a", "b"]);
});
