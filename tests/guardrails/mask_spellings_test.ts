/** Placeholders that come back in another form: the client gets its own text, in that form. */

import assert from "node:assert/strict";
import { compileContentFilters } from "../../server/pipeline/guardrails/content_filters.ts";
import { MaskMap } from "../../server/pipeline/guardrails/mask_map.ts";
import { INPUT_WINDOW, OUTPUT_WINDOW } from "../../server/pipeline/guardrails/scanners/scan_windows.ts";
import { scanText } from "../../server/pipeline/guardrails/scanners/scan_text.ts";
import { TextScanner } from "../../server/pipeline/guardrails/scanners/text_scanner.ts";
import { runNow } from "../../shared/util/run_work.ts";
import { apiNames } from "../money/rig.ts";
import { guarded } from "./guarded.ts";

const own = 'Ä<b> & "c"@x.org';
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const html = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

interface Form {
  readonly name: string;
  readonly write: (placeholder: string) => string;
  /** The text that the client gets. */
  readonly own: string;
}

const replaced = (signs: Readonly<Record<string, string>>) => (placeholder: string) =>
  placeholder.replace(/[[\]_]/g, (sign) => signs[sign] ?? sign);

const forms: readonly Form[] = [
  { name: "as it is", write: (placeholder) => placeholder, own },
  { name: "Markdown", write: replaced({ "[": "\\[", "]": "\\]", "_": "\\_" }), own },
  { name: "Markdown, only inside", write: replaced({ "_": "\\_" }), own },
  { name: "Markdown, the brackets", write: replaced({ "[": "\\[", "]": "\\]" }), own },
  { name: "Markdown, twice", write: replaced({ "[": "\\\\[", "]": "\\\\]", "_": "\\\\_" }), own },
  { name: "full-width brackets", write: replaced({ "[": "【", "]": "】" }), own },
  {
    name: "an address",
    write: (placeholder) => encodeURIComponent(placeholder),
    own: encodeURIComponent(own),
  },
  {
    name: "an address in small letters",
    write: replaced({ "[": "%5b", "]": "%5d", "_": "%5f" }),
    own: encodeURIComponent(own),
  },
  { name: "JSON", write: replaced({ "[": "\\u005b", "]": "\\u005D" }), own: json(own) },
  { name: "JSON, only inside", write: replaced({ "_": "\\u005f" }), own: json(own) },
  { name: "HTML", write: replaced({ "[": "&#91;", "]": "&#93;" }), own: html(own) },
  {
    name: "HTML, by names",
    write: replaced({ "[": "&lsqb;", "]": "&rsqb;", "_": "&lowbar;" }),
    own: html(own),
  },
  { name: "HTML, hexadecimal", write: replaced({ "[": "&#x5b;", "]": "&#X5D;" }), own: html(own) },
];

/** Labels with signs that have to be escaped. */
const labels = ["V", "A_B", "of a customer", "Kunde Ä", "A[B", "100%"];

function masksOf(label: string): MaskMap {
  const filters = compileContentFilters([{
    id: "11111111-1111-4111-8111-111111111111",
    scope: "workspace",
    content_filters: [{ pattern: '<<[^>]{1,9}>>|Ä<b> & "c"@x\\.org', action: "mask", label }],
    content_filter_builtins: null,
  }]);
  assert.ok(filters);
  const masks = new MaskMap();
  const options = { view: filters.others, window: INPUT_WINDOW, report: () => {}, masks };
  assert.equal(runNow(scanText(`${own} <<2>>`, options)), `[${label}_1] [${label}_2]`);
  return masks;
}

function stream(masks: MaskMap, pieces: readonly string[]): string {
  const scanner = new TextScanner({ view: masks.view, window: OUTPUT_WINDOW, report: () => {} });
  return pieces.flatMap((piece, at) => scanner.scan(piece, at === pieces.length - 1)).map(({ text }) => text)
    .join("");
}

Deno.test("a placeholder comes back in every form, whole and wherever a stream is cut", () => {
  for (const label of labels) {
    const masks = masksOf(label);
    for (const { name, write, own: expected } of forms) {
      const text = `x [y] ${write(`[${label}_1]`)}, [z_3] ${write("[W_1]")}\\`;
      const out = `x [y] ${expected}, [z_3] ${write("[W_1]")}\\`;
      assert.equal(masks.unmask(text), out, `${label}: ${name}`);
      for (let cut = 1; cut < text.length; cut++) {
        assert.equal(stream(masks, [text.slice(0, cut), text.slice(cut)]), out, `${label}: ${name} ${cut}`);
      }
      assert.equal(stream(masks, [...text]), out, `${label}: ${name}`);
    }
  }
});

Deno.test("a bracket that is escaped alone keeps its backslash", () => {
  const masks = masksOf("V");
  assert.equal(masks.unmask("C:\\[V_1]"), `C:\\${own}`);
  assert.equal(masks.unmask("[V_1](x) \\[V\\_3\\]"), `${own}(x) \\[V\\_3\\]`);
});

Deno.test("a stream holds nothing back that can be no placeholder", () => {
  const masks = masksOf("V");
  const scanner = new TextScanner({ view: masks.view, window: OUTPUT_WINDOW, report: () => {} });
  for (const text of ["see [the list", " of 10] [V", "_x] & [ V_1", "%5B%20", "\\u005bU_"]) {
    scanner.scan(text, false);
    assert.equal(scanner.held, text.endsWith("[V") ? 2 : 0, text);
  }
  scanner.scan("\\[V\\_1", false);
  assert.equal(scanner.held, 6);
});

Deno.test("what a caller has written as a placeholder in any form stands for itself", () => {
  for (const { write } of forms) {
    const masks = new MaskMap();
    runNow(masks.reserve(`not ${write("[V_1]")}`));
    assert.equal(masks.placeholder("[V]", own), "[V_2]");
  }
});

Deno.test("the client gets its own text in every form on each API, in text and in JSON", async () => {
  await using rig = await guarded({
    content_filters: [{ pattern: 'Ä<b> & "c"@x\\.org', action: "mask", label: "V" }],
  });
  for (const { name, write, own: expected } of forms) {
    const written = write("[V_1]");
    for (const api of apiNames) {
      for (const isStream of [false, true]) {
        rig.say({ place: "text", pieces: [...`See ${written}.`] });
        const { texts, raw } = await rig.ask({ api, stream: isStream, text: `I am ${own}` });
        assert.equal(texts.text, `See ${expected}.`, `${name} ${api} ${raw}`);
        rig.say({ place: "arguments", pieces: [...JSON.stringify({ to: `x=${written}` })] });
        const called = await rig.ask({ api, stream: isStream, text: `I am ${own}` });
        assert.deepEqual(JSON.parse(called.texts.arguments), { to: `x=${expected}` }, `${name} ${api}`);
      }
    }
  }
});
