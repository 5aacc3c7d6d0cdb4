/** Patterns put together at random find what JavaScript finds, on each engine, however often they pause. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  compilePatternFilter,
  type PatternFilter,
} from "../../server/pipeline/guardrails/patterns/pattern_filter.ts";
import type { TextFilter, TextMatch } from "../../server/pipeline/guardrails/text_filter.ts";
import { assertProperty } from "../support/property.ts";

const atoms = fc.constantFrom(
  ..."a b c é ß \\. \\d \\D \\w \\W \\s \\S . [abc] [^a] [^\\s] [a-c0-9] [\\w-] \\b \\B ^ $ \\n \\u00e9 [\\d\\s]"
    .split(" "),
  "-",
  "😀",
);
const repeats = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,3}", "*?", "+?", "??", "{0,2}?");

const isAssertion = (atom: string) => /^(?:\\[bB]|[$^])$/.test(atom);

/**
 * Patterns in which nothing is repeated that may be empty: JavaScript then looks for another way through it, and the
 * automaton does not. Nobody writes that on purpose.
 */
const { pattern: patterns } = fc.letrec((tie) => ({
  group: fc.oneof(
    tie("pattern").map((body) => `(${body})`),
    fc.tuple(fc.constantFrom("a", "é", "\\d"), tie("pattern"), repeats).map(([first, body, repeat]) =>
      `(?:${first}(?:${body}))${repeat}`
    ),
  ),
  atom: fc.tuple(atoms, repeats).map(([atom, repeat]) => isAssertion(atom) ? atom : atom + repeat),
  piece: fc.oneof({ depthSize: "small" }, tie("atom"), tie("atom"), tie("group")),
  branch: fc.array(tie("piece"), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
  pattern: fc.array(tie("branch"), { minLength: 1, maxLength: 2 }).map((branches) => branches.join("|")),
}));

const texts = fc.array(fc.constantFrom(..."abcéß0-_ \n.", "\r", "\u2028", "\u00a0", "😀"), { maxLength: 14 })
  .map((chars) => chars.join(""));

function all(filter: TextFilter, text: string): readonly string[] {
  const found: string[] = [];
  for (let from = 0;;) {
    const match = filter.find(text, from);
    if (match === undefined) return found;
    found.push(`${match.start}-${match.end}`);
    from = match.end;
  }
}

/** As JavaScript says it, for which a match of no characters is none: it goes on to look for another way. */
function allOf(pattern: string, text: string): readonly string[] {
  const regexp = new RegExp(`(?=(?<rest>[^]*))(?:${pattern})(?!\\k<rest>$)`, "gu");
  return [...text.matchAll(regexp)].flatMap(({ index, 0: { length } }) =>
    length === 0 ? [] : `${index}-${index + length}`
  );
}

/** Pauses after every character. */
function slowly(filter: PatternFilter): TextFilter {
  const find = (text: string, from: number): TextMatch | undefined => {
    const search = filter.search(text, from);
    for (let pauses = 0; pauses < 100_000; pauses++) {
      const found = search.run({ left: 1 });
      if (found === "none") return undefined;
      if (found !== "more") return found;
    }
    throw new Error("The search does not end");
  };
  return { ...filter, find };
}

Deno.test("random patterns find what JavaScript finds", () => {
  let compared = 0;
  assertProperty(
    fc.property(patterns, fc.array(texts, { minLength: 4, maxLength: 4 }), (value, some) => {
      const pattern = String(value);
      const own = compilePatternFilter(pattern);
      const linear = compilePatternFilter(pattern, "linear");
      for (const text of some) {
        const expected = allOf(pattern, text);
        for (const filter of [own, linear, slowly(own), slowly(linear)]) {
          assert.deepEqual(all(filter, text), expected, `${pattern} in ${JSON.stringify(text)}`);
        }
        compared++;
      }
    }),
    { numRuns: 3_000 },
  );
  assert.ok(compared > 4_000, `${compared} compared`);
});

Deno.test("in long texts V8 finds in stretches what it finds in one go", () => {
  const letters = fc.array(fc.constantFrom(..."abcéß0-_ \n.", "😀"), { minLength: 300, maxLength: 300 });
  assertProperty(
    fc.property(
      fc.constantFrom("\\b[abc]{2,4}\\b", "😀.", "[^a]b", "(?m:^[a-c]{1,5}$)", "\\B0.{0,9}\\B"),
      letters,
      (
        pattern,
        chars,
      ) => {
        const text = chars.join("").repeat(80);
        const filter = compilePatternFilter(pattern);
        assert.equal(filter.engine, "v8");
        const expected = [...text.matchAll(new RegExp(pattern, "gu"))];
        assert.deepEqual(
          all(filter, text),
          expected.map(({ index, 0: one }) => `${index}-${index + one.length}`),
        );
      },
    ),
    { numRuns: 60 },
  );
});
