import assert from "node:assert/strict";
import { minimumTokens } from "./token_floor.ts";

const cases: readonly (readonly [string, number])[] = [
  ["", 0],
  ["   \n\t ", 0],
  ["one", 1],
  ["one two  three\n", 3],
  ["-".repeat(128), 1],
  ["-".repeat(129), 2],
  ["字".repeat(300), 3],
];

for (const [text, tokens] of cases) {
  Deno.test(`minimumTokens finds ${tokens} in ${JSON.stringify(text.slice(0, 20))}`, () => {
    assert.equal(minimumTokens(text), tokens);
  });
}
