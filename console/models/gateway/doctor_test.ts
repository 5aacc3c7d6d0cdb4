import assert from "node:assert/strict";
import { byVerdict } from "./doctor.ts";

Deno.test("byVerdict puts failures before warnings, and keeps the order of each", () => {
  const checks =
    ([["a", "ok"], ["b", "warning"], ["c", "failed"], ["d", "warning"], ["e", "failed"]] as const)
      .map(([check, verdict]) => ({ check, verdict, found: "" }));
  assert.deepEqual(byVerdict(checks).map(({ check }) => check), ["c", "e", "b", "d", "a"]);
});
