/** Pieces of texts for indexes: within their size, whole, and cut where a reader would cut. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { createClock } from "../../server/runtime.ts";
import { loadTokenizer } from "../../server/billing/tokenizer/tokens.ts";
import { cutPieces } from "../../server/web/reader/child/index/cut_pieces.ts";
import { assertProperty, runs } from "../support/property.ts";

const MOST = 800;
const { countNow } = await loadTokenizer(createClock());

const piece = fc.constantFrom(
  "# Heading\n",
  "## Deeper\n\n",
  "A sentence with some words in it. ",
  "Ein Satz mit einigen Wörtern. ",
  "\n\n",
  "\n",
  "| a | b |\n",
  "机器学习是人工智能的一个分支。",
  "😀😀",
  "x".repeat(300),
  "word ".repeat(200),
  "\t",
);
const text = fc.array(piece, { maxLength: 120 }).map((parts) => parts.join(""));

Deno.test("cutPieces keeps every letter, in pieces of at most 800 tokens", () => {
  assertProperty(
    fc.property(text, (whole) => {
      const pieces = cutPieces(whole, countNow);
      let covered = 0;
      for (const { start, end } of pieces) {
        assert.ok(countNow(whole.slice(start, end)) <= MOST, `${start}-${end}`);
        assert.ok(start < end && end > covered, "every piece has something new");
        if (start > covered) assert.equal(whole.slice(covered, start).trim(), "");
        covered = end;
      }
      assert.equal(whole.slice(covered).trim(), "");
    }),
    { numRuns: runs(60) },
  );
});

const sentence = (at: number) => `Sentence number ${at} says something about the subject at hand. `;

Deno.test("cutPieces shares about 100 tokens between pieces, and cuts before a heading", () => {
  const long = Array.from({ length: 300 }, (_, at) => sentence(at)).join("");
  const pieces = cutPieces(long, countNow);
  assert.ok(pieces.length > 3);
  for (const [at, { start }] of pieces.entries()) {
    const before = pieces[at - 1];
    if (before === undefined) continue;
    const shared = countNow(long.slice(start, before.end));
    assert.ok(shared > 50 && shared <= 105, String(shared));
  }
  const section = (name: string) =>
    `# ${name}\n\n${Array.from({ length: 40 }, (_, at) => sentence(at)).join("")}\n\n`;
  const parts = cutPieces(section("One") + section("Two"), countNow);
  assert.deepEqual(parts.map(({ heading }) => heading), ["One", "One"]);
  assert.match((section("One") + section("Two")).slice(parts[1]?.start, parts[1]?.end), /# Two/);
});
