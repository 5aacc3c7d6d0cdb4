import assert from "node:assert/strict";
import { isInProduct, productTexts, readable } from "./product_texts.ts";

const root = new URL("../../", import.meta.url);
const read = (file: string) => Deno.readTextFile(new URL(file, root));

interface TroubleRow {
  readonly section: string;
  readonly text: string;
  readonly cells: readonly string[];
}

/** Rows of the page's tables: the text in its first cell, and all cells. */
function rowsOf(page: string): readonly TroubleRow[] {
  return page.split(/^## /m).slice(1).flatMap((part) => {
    const [section = "", ...lines] = part.split("\n");
    const rows = lines.filter((line) => line.startsWith("|")).slice(2);
    return rows.map((line) => {
      const cells = line.split("|").slice(1, -1).map((cell) => cell.trim());
      return { section, text: /^`([^`]+)`$/.exec(cells[0] ?? "")?.[1] ?? "", cells };
    });
  });
}

const rows = rowsOf(await read("docs/troubleshooting.md"));

Deno.test("troubleshooting quotes texts that stand in the product's sources", async () => {
  const texts = await productTexts();
  const missing = rows.filter(({ text }) => !isInProduct(text, texts)).map(({ text, cells }) =>
    text || cells[0]
  );
  assert.deepEqual(missing, []);
});

Deno.test("troubleshooting has texts for each place, once, with a cause and an advice", () => {
  const sections = Map.groupBy(rows, ({ section }) => section);
  assert.deepEqual([...sections.keys()], [
    "Start",
    "Clients",
    "Providers",
    "Limits and money",
    "Files and containers",
    "Guardrails",
    "Plugins",
    "Console",
    "Several gateways",
  ]);
  assert.ok(rows.length >= 40, `${rows.length} rows`);
  assert.equal(new Set(rows.map(({ text }) => text)).size, rows.length);
  for (const { text, cells } of rows) {
    assert.equal(cells.length, 3, text);
    assert.ok(cells.every((cell) => cell !== ""), text);
  }
});

Deno.test("a text that no source file has whole is missed", () => {
  const texts = new Map([
    ["a.ts", readable('throw new Error(`The port ${port} is taken: ` +\n  "stop that one");')],
    ["b.ts", readable("  // The disk is full today\nconst why = `the disk ${name} is slow`;")],
  ]);
  assert.ok(isInProduct("The port … is taken: stop that one", texts));
  assert.ok(isInProduct("… is taken: stop that one", texts));
  assert.ok(!isInProduct("The port … is taken: stop this one", texts), "another word");
  assert.ok(!isInProduct("The port … the disk", texts), "pieces of two files");
  assert.ok(!isInProduct("The disk is full today", texts), "a comment");
  assert.ok(!isInProduct("… is slow", texts), "too short to be searched for");
  assert.ok(!isInProduct("", texts), "no text");
});
