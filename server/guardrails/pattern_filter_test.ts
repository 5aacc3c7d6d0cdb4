import assert from "node:assert/strict";
import { compilePatternFilter } from "./pattern_filter.ts";
import type { TextFilter } from "./text_filter.ts";

function all(filter: TextFilter, text: string): readonly string[] {
  const found: string[] = [];
  for (let from = 0;;) {
    const match = filter.find(text, from);
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
    const v8 = compilePatternFilter(pattern);
    const re2 = compilePatternFilter(pattern, "re2");
    assert.equal(v8.engine, "v8", pattern);
    for (const text of texts) {
      assert.deepEqual(all(re2, text), all(v8, text), `${pattern} in ${JSON.stringify(text)}`);
    }
  }
});
