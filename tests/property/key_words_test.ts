import assert from "node:assert/strict";
import fc from "fast-check";
import { matchesSearch, parseKeySearch, wordsOfKey } from "../../server/management/keys/lists/key_words.ts";
import { assertProperty } from "../support/property.ts";

const label = "tg-api-...x4Q";

Deno.test("wordsOfKey folds case and forms, and always has the end of the label", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["Doc-intake_pipeline", ["doc", "intake", "pipeline", "x4q"]],
    ["ﬁle Ärger  ÄRGER", ["file", "ärger", "x4q"]],
    ["…", ["x4q"]],
    ["a b c d e f g h i j", ["a", "b", "c", "d", "e", "f", "g", "x4q"]],
  ];
  for (const [name, expected] of cases) assert.deepEqual(wordsOfKey({ name, label }), expected);
});

Deno.test("parseKeySearch knows hashes and labels", () => {
  assert.deepEqual(parseKeySearch("9F31c0"), { words: ["9f31c0"], hashPrefix: "9f31c0" });
  assert.deepEqual(parseKeySearch("9f31c"), { words: ["9f31c"] });
  assert.deepEqual(parseKeySearch("tg-api-...x4"), { words: ["x4"] });
  assert.deepEqual(parseKeySearch("tg-api-…x4Q"), { words: ["x4q"] });
  assert.deepEqual(parseKeySearch("  doc  IN "), { words: ["doc", "in"] });
});

Deno.test("a key is found by the beginning of each of its words, in any order", () => {
  const word = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(..."abcdeXYZéß9") });
  const named = fc.uniqueArray(word, { minLength: 1, maxLength: 6 });
  assertProperty(fc.property(named, fc.nat(), fc.nat(12), (words, at, length) => {
    const key = { name: words.join("-"), label };
    const typed = (words[at % words.length] ?? "").slice(0, 1 + length);
    assert(matchesSearch(key, parseKeySearch(typed).words), `${typed} in ${key.name}`);
  }));
});
