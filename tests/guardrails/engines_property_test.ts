/** Patterns put together at random find the same on both engines. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { compilePatternFilter } from "../../server/guardrails/pattern_filter.ts";
import type { TextFilter } from "../../server/guardrails/text_filter.ts";
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
 * What may be empty is not repeated: JavaScript then looks for another way through it, and RE2 does not. Nobody writes
 * that on purpose.
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

/** Undefined where V8's linear engine does not run it. */
function forV8(pattern: string): TextFilter | undefined {
  try {
    return compilePatternFilter(pattern, "v8");
  } catch {
    // It counts too far, as the other engine need not.
    return undefined;
  }
}

Deno.test("random patterns find the same on both engines", () => {
  let compared = 0;
  assertProperty(
    fc.property(patterns, fc.array(texts, { minLength: 4, maxLength: 4 }), (pattern, some) => {
      const v8 = forV8(String(pattern));
      if (v8 === undefined) return;
      const re2 = compilePatternFilter(String(pattern), "re2");
      for (const text of some) {
        assert.deepEqual(all(re2, text), all(v8, text), `${pattern} in ${JSON.stringify(text)}`);
        compared++;
      }
    }),
    { numRuns: 3_000 },
  );
  assert.ok(compared > 4_000, `${compared} compared`);
});
