import assert from "node:assert/strict";
import { compilePatternFilter } from "./pattern_filter.ts";

const texts = {
  letters: "a".repeat(65_536),
  "letters and a digit": `${"a".repeat(65_535)}1`,
  "two letters": Array.from({ length: 65_536 }, (_, at) => "ab"[(at * 7 + (at >> 3)) & 1]).join(""),
};

const patterns = [
  "[a-z]{1,1000}\\d",
  "([a-z]{1,50}){1,50}\\d",
  "(?:a|aa)+c",
  "(a+)+$",
  "(?:.*a){9}",
  "a[ab]{900}c",
  "[ab]*a[ab]{400}c",
  "(x+x+)+y",
  "\\w{1,9}",
  "a{1,40}b",
];

/** Most units by which a stretch of a search may exceed its budget: one step over all states. */
const MOST_IN_A_STEP = 12_000;
const STRETCH = 20_000;

Deno.test("no stretch of a search does more than it was given, whatever the pattern and the text", () => {
  for (const pattern of patterns) {
    const filter = compilePatternFilter(pattern);
    for (const [name, text] of Object.entries(texts)) {
      const search = filter.search(text, 0);
      for (let found: unknown = "more"; found === "more";) {
        const meter = { left: STRETCH };
        found = search.run(meter);
        assert.ok(meter.left >= -MOST_IN_A_STEP, `${pattern} over ${name}: ${STRETCH - meter.left} units`);
      }
    }
  }
});

/** Steps for each character of 64 KB: what a pattern costs must not depend on how the text is made. */
Deno.test("a search costs at most a step for each state and character", () => {
  for (const [pattern, states] of [["[a-z]{1,1000}\\d", 2_001], ["a[ab]{900}c", 903]] as const) {
    for (const [name, text] of Object.entries(texts)) {
      const meter = { left: Infinity };
      const search = compilePatternFilter(pattern).search(text, 0);
      let spent = 0;
      for (let found: unknown = "more"; found === "more";) {
        meter.left = STRETCH;
        found = search.run(meter);
        spent += STRETCH - meter.left;
      }
      assert.ok(spent <= 2 * (states + 1) * text.length, `${pattern} over ${name}: ${spent} units`);
    }
  }
});

Deno.test("searches of one pattern that pause in between do not disturb each other", () => {
  const filter = compilePatternFilter("a[ab]{900}c");
  const letters = texts["two letters"];
  const text = `${letters.slice(0, 4_000)}a${letters.slice(0, 900)}c`;
  const alone = filter.find(text, 0);
  const searches = [0, 1, 500].map((from) => filter.search(text, from));
  const found = new Set<string>();
  while (found.size === 0) {
    for (const search of searches) {
      const match = search.run({ left: 3_000 });
      if (match !== "more") found.add(JSON.stringify(match));
    }
  }
  assert.deepEqual([...found], [JSON.stringify(alone)]);
});
