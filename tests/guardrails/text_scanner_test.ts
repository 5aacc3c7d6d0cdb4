import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type ActiveFilter,
  compileContentFilters,
} from "../../server/pipeline/guardrails/content_filters.ts";
import type { FilterAction } from "../../server/pipeline/guardrails/filter_strength.ts";
import { groupMatches } from "../../server/pipeline/guardrails/replaced_matches.ts";
import { scanValue } from "../../server/pipeline/guardrails/scanners/scan_slots.ts";
import { scanText } from "../../server/pipeline/guardrails/scanners/scan_text.ts";
import { anyValue, json } from "../../server/pipeline/guardrails/text_slots/shape.ts";
import { BlockedContent, TextScanner } from "../../server/pipeline/guardrails/scanners/text_scanner.ts";
import { runNow } from "../../shared/util/run_work.ts";
import { OUTPUT_WINDOW } from "../../server/pipeline/guardrails/scanners/scan_windows.ts";
import { assertProperty } from "../support/property.ts";

interface PatternRow {
  readonly pattern: string;
  readonly action: FilterAction;
  readonly label?: string;
}

function viewOf(...patterns: readonly PatternRow[]) {
  const filters = compileContentFilters([{
    id: "11111111-1111-4111-8111-111111111111",
    scope: "workspace",
    content_filters: [...patterns],
    content_filter_builtins: null,
  }]);
  assert.ok(filters);
  return filters.others;
}

interface Run {
  readonly text: string;
  readonly reports: readonly string[];
  readonly mostHeld: number;
}

function scanPieces(view: ReturnType<typeof viewOf>, pieces: readonly string[]): Run {
  const reports: string[] = [];
  const report = (filter: ActiveFilter, { start, end }: { start: number; end: number }) =>
    reports.push(`${filter.members[0]?.label}@${start}-${end}`);
  const scanner = new TextScanner({ view, window: OUTPUT_WINDOW, report });
  let text = "";
  let mostHeld = 0;
  for (const [position, piece] of pieces.entries()) {
    const isEnd = position === pieces.length - 1;
    for (const { text: part } of scanner.scan(piece, isEnd)) text += part;
    mostHeld = Math.max(mostHeld, scanner.held);
  }
  return { text, reports: reports.sort(), mostHeld };
}

const views = {
  bounded: viewOf(
    { pattern: "a{2,4}b", action: "redact", label: "A" },
    { pattern: "ba+", action: "redact", label: "B" },
    { pattern: "[ab]c\\b", action: "flag", label: "F" },
  ),
  edges: viewOf(
    { pattern: "^ab", action: "redact", label: "START" },
    { pattern: "bc$", action: "redact", label: "END" },
    { pattern: "\\bcab\\b", action: "redact", label: "WORD" },
  ),
  flags: viewOf({ pattern: "ab+c", action: "flag" }, { pattern: "[abc] [abc]{2}", action: "flag" }),
  pairs: viewOf({ pattern: "a.b", action: "redact", label: "P" }, { pattern: "b?", action: "redact" }),
};

Deno.test("what a scanner says does not depend on where the text is cut", () => {
  const alphabet = fc.constantFrom("a", "b", "c", " ", "😀", "\ud800", "\n");
  const texts = fc.array(alphabet, { maxLength: 60 }).map((chars) => chars.join(""));
  const cuts = fc.array(fc.nat(80), { maxLength: 12 });
  for (const [name, view] of Object.entries(views)) {
    assertProperty(
      fc.property(texts, cuts, (text, places) => {
        const whole = scanPieces(view, [text]);
        const ends = [...places.filter((place) => place < text.length).sort((a, b) => a - b), text.length];
        const pieces = ends.map((end, position) => text.slice(position === 0 ? 0 : ends[position - 1], end));
        const cut = scanPieces(view, pieces);
        assert.equal(cut.text, whole.text, name);
        assert.deepEqual(cut.reports, whole.reports, name);
      }),
      { numRuns: 3_000 },
    );
  }
});

Deno.test("a scanner holds back as much as a match can be long, and nothing for a flag", () => {
  const letters = [..."x".repeat(3_000)];
  assert.equal(scanPieces(viewOf({ pattern: "xy{9}", action: "redact" }), letters).mostHeld, 9);
  assert.equal(scanPieces(viewOf({ pattern: "x y{8}", action: "block" }), letters).mostHeld, 9);
  assert.equal(scanPieces(viewOf({ pattern: "xy{9}", action: "flag" }), letters).mostHeld, 0);
  assert.equal(scanPieces(viewOf({ pattern: "x.*y", action: "redact" }), letters).mostHeld, 1_023);
  const words = [..."word ".repeat(200)];
  assert.equal(scanPieces(viewOf({ pattern: "z[a-z]{0,200}", action: "redact" }), words).mostHeld, 4);
});

Deno.test("a match without a bound is followed to its end", () => {
  const view = viewOf({ pattern: "key: \\S+", action: "redact", label: "KEY" });
  const text = `a key: ${"0123456789".repeat(600)} b`;
  assert.equal(scanPieces(view, [...text]).text, "a [KEY] b");
  assert.deepEqual(scanPieces(view, [...text]).reports.length, 1);
});

Deno.test("overlapping matches become one placeholder, that of the first", () => {
  const view = viewOf(
    { pattern: "one two", action: "redact", label: "A" },
    { pattern: "two three", action: "redact", label: "B" },
    { pattern: "three", action: "flag", label: "C" },
  );
  assert.equal(scanPieces(view, ["one two three four"]).text, "[A] four");
  assert.equal(scanPieces(view, [..."one two three four"]).text, "[A] four");
});

Deno.test("a placeholder is the label in brackets, once", () => {
  for (const [label, placeholder] of [["ID", "[ID]"], ["[id]", "[id]"], ["", "[REDACTED]"]] as const) {
    assert.equal(scanPieces(viewOf({ pattern: "x", action: "redact", label }), ["x"]).text, placeholder);
  }
});

Deno.test("a block stops a text before any of the match goes on", () => {
  const view = viewOf({ pattern: "secret", action: "block" }, { pattern: "cre", action: "redact" });
  const text = "a secret";
  for (let cut = 0; cut <= text.length; cut++) {
    let out = "";
    const scanner = new TextScanner({ view, window: OUTPUT_WINDOW, report: () => {} });
    const run = () => {
      for (const [piece, isEnd] of [[text.slice(0, cut), false], [text.slice(cut), true]] as const) {
        for (const { text: part } of scanner.scan(piece, isEnd)) out += part;
      }
    };
    assert.throws(run, BlockedContent);
    assert.ok("a ".startsWith(out), out);
  }
});

const options = (...patterns: readonly PatternRow[]) => ({
  view: viewOf(...patterns),
  window: OUTPUT_WINDOW,
  report: () => {},
});

Deno.test("arguments are read decoded and stay JSON", () => {
  const scan = (text: string) =>
    runNow(scanValue(text, {
      shape: json,
      options: options({ pattern: "a@b\\.c|4111\\d{12}", action: "redact", label: "X" }),
    })).value;
  assert.equal(scan('{"to": "a\\u0040b.c", "n": 1.0}'), '{"to": "[X]", "n": 1.0}');
  assert.equal(scan('{ "a@b.c" : [1, "ok", "see \\"a@b.c\\""] }'), '{ "[X]" : [1, "ok", "see \\"[X]\\""] }');
  assert.equal(scan('{"card": 4111111111111111}'), '{"card": "[X]"}');
  assert.equal(scan("not json a@b.c"), "not json [X]");
  const untouched = '{"big": 12345678901234567890, "x": 1.50}';
  assert.equal(scan(untouched), untouched);
});

Deno.test("every text and name of a value is read, and what is not changed stays the same object", () => {
  const scan = <T>(value: T) =>
    runNow(scanValue(value, { shape: anyValue, options: options({ pattern: "a@b", action: "redact" }) }))
      .value;
  const clean = { list: ["x", { y: 1 }] };
  assert.equal(scan(clean), clean);
  assert.deepEqual<unknown>(scan({ id: "a@b", text: ["a@b"], url: "data:a@b", "a@b": { type: "a@b" } }), {
    id: "[REDACTED]",
    text: ["[REDACTED]"],
    url: "data:[REDACTED]",
    "[REDACTED]": { type: "[REDACTED]" },
  });
});

Deno.test("long texts are read in slices", () => {
  const text = "lorem ipsum dolor ".repeat(40_000) + "a@b";
  const work = scanText(text, options({ pattern: "a@b", action: "redact" }));
  let pauses = 0;
  let step = work.next();
  for (; step.done !== true; step = work.next()) pauses++;
  assert.ok(pauses >= 2);
  assert.ok(step.value.endsWith("dolor [REDACTED]"));
});

Deno.test("whatever is done with matches, few are replaced between two pauses", () => {
  const text = "ab".repeat(50_000);
  const view = viewOf({ pattern: "a", action: "redact" }, { pattern: "b", action: "redact" });
  for (const matchesOf of ["a", "b"]) {
    const filters = view.filters.map((filter) => ({ ...filter, replace: () => String(++replaced) }));
    let [replaced, before, most] = [0, 0, 0];
    const options = { view: { ...view, filters }, window: OUTPUT_WINDOW, report: () => {} };
    const work = scanText(text.replaceAll(matchesOf, "ab"), options);
    for (let step = work.next(); step.done !== true; step = work.next()) {
      most = Math.max(most, replaced - before);
      before = replaced;
    }
    assert.equal(replaced, 150_000);
    assert.ok(most <= 1_024, `${most} matches`);
  }
});

Deno.test("matches are put in their order with pauses", () => {
  const [filter] = viewOf({ pattern: "a", action: "redact" }).filters;
  assert.ok(filter);
  const many = (first: number) =>
    Array.from({ length: 5_000 }, (_, at) => ({ start: first + 3 * at, end: first + 3 * at + 1, filter }));
  const found = [...many(2), ...many(0), ...many(1), ...many(0)];
  const work = groupMatches(found);
  let pauses = 0;
  let step = work.next();
  for (; step.done !== true; step = work.next()) pauses++;
  assert.ok(pauses >= found.length / 1_024, `${pauses} pauses`);
  assert.equal(step.value.length, 15_000);
  assert.ok(
    step.value.every(({ start, matches }, at) => start === at && matches.length === (at % 3 ? 1 : 2)),
  );
});
