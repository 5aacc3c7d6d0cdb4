import assert from "node:assert/strict";
import { isTaskType, macroOf, taskMacros, taskTypes } from "./task_types.ts";

Deno.test("the part of a task type in front of its colon is its macro", () => {
  for (const task of taskTypes) {
    const [front, behind] = task.split(":");
    assert.equal(macroOf(task), behind === undefined ? "general" : front ?? "");
  }
  assert.deepEqual(new Set(taskTypes.map(macroOf)), new Set(taskMacros));
});

Deno.test("names that every object has are no task type", () => {
  assert.deepEqual(["math", "toString", "__proto__", ""].map(isTaskType), [true, false, false, false]);
});
