/** Words and exceptions on texts that are spelled with other characters, whole and wherever a stream is cut. */

import assert from "node:assert/strict";
import {
  compileContentFilters,
  type FilterSource,
} from "../../server/pipeline/guardrails/content_filters.ts";
import { OUTPUT_WINDOW } from "../../server/pipeline/guardrails/scanners/scan_windows.ts";
import { scanText } from "../../server/pipeline/guardrails/scanners/scan_text.ts";
import { TextScanner } from "../../server/pipeline/guardrails/scanners/text_scanner.ts";
import { runNow } from "../../shared/util/run_work.ts";
import { isReadable } from "../../server/pipeline/guardrails/word_filter.ts";
import { spellings } from "./written.ts";

function optionsOf(more: Partial<FilterSource>) {
  const filters = compileContentFilters([{
    id: "11111111-1111-4111-8111-111111111111",
    scope: "workspace",
    content_filters: null,
    content_filter_builtins: null,
    ...more,
  }]);
  assert.ok(filters);
  return { view: filters.others, window: OUTPUT_WINDOW, report: () => {} };
}

type Options = ReturnType<typeof optionsOf>;

function stream(options: Options, pieces: readonly string[]): string {
  const scanner = new TextScanner(options);
  return pieces.flatMap((piece, at) => scanner.scan(piece, at === pieces.length - 1)).map(({ text }) => text)
    .join("");
}

function assertOut(options: Options, { text, out, name }: Readonly<Record<"text" | "out" | "name", string>>) {
  assert.equal(runNow(scanText(text, options)), out, name);
  for (let cut = 0; cut <= text.length; cut++) {
    assert.equal(stream(options, [text.slice(0, cut), text.slice(cut)]), out, `${name} ${cut}`);
  }
  assert.equal(stream(options, [...text]), out, name);
}

const words = ["project-7 blue", "a@b.c", "1234"];

Deno.test("words are found in every spelling, and no part of another word", () => {
  const options = optionsOf({ words, words_action: "redact" });
  for (const [spelling, write] of Object.entries(spellings)) {
    for (const word of words) {
      const written = write(word.toUpperCase());
      const name = `${spelling}: ${word}`;
      assertOut(options, { text: `x ${written}, y & 5%`, out: "x [REDACTED], y & 5%", name });
      const longer = write(`${word}x`);
      assertOut(options, { text: `x ${longer} y`, out: `x ${longer} y`, name });
    }
  }
});

Deno.test("a word that is listed in another spelling finds the plain one", () => {
  for (const [spelling, write] of Object.entries(spellings)) {
    // A backslash in a list means itself.
    if (spelling.startsWith("escapes")) continue;
    for (const word of words) {
      const options = optionsOf({ words: [write(word)], words_action: "redact" });
      assert.equal(runNow(scanText(`x ${word}, y`, options)), "x [REDACTED], y", `${spelling}: ${word}`);
    }
  }
});

Deno.test("exceptions hold in every spelling, and patterns among them read the text as it is", () => {
  const builtins = [{ slug: "email", action: "redact" }] as const;
  const address = "help@acme.example";
  const texts = optionsOf({ content_filter_builtins: [...builtins], except: [address] });
  const patterns = optionsOf({
    content_filter_builtins: [...builtins],
    except: [{ pattern: "help@acme\\.example" }],
  });
  for (const [spelling, write] of Object.entries(spellings)) {
    const [written, longer] = [write(address), write(`x${address}`)];
    const isChanged = written !== address;
    const text = `at ${written} or ${longer}.`;
    assertOut(texts, { text, out: `at ${written} or [EMAIL].`, name: spelling });
    assertOut(patterns, { text, out: `at ${isChanged ? "[EMAIL]" : written} or [EMAIL].`, name: spelling });
  }
});

Deno.test("an exception is found in a long text, of which a stream keeps a part", () => {
  const options = optionsOf({ words: ["falcon"], words_action: "redact", except: ["the falcon club"] });
  const club = spellings["zero width spaces"]?.("the falcon club") ?? "";
  const text = `${club} and a fal\u00adcon, 猎鹰 ${"x".repeat(60)}. `.repeat(100);
  const out = `${club} and a [REDACTED], 猎鹰 ${"x".repeat(60)}. `.repeat(100);
  assert.equal(runNow(scanText(text, options)), out);
  assert.equal(stream(options, text.match(/[^]{1,7}/g) ?? []), out);
});

Deno.test("a word of which nothing is left is none", () => {
  for (const word of ["&nbsp;", "%20", "\u200b", "\u3000", "&shy;&#32;"]) {
    assert.equal(isReadable(word), false, word);
  }
  for (const word of ["a", "%", "&", "ａ", "%41", "\u{1d7d2}", "¹"]) {
    assert.equal(isReadable(word), true, word);
  }
  const options = optionsOf({ words: ["%20", "falcon"], words_action: "redact" });
  assert.equal(runNow(scanText("a b falcon", options)), "a b [REDACTED]");
});
