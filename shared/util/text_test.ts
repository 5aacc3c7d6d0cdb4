import assert from "node:assert/strict";
import { cutBytes, cutMiddle, cutMiddleBytes, truncateStart } from "./text.ts";

Deno.test("truncateStart leaves no half of a character", () => {
  assert.equal(truncateStart("ab👋", 4), "ab👋");
  assert.equal(truncateStart("ab👋", 3), "ab\ufffd");
  assert.equal(truncateStart("a\ud83db", 10), "a\ufffdb");
  assert.equal(truncateStart("abc", 2), "ab");
});

Deno.test("cuts of texts leave what is short enough", () => {
  for (const text of ["", "short", "x".repeat(1_000), "a\ud83db"]) {
    for (const cut of [cutBytes, cutMiddle, cutMiddleBytes]) assert.equal(cut(text, 1_000), text);
  }
});

Deno.test("cuts of texts keep their length, and their characters whole", () => {
  const text = `a${"👋".repeat(200)}`;
  assert.equal(cutBytes(text, 10), "a👋👋");
  assert.equal(cutMiddle(text, 10), "a👋👋\n[… 391 characters left out …]\n\ufffd👋👋");
  const most = 100;
  assert.match(cutMiddleBytes(text, most), /^a👋+\n\[… 739 of 801 bytes left out …\]\n👋+$/u);
  assert.ok(new TextEncoder().encode(cutMiddleBytes(text, most)).length <= most);
});
