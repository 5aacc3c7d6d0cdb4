import assert from "node:assert/strict";
import { compilePatternFilter } from "./pattern_filter.ts";
import type { TextFilter } from "../text_filter.ts";

function all(filter: TextFilter, text: string): readonly string[] {
  const found: string[] = [];
  for (let from = 0;;) {
    const match = filter.find(text.toWellFormed(), from);
    if (match === undefined) return found;
    found.push(`${match.start}-${match.end}`);
    from = match.end;
  }
}

/** As JavaScript says it; matches of no characters are none. */
const allOf = (pattern: string, text: string): readonly string[] =>
  [...text.toWellFormed().matchAll(new RegExp(pattern, "gu"))].flatMap(({ index, 0: { length } }) =>
    length === 0 ? [] : `${index}-${index + length}`
  );

const texts = [
  "",
  "a",
  "aaa aaab ab",
  "foo bar foobar fooo\nfoo",
  "x😀y x.y xy",
  "tab\tnbsp\u00a0line\u2028end\r\nnext",
  "Straße ÄÖÜ größer",
  "id-12345-AB id-1-Z",
  "\ud800 lone \udc00 x\ud800y",
  "(415) 555-2671 and 415-555-2671",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
  "__proto__ [x] {y} \\ ^ $ . | ? * + ( )",
];
const patterns = [
  "a+b",
  "(a+)+",
  "foo\\b",
  "^foo",
  "foo$",
  "(?:ab|a)",
  "[^x]y",
  "x.y",
  "\\s+",
  "\\S+",
  "\\w+\\W",
  "\\d{3}-\\d{4}",
  "[A-Z]{2}",
  "a{2}",
  "a*?b",
  "(?<n>f)o+",
  "[\\s\\S]b",
  "\\.",
  "[\\]\\^-]",
  "\\{y\\}",
  "é|ß",
  "\\u00a0",
  "x[^]y",
  "b?",
];

Deno.test("the automaton finds what JavaScript finds", () => {
  for (const pattern of patterns) {
    const linear = compilePatternFilter(pattern, "linear");
    for (const text of texts) {
      assert.deepEqual(all(linear, text), allOf(pattern, text), `${pattern} in ${JSON.stringify(text)}`);
    }
  }
});

Deno.test("V8 runs what it can only try a little of, the automaton the rest", () => {
  const engines = {
    "PRJ-\\d{5}": "v8",
    "a+b": "linear",
    "a{1,40}": "v8",
    "[a-z]{1,1000}\\d": "linear",
    "(?:[a-z]{1,20}){1,20}\\d": "linear",
    "(?i:confidential)": "v8",
    "(?m:^x$)": "v8",
    "b?": "linear",
    "\\p{Script=Greek}": "linear",
    "[\\u{1f600}-\\u{1f64f}]": "linear",
  } as const;
  for (const [pattern, engine] of Object.entries(engines)) {
    assert.equal(compilePatternFilter(pattern).engine, engine, pattern);
  }
});

Deno.test("the automaton reads what only JavaScript writes", () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ["\\p{Script=Greek}+", "abc αβγ", ["4-7"]],
    ["(?i:straße)", "STRAßE Strasse", ["0-6"]],
    ["(?:ab){1,1200}c", `x${"ab".repeat(1_100)}c`, ["1-2202"]],
    ["[^]", "\n", ["0-1"]],
    ["[]|b", "ab", ["1-2"]],
    ["\\u{1F600}", "x😀", ["1-3"]],
    ["(?s:a.b)", "a\nb", ["0-3"]],
    ["(?m:^b)", "a\nb", ["2-3"]],
  ];
  for (const [pattern, text, expected] of rows) {
    assert.deepEqual(all(compilePatternFilter(pattern, "linear"), text), expected, pattern);
  }
});
