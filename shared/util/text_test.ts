import assert from "node:assert/strict";
import { startOf } from "./start_of.ts";

Deno.test("startOf leaves no half of a character", () => {
  assert.equal(startOf("ab👋", 4), "ab👋");
  assert.equal(startOf("ab👋", 3), "ab\ufffd");
  assert.equal(startOf("a\ud83db", 10), "a\ufffdb");
  assert.equal(startOf("abc", 2), "ab");
});
