/** From an Excel workbook to its text as Markdown: a heading and tables for each sheet. */

import { Blocks } from "../blocks.ts";
import type { OfficeLimits, OfficeText } from "../office_text.ts";
import type { PackageParts } from "../package_parts.ts";
import { type MainPart, relatedXml, titleOf } from "../relations.ts";
import { CellFormats } from "./cell_formats.ts";
import { elementChunks } from "./element_chunks.ts";
import { richText, type SheetContext, type SheetRow, sheetRows } from "./sheet_rows.ts";

export function readExcel(
  parts: PackageParts,
  { main, maxCharacters, maxPages }: OfficeLimits & { readonly main: MainPart },
): OfficeText {
  const { root, relations } = main;
  const blocks = new Blocks(maxCharacters);
  const from1904 = root.find("workbookPr")?.attribute("date1904");
  const context: SheetContext = {
    formats: new CellFormats(relatedXml(parts, { relations, kind: "styles" }), {
      countsFrom1904: from1904 === "1" || from1904 === "true",
    }),
    sharedTexts: sharedTexts(parts, relations.find(({ kind }) => kind === "sharedStrings")?.target),
  };
  const sheets = (root.find("sheets")?.all("sheet") ?? []).filter((sheet) =>
    !/hidden/i.test(sheet.attribute("state") ?? "")
  );
  for (const sheet of sheets.slice(0, maxPages)) {
    if (blocks.isFull) break;
    const id = sheet.attribute("r:id");
    const target = relations.find((relation) => relation.kind === "worksheet" && relation.id === id)?.target;
    const bytes = target === undefined ? undefined : parts.bytes(target);
    if (bytes === undefined) continue;
    blocks.heading(sheet.attribute("name") ?? "", 2);
    addTables(sheetRows(bytes, context), { blocks, maxCharacters });
  }
  return {
    text: String(blocks),
    isCut: blocks.isFull || sheets.length > maxPages,
    title: titleOf(parts),
    pages: sheets.length,
    pagesRead: Math.min(sheets.length, maxPages),
  };
}

function sharedTexts(parts: PackageParts, name: string | undefined): readonly string[] {
  const bytes = name === undefined ? undefined : parts.bytes(name);
  return bytes === undefined ? [] : Array.from(elementChunks(bytes, "si"), richText);
}

interface TablesOptions {
  readonly blocks: Blocks;
  readonly maxCharacters: number;
}

/** Rows without a text part one table from the next. */
function addTables(rows: Iterable<SheetRow>, { blocks, maxCharacters }: TablesOptions): void {
  let table: SheetRow[] = [];
  let characters = 0;
  for (const row of rows) {
    if (row.size === 0) {
      addTable(table, blocks);
      table = [];
      if (blocks.isFull) return;
      continue;
    }
    table.push(row);
    for (const text of row.values()) characters += text.length;
    if (characters > maxCharacters) break;
  }
  addTable(table, blocks);
}

/** Columns without a text are left out. */
function addTable(table: readonly SheetRow[], blocks: Blocks): void {
  const columns = [...new Set(table.flatMap((row) => [...row.keys()]))].toSorted((one, other) => one - other);
  blocks.sparseTable(table, columns);
}
