import assert from "node:assert/strict";
import { OneShotSignal } from "./one_shot_signal.ts";

Deno.test("Once tells all listeners in their order, once", () => {
  const once = new OneShotSignal();
  const told: string[] = [];
  for (const name of ["a", "b", "c"]) once.onFire(() => told.push(name));
  assert.equal(once.fired, false);
  once.fire();
  once.fire();
  assert.deepEqual([told, once.fired], [["a", "b", "c"], true]);
});

Deno.test("Once does not tell those who stopped listening, however often they said so", () => {
  const once = new OneShotSignal();
  const told: string[] = [];
  const stops = ["a", "b", "c", "d"].map((name) => once.onFire(() => told.push(name)));
  for (const at of [1, 3, 1]) stops[at]?.();
  once.onFire(() => told.push("e"));
  once.fire();
  for (const stop of stops) stop();
  assert.deepEqual(told, ["a", "c", "e"]);
});

Deno.test("Once tells a late listener at once", () => {
  const once = new OneShotSignal();
  const told: string[] = [];
  once.onFire(() => {
    once.onFire(() => told.push("inner"));
    told.push("outer");
  });
  once.fire();
  once.onFire(() => told.push("late"))();
  assert.deepEqual(told, ["inner", "outer", "late"]);
});

Deno.test("Once tells everyone who listens when it happens, also those whom another one stops", () => {
  const once = new OneShotSignal();
  const told: string[] = [];
  once.onFire(() => (told.push("a"), stopB()));
  const stopB = once.onFire(() => told.push("b"));
  once.fire();
  assert.deepEqual(told, ["a", "b"]);
});
