/** Patterns, words and built-in filters on texts with the escapes of JSON: what is found, and wherever they are cut. */

import assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  type ActiveFilter,
  compileContentFilters,
  type FilterSource,
} from "../../server/pipeline/guardrails/content_filters.ts";
import { OUTPUT_WINDOW } from "../../server/pipeline/guardrails/scanners/scan_windows.ts";
import { scanText } from "../../server/pipeline/guardrails/scanners/scan_text.ts";
import type { TextMatch } from "../../server/pipeline/guardrails/text_filter.ts";
import { BlockedContent, TextScanner } from "../../server/pipeline/guardrails/scanners/text_scanner.ts";
import { runNow } from "../../shared/util/run_work.ts";
import { assertProperty } from "../support/property.ts";

const source: FilterSource = {
  id: "11111111-1111-4111-8111-111111111111",
  scope: "workspace",
  content_filters: null,
  content_filter_builtins: null,
};

function viewOf(fields: Partial<FilterSource>) {
  const filters = compileContentFilters([{ ...source, ...fields }]);
  assert.ok(filters);
  return filters.others;
}

type View = ReturnType<typeof viewOf>;

/** Scans the pieces: gives the text that is passed on, and the places of what was found. */
function scan(view: View, pieces: readonly string[]) {
  const found: string[] = [];
  const report = ({ members }: ActiveFilter, { start, end }: TextMatch) =>
    found.push(`${members[0]?.label} ${start}-${end}`);
  const scanner = new TextScanner({ view, window: OUTPUT_WINDOW, report });
  const text = pieces.flatMap((piece, at) => scanner.scan(piece, at === pieces.length - 1))
    .map((one) => one.text).join("");
  return { text, found: found.toSorted() };
}

const escapeOf = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
const everyOne = (text: string) => text.replace(/[^]/g, escapeOf);

/** Ways in which a program writes a text, each with what stands before and behind. */
const writings: readonly ((text: string) => string)[] = [
  (text) => `a "${text}" b`,
  (text) => `a "${text.replace(/[^A-Za-z0-9]/g, escapeOf)}" b`,
  (text) => `a ${everyOne(text)} b`,
  (text) => `a ${everyOne(text).replaceAll("\\u00", "\\\\\\\\u00")} b`,
  (text) => `{\\"a\\":\\"${everyOne(text).toUpperCase().replaceAll("\\U", "\\\\u")}\\"}`,
  (text) => `{"a":"b\\n${text}\\nc"}`,
  (text) => `a ${everyOne(text).replaceAll("\\", "\\u005c")} b`,
  (text) => `a ${everyOne(text).replaceAll("\\", "\\\\u005C")} b`,
];

const pattern = "id-\\d{4}-[a-z]";
const rows: readonly (readonly [name: string, value: string, fields: Partial<FilterSource>])[] = [
  ["a pattern", "id-4711-x", { content_filters: [{ pattern, action: "redact", label: "X" }] }],
  ["a pattern without a bound", "key: abcdef", {
    content_filters: [{ pattern: "key: [a-f]+", action: "redact", label: "X" }],
  }],
  ["a pattern of the automaton", "id-4711-x", {
    content_filters: [{ pattern: "(?:id|ID)-\\d{1,9}-x{0,200}", action: "redact", label: "X" }],
  }],
  ["a word", "blue bird", { words: ["blue bird"], words_action: "redact" }],
];

Deno.test("patterns and words find what is written with escapes, once, whole and wherever a stream is cut", () => {
  for (const [name, value, fields] of rows) {
    const view = viewOf(fields);
    for (const write of writings) {
      const text = write(value);
      const whole = scan(view, [text]);
      assert.equal(whole.text.match(/\[X\]|\[REDACTED\]/g)?.length, 1, `${name} ${text} ${whole.text}`);
      assert.equal(whole.found.length, 1, `${name} ${text} ${whole.found}`);
      assert.ok(whole.text.length < text.length - value.length + 12, whole.text);
      assert.equal(runNow(scanText(text, { view, window: OUTPUT_WINDOW, report: () => {} })), whole.text);
      for (let cut = 0; cut <= text.length; cut++) {
        assert.deepEqual(scan(view, [text.slice(0, cut), text.slice(cut)]), whole, `${name} ${cut} ${text}`);
      }
      assert.deepEqual(scan(view, [...text]), whole, `${name} ${text}`);
    }
  }
});

Deno.test("a pattern reads a text as it stands, too", () => {
  const view = viewOf({ content_filters: [{ pattern: "\\\\u00[0-9a-f]{2}", action: "redact", label: "X" }] });
  assert.equal(scan(view, [..."a \\u0040 b"]).text, "a [X] b");
});

Deno.test("nothing of what is blocked leaves before the escape is whole", () => {
  const view = viewOf({ content_filters: [{ pattern, action: "block" }] });
  for (const write of writings) {
    const text = write("id-4711-x");
    const start = write("").length / 2;
    for (let cut = 0; cut <= text.length; cut++) {
      const scanner = new TextScanner({ view, window: OUTPUT_WINDOW, report: () => {} });
      let out = "";
      assert.throws(() => {
        for (const [piece, isEnd] of [[text.slice(0, cut), false], [text.slice(cut), true]] as const) {
          for (const one of scanner.scan(piece, isEnd)) out += one.text;
        }
      }, BlockedContent);
      assert.ok(out.length <= start + 6, `${cut} ${out}`);
    }
  }
});

const pieces = fc.constantFrom(
  ..."id-4711-x key: abc blue bird 4 @",
  ...'\\\\\\\\"/nu0',
  "id-4711-x",
  "key: ",
  "blue bird",
  "\\u0069",
  "\\u002d",
  "\\u002D4711\\u002dx",
  "\\\\u0034",
  "\\\\\\\\\\u0034",
  "\\u00",
  "\\u0",
  "\\n",
  '\\"',
  "\\u0061",
  "\\u0020",
  "\\u005cu0069d\\u005cu002d",
  "\\u005c",
  "u0034",
  "\\u002562lue",
  "&#38;#98;",
  "%5Cu0062",
  "\\ud83d\\ude00",
  "\\ud83d",
  "\ud83d",
  "😀",
);

Deno.test("what is found does not depend on where escapes are cut", () => {
  const view = viewOf({
    content_filters: [
      { pattern, action: "redact", label: "ID" },
      { pattern: "key: [a-f]+", action: "redact", label: "KEY" },
      { pattern: "^i|x$|\\bb", action: "flag", label: "EDGE" },
      { pattern: "[\\u{1f600}-\\u{1f64f}]{1,3}", action: "redact", label: "FACE" },
    ],
    words: ["blue bird", "abc"],
    words_action: "redact",
  });
  assertProperty(
    fc.property(
      fc.array(pieces, { maxLength: 40 }),
      fc.array(fc.nat(300), { maxLength: 6 }),
      (parts, cuts) => {
        const text = parts.join("");
        const places = [
          0,
          ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b),
          text.length,
        ];
        const whole = scan(view, [text]);
        assert.deepEqual(scan(view, places.slice(1).map((to, at) => text.slice(places[at], to))), whole);
        assert.deepEqual(scan(view, text.split("")), whole);
      },
    ),
    { numRuns: 2_000 },
  );
});
