import assert from "node:assert/strict";
import { OneShotSignal } from "./one_shot_signal.ts";

Deno.test("OneShotSignal tells all listeners in their order, once", () => {
  const once = new OneShotSignal();
  const fired: string[] = [];
  for (const name of ["a", "b", "c"]) once.onFire(() => fired.push(name));
  assert.equal(once.fired, false);
  once.fire();
  once.fire();
  assert.deepEqual([fired, once.fired], [["a", "b", "c"], true]);
});

Deno.test("OneShotSignal does not tell those who stopped listening, however often they said so", () => {
  const once = new OneShotSignal();
  const fired: string[] = [];
  const stops = ["a", "b", "c", "d"].map((name) => once.onFire(() => fired.push(name)));
  for (const at of [1, 3, 1]) stops[at]?.();
  once.onFire(() => fired.push("e"));
  once.fire();
  for (const stop of stops) stop();
  assert.deepEqual(fired, ["a", "c", "e"]);
});

Deno.test("OneShotSignal tells a late listener at once", () => {
  const once = new OneShotSignal();
  const fired: string[] = [];
  once.onFire(() => {
    once.onFire(() => fired.push("inner"));
    fired.push("outer");
  });
  once.fire();
  once.onFire(() => fired.push("late"))();
  assert.deepEqual(fired, ["inner", "outer", "late"]);
});

Deno.test("OneShotSignal tells everyone who listens when it happens, also those whom another one stops", () => {
  const once = new OneShotSignal();
  const fired: string[] = [];
  once.onFire(() => (fired.push("a"), stopB()));
  const stopB = once.onFire(() => fired.push("b"));
  once.fire();
  assert.deepEqual(fired, ["a", "b"]);
});
