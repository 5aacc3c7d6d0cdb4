/** The fewest tokens that a text can be are never more than it is. */

import assert from "node:assert/strict";
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import { minimumTokens } from "../../server/pipeline/routing/selection/token_floor.ts";
import { seeded } from "../fuzz/random.ts";
import { seed } from "../support/seed.ts";

const chunks = [
  " ",
  "  ",
  "\n",
  "\n\n",
  "\t",
  "a",
  "word",
  " word",
  "Ünïcödé",
  "字",
  "한국어",
  "🙂",
  "-",
  "====",
  "0",
  "123",
];
const runs = [
  "-".repeat(200),
  " ".repeat(300),
  "=".repeat(130),
  "_".repeat(64),
  "a".repeat(500),
  "\n".repeat(90),
];

Deno.test("minimumTokens never counts more than the tokenizers do", () => {
  const random = seeded(seed).next;
  for (let round = 0; round < 400; round++) {
    const from = random() < 0.2 ? [...chunks, ...runs] : chunks;
    const text = Array.from(
      { length: 1 + Math.floor(random() * 60) },
      () => from[Math.floor(random() * from.length)],
    ).join("");
    for (const count of [countCl100k, countO200k]) {
      assert(
        minimumTokens(text) <= count(text),
        `${minimumTokens(text)} > ${count(text)}: ${JSON.stringify(text)}`,
      );
    }
  }
});
