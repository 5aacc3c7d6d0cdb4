import assert from "node:assert/strict";
import { compilePatternFilter } from "./pattern_filter.ts";
import type { TextFilter } from "./text_filter.ts";

function all(filter: TextFilter, text: string): readonly string[] {
  const found: string[] = [];
  for (let from = 0;;) {
    const match = filter.find(text.toWellFormed(), from);
    if (match === undefined) return found;
    found.push(`${match.start}-${match.end}`);
    from = match.end;
  }
}

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
  "{y}",
  "é|ß",
  "\\u00a0",
  "x[^]y",
  "b?",
];

Deno.test("both engines find the same", () => {
  for (const pattern of patterns) {
    const v8 = compilePatternFilter(pattern, "v8");
    const re2 = compilePatternFilter(pattern, "re2");
    for (const text of texts) {
      assert.deepEqual(all(re2, text), all(v8, text), `${pattern} in ${JSON.stringify(text)}`);
    }
  }
});

Deno.test("V8 runs what has a bound, RE2 the rest, and what V8 has no words for", () => {
  const engines = {
    "PRJ-\\d{5}": "v8",
    "a+b": "re2",
    "a{1,40}": "re2",
    "(?i:a)": "re2",
    "\\p{Greek}": "re2",
  } as const;
  for (const [pattern, engine] of Object.entries(engines)) {
    assert.equal(
      compilePatternFilter(pattern.replace("\\p{Greek}", "\\p{Script=Greek}")).engine,
      engine,
      pattern,
    );
  }
});

Deno.test("RE2 reads what only JavaScript writes", () => {
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
    assert.deepEqual(all(compilePatternFilter(pattern, "re2"), text), expected, pattern);
  }
});
