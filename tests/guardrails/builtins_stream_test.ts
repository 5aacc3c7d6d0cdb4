/** The built-in filters on streams: every way to cut what the corpus marks. */

import assert from "node:assert/strict";
import { builtinSlugs } from "../../shared/guardrails.ts";
import {
  type ActiveFilter,
  compileContentFilters,
} from "../../server/pipeline/guardrails/content_filters.ts";
import { TextScanner } from "../../server/pipeline/guardrails/scanners/text_scanner.ts";
import { OUTPUT_WINDOW } from "../../server/pipeline/guardrails/scanners/scan_windows.ts";
import type { TextMatch } from "../../server/pipeline/guardrails/text_filter.ts";

const corpus = (await Deno.readTextFile(new URL("corpus/positives.tsv", import.meta.url))).split("\n");
const positives = corpus.filter((line) => line.includes("⟦")).map((line) => {
  const [slug = "", text = ""] = line.split("\t");
  return { slug, text: text.replaceAll("\\n", "\n").replace(/[⟦⟧]/g, ""), marked: text };
});

const viewOf = (slug: string) => {
  const known = builtinSlugs.find((one) => one === slug);
  assert.ok(known, slug);
  const filters = compileContentFilters([{
    id: "11111111-1111-4111-8111-111111111111",
    scope: "workspace",
    content_filters: null,
    content_filter_builtins: [{ slug: known, action: "redact" }],
  }]);
  assert.ok(filters);
  return filters.others;
};

function scan(view: ReturnType<typeof viewOf>, pieces: readonly string[]) {
  const found: string[] = [];
  const report = (_: ActiveFilter, { start, end }: TextMatch) => found.push(`${start}-${end}`);
  const scanner = new TextScanner({ view, window: OUTPUT_WINDOW, report });
  let text = "";
  for (const [position, piece] of pieces.entries()) {
    for (const one of scanner.scan(piece, position === pieces.length - 1)) text += one.text;
  }
  return { text, found };
}

Deno.test("built-in filters find the same in a stream, wherever it is cut", () => {
  const views = new Map(builtinSlugs.map((slug) => [slug as string, viewOf(slug)]));
  for (const { slug, text } of positives) {
    const view = views.get(slug);
    assert.ok(view, slug);
    const whole = scan(view, [text]);
    for (let cut = 0; cut <= text.length; cut++) {
      assert.deepEqual(scan(view, [text.slice(0, cut), text.slice(cut)]), whole, `${slug} ${cut} ${text}`);
    }
    assert.deepEqual(scan(view, [...text]), whole, `${slug} ${text}`);
    assert.deepEqual(
      scan(view, [...`${"lorem ipsum dolor ".repeat(80)} ${text}`]).found.length,
      whole.found.length,
      text,
    );
  }
});

const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
const privateKey = (lines: number) =>
  `-----BEGIN PRIVATE KEY-----\n${`${line}\n`.repeat(lines)}-----END PRIVATE KEY-----`;

Deno.test("nothing of a private key leaves a stream, however long it is", () => {
  const view = viewOf("secrets");
  for (const lines of [1, 10, 26, 50]) {
    const text = `Here it is:\n${privateKey(lines)}\nKeep it safe.`;
    for (const size of [1, 7, 400]) {
      const pieces = Array.from(
        { length: Math.ceil(text.length / size) },
        (_, at) => text.slice(at * size, (at + 1) * size),
      );
      assert.equal(scan(view, pieces).text, "Here it is:\n[SECRET]\nKeep it safe.", `${lines} ${size}`);
    }
  }
});
