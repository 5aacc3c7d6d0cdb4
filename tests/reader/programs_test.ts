/** Documents that other programs have made, read as the gateway reads them (programs/README.md). */

import assert from "node:assert/strict";
import type { ReadDocument } from "../../server/web/reader/messages.ts";
import type { ReadResult } from "../../server/web/reader/reader.ts";
import { quickReaderRig } from "../support/quick_reader.ts";
import { type ReaderRig, readerRig } from "../support/reader.ts";

const made = new URL("programs/made/", import.meta.url);
const bytesOf = (name: string) => Deno.readFileSync(new URL(name, made));

/** As a client sends it that names no type. */
const unnamed = { contentType: "application/octet-stream", maxCharacters: 1_000_000, maxPages: 200 };

const read = (rig: ReaderRig, name: string): Promise<ReadResult> => rig.read(bytesOf(name), unnamed);

async function documentOf(rig: ReaderRig, name: string): Promise<ReadDocument> {
  const result = await read(rig, name);
  assert.equal(result.type, "document", `${name}: ${JSON.stringify(result)}`);
  return result.type === "document" ? result : assert.fail();
}

const report = `# Harbour report

# Tides

The water rises twice a day & falls <again>.

Seen.

- ropes
- buoys
1. cast off
2. set sail

## Ships

| Ship | Length | Port |
| --- | --- | --- |
| Alba | 12 m | Oslo |
| Boreas | 30 m | Kiel \\| Lübeck |
| both columns |  | alone |

שלום עולם, הנמל פתוח

مرحبا بالعالم 2026

Left column begins here. Left column begins here. Left column begins here.

Right column ends here.`;

Deno.test("reader reads a text of each program: headings, lists, tables, right to left, without hidden runs", async () => {
  await using rig = quickReaderRig();
  for (const name of ["python-docx.docx", "libreoffice.docx", "libreoffice.odt", "libreoffice.fodt"]) {
    const { text, title, truncated } = await documentOf(rig, name);
    assert.equal(text, report, name);
    assert.deepEqual([title, truncated], ["Harbour report", false], name);
  }
});

const rules = (mark: string) =>
  `Ships wait for the pilot.[^${mark}] See [the map](https://example.com/map).

- ropes
    - long ones
    - short ones
- anchors
3. third
4. fourth

| Berth | Depth |
| --- | --- |
| North | 4.5 |
| South | 7 |`;

Deno.test("reader reads notes, links and lists within lists", async () => {
  await using rig = quickReaderRig();
  for (const [name, mark] of [["pandoc.docx", "20"], ["pandoc.odt", "1"]] as const) {
    const { text } = await documentOf(rig, name);
    assert(text.includes(rules(mark)), text);
    assert(text.endsWith(`[^${mark}]: Pilots board at the buoy.`), text);
  }
});

/** Fields of a CSV without line ends in them. */
const fieldsOf = (line: string) => line.split(";").map((field) => field.replace(/^"(.*)"$/, "$1").trim());

Deno.test("reader shows the numbers of a sheet as LibreOffice shows them", async () => {
  await using rig = quickReaderRig();
  const shown = new TextDecoder().decode(bytesOf("libreoffice.csv")).trim().split("\n").map(fieldsOf);
  const head = ["| What | Value |", "| --- | --- |"];
  const rows = shown.slice(1).map(([name, value]) => `| ${name} | ${value?.replaceAll("|", "\\|")} |`);
  for (const name of ["libreoffice.xlsx", "libreoffice.ods", "libreoffice.fods", "openpyxl.xlsx"]) {
    const { text, pages } = await documentOf(rig, name);
    const [first, second] = text.split("\n\n## Merged\n\n");
    // What no program has calculated yet is shown as its formula.
    const expected = name !== "openpyxl.xlsx"
      ? rows
      : rows.map((row) => row.replace("| #DIV/0! |", "| =1/0 |").replace("| 1234567.3 |", "| =SUM(B2,B4) |"));
    assert.equal(first, ["## Shown", "", ...head, ...expected].join("\n"), name);
    assert.equal(
      second,
      "| over two columns |  | third |\n| --- | --- | --- |\n| down | 1 |  |\n|  | 2 | 3 |\n\n" +
        "| שלום |\n| --- |\n\n## Empty",
      name,
    );
    assert.equal(pages, 3, "hidden sheets are none");
  }
});

Deno.test("reader reads inline strings, built-in formats and values of formulas", async () => {
  await using rig = quickReaderRig();
  assert.equal(
    (await documentOf(rig, "xlsxwriter.xlsx")).text,
    "## Inline & more\n\n| Name | Price | Day | Formula |\n| --- | --- | --- | --- |\n" +
      "| a text <inline> | € 1,234.50 | 3/9/2026 | 2469 |\n| two<br>lines |  |  | ab |",
  );
});

const plans = `## Slide 1: Harbour plans

for the year

## Slide 2: Steps

- Dredge the basin
    - ask for permits

Notes: Say thanks to the pilots.

## Slide 3: Costs

| Work | Cost |
| --- | --- |
| Dredging | 1,200 € |

in a group`;

Deno.test("reader reads the slides of a presentation with their notes, without hidden ones", async () => {
  await using rig = quickReaderRig();
  for (const name of ["python-pptx.pptx", "libreoffice.pptx", "libreoffice.odp", "libreoffice.fodp"]) {
    const { text, pages } = await documentOf(rig, name);
    assert.deepEqual([text, pages], [plans, 4], name);
  }
  assert.match((await documentOf(rig, "pandoc.pptx")).text, /\| North \| 4\.5 \|/);
});

Deno.test("reader reads columns, tables and both directions of a PDF", async () => {
  await using rig = quickReaderRig();
  const { text } = await documentOf(rig, "chromium.pdf");
  assert.match(
    text,
    /turnpoint\.\nRight begins[^]*finale\.\nShip Length Port\nAlba 12 m Oslo\nBoreas 30 m Kiel\n/,
  );
  assert(text.endsWith("שלום עולם, הנמל פתוח\nمرحبا بالعالم"), text);
  assert.match((await documentOf(rig, "libreoffice.pdf")).text, /שלום עולם, הנמל פתוח\nمرحبا بالعالم/);
  const columns = (await documentOf(rig, "reportlab.pdf")).text;
  assert.deepEqual(
    [...columns.matchAll(/Paragraph (\d+)/g)].map(([, number]) => Number(number)),
    Array.from({ length: 30 }, (_, at) => at + 1),
  );
});

Deno.test("reader reads the pages of a PDF that are wanted, and says how many there are", async () => {
  await using rig = quickReaderRig();
  const { text, pages, pagesRead, truncated } = await documentOf(rig, "thousand.pdf");
  assert.deepEqual([pages, pagesRead, truncated], [1_000, 200, true]);
  assert(text.endsWith("This is page 200 of a thousand."), text.slice(-100));
  const scanned = await documentOf(rig, "scanned.pdf");
  assert.deepEqual([scanned.text, scanned.lack, scanned.pages], ["", "pictures", 2]);
});

Deno.test("reader reads a page of pandoc and a CSV of LibreOffice", async () => {
  await using rig = quickReaderRig();
  const page = await rig.read(bytesOf("pandoc.html"), { contentType: "text/html" });
  assert.match(page.type === "document" ? page.text : "", /\| North\s*\|\s*4\.5\s*\|/);
  const csv = await rig.read(bytesOf("libreoffice.csv"), { contentType: "text/csv" });
  assert.match(csv.type === "document" ? csv.text : "", /^"What";"Value"\n"whole number";1234567\n/);
});

const refused: readonly (readonly [name: string, reason: string])[] = [
  ["encrypted.pdf", "encrypted"],
  ["encrypted.docx", "encrypted"],
  ["encrypted.xlsx", "encrypted"],
  ["encrypted.odt", "encrypted"],
  ["old.doc", "old_office"],
  ["libreoffice.rtf", "rich_text"],
  ["bomb.docx", "unpacks_too_large"],
  ["laughs.docx", "broken"],
  ["nested.docx", "broken"],
];

Deno.test("reader says why it does not read a locked, old or hostile document", async () => {
  await using rig = quickReaderRig();
  await using bounded = readerRig();
  for (const [name, reason] of refused) {
    const result = await read(name === "bomb.docx" ? bounded : rig, name);
    assert.equal(result.type === "failed" && result.reason, reason, name);
    assert.match(result.type === "failed" ? result.message : "", /^The document .*\.$/, name);
  }
});

const damages: readonly (readonly [what: string, damage: (bytes: Uint8Array<ArrayBuffer>) => void])[] = [
  ["its middle overwritten", (bytes) => void bytes.fill(0, bytes.length / 3, bytes.length / 2)],
  ["its directory overwritten", (bytes) => void bytes.fill(0xff, bytes.length - 200)],
];

Deno.test("reader says of a damaged document that it is, or reads what is left", async () => {
  await using rig = quickReaderRig();
  for (
    const name of ["python-docx.docx", "openpyxl.xlsx", "python-pptx.pptx", "libreoffice.odt", "chromium.pdf"]
  ) {
    const halves = [bytesOf(name).slice(0, 4_000)];
    for (const [, damage] of damages) {
      const bytes = bytesOf(name);
      damage(bytes);
      halves.push(bytes);
    }
    for (const bytes of halves) {
      const result = await rig.read(bytes, unnamed);
      assert(result.type === "document" || result.reason === "broken", `${name}: ${JSON.stringify(result)}`);
    }
  }
});

Deno.test("reader knows a document by its first bytes, whatever a client calls it", async () => {
  await using rig = quickReaderRig();
  const bytes = (text: string) => new TextEncoder().encode(text);
  const flat = "application/vnd.oasis.opendocument.text-flat-xml";
  for (const contentType of ["text/plain", "text/xml", "application/xml", flat, "", "application/json"]) {
    const result = await rig.read(bytesOf("libreoffice.fodt"), { ...unnamed, contentType });
    assert.equal(result.type === "document" && result.text, report, contentType);
  }
  const word2003 = `<?xml version="1.0"?>\n<?mso-application progid="Word.Document"?>\n<w:wordDocument/>`;
  const rows = [
    ["libreoffice.rtf", bytesOf("libreoffice.rtf"), "rich_text"],
    ["a script of PostScript", bytes("%!PS-Adobe-3.0\nshowpage"), "unsupported_type"],
    ["XML of Word 2003", bytes(word2003), "old_office"],
    ["a cut flat document", bytesOf("libreoffice.fodt").slice(0, 5_000), "broken"],
  ] as const;
  for (const contentType of ["text/plain", "text/rtf", "application/octet-stream", ""]) {
    for (const [what, body, reason] of rows) {
      const result = await rig.read(body, { ...unnamed, contentType });
      // A client that says what it is has the last word for what no byte tells.
      const expected = contentType === "text/rtf" ? "rich_text" : reason;
      assert.equal(result.type === "failed" && result.reason, expected, `${what} ${contentType}`);
    }
  }
  // An XML text that only speaks of such elements is read as it is.
  const spoken = `<?xml version="1.0"?><note>&lt;office:document &lt;?mso-application </note>`;
  const note = await rig.read(bytes(spoken), { ...unnamed, contentType: "text/xml" });
  assert.equal(note.type === "document" && note.text, spoken);
});

Deno.test("reader gives what is filled in into the form of a PDF, without what is hidden", async () => {
  await using rig = quickReaderRig();
  const { text } = await documentOf(rig, "form.pdf");
  assert.equal(
    text,
    `Entry of a ship

- Name of the ship: Alba 42
- notes: first line second line
- kind: Barge
- [x] insured
- [ ] sunk
- flag: Italy`,
  );
});

Deno.test("reader says of another archive that it cannot be read", async () => {
  await using rig = quickReaderRig();
  const empty = new Uint8Array([0x50, 0x4b, 0x03, 0x04, ...new Uint8Array(40)]);
  const result = await rig.read(empty, unnamed);
  assert.equal(result.type === "failed" && result.reason, "broken");
});
