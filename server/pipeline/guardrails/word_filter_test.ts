import assert from "node:assert/strict";
import { compileContentFilters, type FilterSource } from "./content_filters.ts";
import { scanText } from "./scanners/scan_text.ts";
import { BlockedContent, TextScanner } from "./scanners/text_scanner.ts";
import { runNow } from "../../../shared/util/run_work.ts";
import { OUTPUT_WINDOW } from "./scanners/scan_windows.ts";
import { type Exception, wordFilter } from "./word_filter.ts";

function found(words: readonly string[], text: string): readonly string[] {
  const filter = wordFilter(words);
  const all: string[] = [];
  for (let from = 0;;) {
    const match = filter.find(text, from);
    if (match === undefined) return all;
    all.push(text.slice(match.start, match.end));
    from = match.end;
  }
}

/** A list, a text, and what is found in it. */
const rows: readonly (readonly [words: readonly string[], text: string, found: readonly string[]])[] = [
  [["falcon"], "Falcon, FALCON! falcons unfalcon falcon_ falcon2 (falcon)", ["Falcon", "FALCON", "falcon"]],
  [["Ärger"], "ärger ÄRGER Ärgernis Verärger", ["ärger", "ÄRGER"]],
  [["straße"], "STRAẞE Straße Straßen", ["STRAẞE", "Straße"]],
  [["café"], "cafe\u0301 CAFÉ cafés", ["cafe\u0301", "CAFÉ"]],
  [["cafe"], "cafe\u0301 cafe", ["cafe"]],
  [["СЕКРЕТ"], "секрет, секретный", ["секрет"]],
  [["機密"], "これは機密です", ["機密"]],
  [["C++", ".NET", "#tag", "$100"], "c++ C++17 .net a.NET #tags $1000 $100", [
    "c++",
    "C++",
    ".net",
    ".NET",
    "$100",
  ]],
  [["blue bird"], "Blue  bird, blue\r\nbird, blue\u00a0bird, bluebird", [
    "Blue  bird",
    "blue\r\nbird",
    "blue\u00a0bird",
  ]],
  [["acme", "acme corp", "corp"], "acme corp acme corpus", ["acme corp", "acme"]],
  [["😀", "𝒳yz"], "a😀b 𝒳YZ 𝒳yza", ["😀", "𝒳YZ"]],
  [["word"], "𝒳word word𝒳 word", ["word"]],
  [["i"], "I İ ı i", ["I", "i"]],
  [["a.c"], "abc a.c", ["a.c"]],
];

Deno.test("words are found whole and in any case, in every script", () => {
  for (const [words, text, expected] of rows) assert.deepEqual(found(words, text), expected, text);
});

const id = "11111111-1111-4111-8111-111111111111";

const source = (more: Partial<FilterSource>): FilterSource => ({
  id,
  scope: "workspace",
  content_filters: null,
  content_filter_builtins: null,
  ...more,
});

function viewOf(...sources: readonly Partial<FilterSource>[]) {
  const filters = compileContentFilters(sources.map(source));
  assert.ok(filters);
  return filters.others;
}

const optionsOf = (...sources: readonly Partial<FilterSource>[]) => ({
  view: viewOf(...sources),
  window: OUTPUT_WINDOW,
  report: () => {},
});

const guardrail = (except: readonly Exception[]): Partial<FilterSource> => ({
  words: ["falcon", "blue bird"],
  words_action: "redact",
  content_filters: [{ pattern: "id-\\d{3,9}", action: "redact" }, { pattern: "x+y", action: "redact" }],
  content_filter_builtins: [{ slug: "email", action: "redact" }],
  except: [...except],
});

/** Exceptions, a text, and the text as it goes on. */
const excepted: readonly (readonly [except: readonly Exception[], text: string, out: string])[] = [
  [[], "a falcon of id-1234", "a [REDACTED] of [REDACTED]"],
  [["the falcon club"], "The Falcon Club has a falcon", "The Falcon Club has a [REDACTED]"],
  [["falcon"], "FALCON falcon", "FALCON falcon"],
  [["help@acme.example"], "help@acme.example, xhelp@acme.example", "help@acme.example, [EMAIL]"],
  [["acme.example"], "help@acme.example", "[EMAIL]"],
  [
    [{ pattern: "[a-z]{1,20}@acme\\.example" }],
    "ann@acme.example ann@other.example",
    "ann@acme.example [EMAIL]",
  ],
  [[{ pattern: "id-000\\d{0,4}" }], "id-0001 id-00012345678 id-1234", "id-0001 [REDACTED]78 [REDACTED]"],
  [[{ pattern: "id-1" }], "id-1234", "[REDACTED]"],
  [[{ pattern: "id-12|id-1234" }], "id-1234 id-12345", "id-1234 [REDACTED]"],
  [
    ["see id-123 there"],
    "id-123 and see id-123 there, id-123 and",
    "[REDACTED] and see id-123 there, [REDACTED] and",
  ],
  [[{ pattern: "xxxy" }], "xxxy xxxxy", "xxxy [REDACTED]"],
  [[{ pattern: "^id-777\\b" }], "id-777 id-777", "id-777 [REDACTED]"],
];

Deno.test("what lies wholly in an exception does not count, however the text is cut", () => {
  for (const [except, text, out] of excepted) {
    const options = optionsOf(guardrail(except));
    const name = `${JSON.stringify(except)} in ${text}`;
    assert.equal(runNow(scanText(text, options)), out, name);
    const cuts = Array.from({ length: text.length + 1 }, (_, cut) => [text.slice(0, cut), text.slice(cut)]);
    for (const pieces of [...cuts, [...text], text.match(/[^]{1,3}/g) ?? []]) {
      const scanner = new TextScanner(options);
      let streamed = "";
      for (const piece of pieces) for (const one of scanner.scan(piece, false)) streamed += one.text;
      for (const one of scanner.scan("", true)) streamed += one.text;
      assert.equal(streamed, out, `${name}, cut into ${JSON.stringify(pieces)}`);
    }
  }
});

Deno.test("exceptions hold in long texts, also where what was read before is gone", () => {
  const options = optionsOf(guardrail(["the falcon club"]));
  const text = "the falcon club and some words between. a falcon. ".repeat(4_000);
  const out = "the falcon club and some words between. a [REDACTED]. ".repeat(4_000);
  assert.equal(runNow(scanText(text, options)), out);
  const scanner = new TextScanner(options);
  let streamed = "";
  for (const piece of text.match(/[^]{1,37}/g) ?? []) {
    for (const one of scanner.scan(piece, false)) streamed += one.text;
  }
  for (const one of scanner.scan("", true)) streamed += one.text;
  assert.equal(streamed, out);
});

Deno.test("an exception is its own guardrail's", () => {
  const strict: Partial<FilterSource> = { words: ["falcon"], words_action: "redact" };
  assert.equal(
    runNow(scanText("falcon", optionsOf({ ...strict, except: ["falcon"] }, strict))),
    "[REDACTED]",
  );
  const both = optionsOf({ ...strict, except: ["falcon"] }, {
    ...strict,
    words: ["falcon"],
    except: ["falcon"],
  });
  assert.equal(runNow(scanText("falcon", both)), "falcon");
  const once = optionsOf({ ...strict, except: ["falcon"] });
  assert.equal(both.view.filters.length, once.view.filters.length, "the same list is read once");
});

Deno.test("words block unless another action is said", () => {
  assert.throws(() => runNow(scanText("a falcon", optionsOf({ words: ["falcon"] }))), BlockedContent);
});

Deno.test("a thousand words cost no more steps than one, once their states are known", () => {
  const text = "the quick brown fox jumps over the lazy dog ".repeat(1_500);
  const unitsOf = (words: readonly string[]) => {
    const filter = wordFilter(words);
    const spend = () => {
      const meter = { left: 10_000_000 };
      filter.search?.(text, 0).run(meter);
      return 10_000_000 - meter.left;
    };
    spend();
    return spend();
  };
  const many = Array.from({ length: 1_000 }, (_, n) => `secret${n.toString(36)}word`);
  assert.equal(unitsOf(many), unitsOf(["secretword"]));
});
