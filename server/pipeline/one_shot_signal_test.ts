import assert from "node:assert/strict";
import { Once } from "./one_shot_signal.ts";

Deno.test("Once tells all listeners in their order, once", () => {
  const once = new Once();
  const told: string[] = [];
  for (const name of ["a", "b", "c"]) once.on(() => told.push(name));
  assert.equal(once.gone, false);
  once.fire();
  once.fire();
  assert.deepEqual([told, once.gone], [["a", "b", "c"], true]);
});

Deno.test("Once does not tell those who stopped listening, however often they said so", () => {
  const once = new Once();
  const told: string[] = [];
  const stops = ["a", "b", "c", "d"].map((name) => once.on(() => told.push(name)));
  for (const at of [1, 3, 1]) stops[at]?.();
  once.on(() => told.push("e"));
  once.fire();
  for (const stop of stops) stop();
  assert.deepEqual(told, ["a", "c", "e"]);
});

Deno.test("Once tells a late listener at once", () => {
  const once = new Once();
  const told: string[] = [];
  once.on(() => {
    once.on(() => told.push("inner"));
    told.push("outer");
  });
  once.fire();
  once.on(() => told.push("late"))();
  assert.deepEqual(told, ["inner", "outer", "late"]);
});

Deno.test("Once tells everyone who listens when it happens, also those whom another one stops", () => {
  const once = new Once();
  const told: string[] = [];
  once.on(() => (told.push("a"), stopB()));
  const stopB = once.on(() => told.push("b"));
  once.fire();
  assert.deepEqual(told, ["a", "b"]);
});
