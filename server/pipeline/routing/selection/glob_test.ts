import assert from "node:assert/strict";
import { compilePatterns, matchesAny, matchesGlob } from "./glob.ts";
import { threadMs } from "../../../../tests/support/thread_time.ts";

Deno.test("matchesGlob lets a star stand for any text", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["openai/*", "openai/gpt-5", true],
    ["openai/*", "openai/", true],
    ["openai/*", "openai", false],
    ["*", "", true],
    ["", "", true],
    ["", "a", false],
    ["a*b*c", "aXbYbZc", true],
    ["a*b*c", "aXbYbZ", false],
    ["*-mini", "gpt-mini-mini", true],
    ["a.c", "abc", false],
    ["**", "x", true],
    ["[a]", "a", false],
  ];
  for (const [pattern, text, expected] of cases) {
    assert.equal(matchesGlob(pattern, text), expected, `${pattern} ~ ${text}`);
  }
});

Deno.test("matchesAny takes capital letters for small ones", () => {
  const names = compilePatterns(["OpenAI/GPT-5 ", "Vendor/*"]);
  assert(matchesAny(names, ["openai/gpt-5"]));
  assert(matchesAny(names, ["other", "vendor/x"]));
  assert(!matchesAny(names, ["openai/gpt-5-mini"]));
});

Deno.test("matchesGlob judges 1,024 hostile patterns in no time", async () => {
  const pattern = "*a".repeat(500) + "b";
  const text = "a".repeat(1_024);
  const took = await threadMs(() => {
    for (let time = 0; time < 1_024; time++) assert.equal(matchesGlob(pattern, text), false);
  });
  assert(took < 500, `${took} ms`);
});

Deno.test("matchesAny agrees with its patterns one by one, the first time and every other", () => {
  const patterns = ["a*", "*b", "a*b*c", "*", "x/*/y", "**c", "ab", "a*a"];
  const texts = ["", "a", "ab", "ba", "axbxc", "x//y", "x/1/y", "cab", "aa", "c"];
  for (let length = 1; length <= patterns.length; length++) {
    for (let first = 0; first + length <= patterns.length; first++) {
      const list = patterns.slice(first, first + length);
      const names = compilePatterns(list);
      for (const text of [...texts, ...texts]) {
        assert.equal(
          matchesAny(names, [text]),
          list.some((pattern) => matchesGlob(pattern, text)),
          `${list} ~ ${text}`,
        );
      }
    }
  }
});
