/** From an OpenDocument text, spreadsheet or presentation to its text as Markdown. */

import { Blocks } from "../blocks.ts";
import type { OfficeLimits, OfficeText } from "../office_text.ts";
import type { PackageParts } from "../package_parts.ts";
import { UnreadableDocument } from "../unreadable_document.ts";
import type { XmlElement } from "../xml.ts";
import { hiddenStyles, keyOf, numberedLists } from "./hidden_styles.ts";
import { addOpenBlocks, type BlocksContext, cellText } from "./open_blocks.ts";
import { openRows } from "./open_rows.ts";

/** Throws an UnreadableDocument where it is encrypted or damaged. */
export function readOpenDocument(parts: PackageParts, limits: OfficeLimits): OfficeText {
  if (parts.text("META-INF/manifest.xml")?.includes("encryption-data") === true) {
    throw new UnreadableDocument("encrypted");
  }
  const content = parts.xml("content.xml");
  const title = parts.xml("meta.xml")?.find("meta", "title")?.text;
  return readContent({ content, roots: [parts.xml("styles.xml"), content], title }, limits);
}

/** The same for one that is a single file of XML. Throws an UnreadableDocument where it is damaged. */
export const readFlatDocument = (root: XmlElement, limits: OfficeLimits): OfficeText =>
  readContent({ content: root, roots: [root], title: root.find("meta", "title")?.text }, limits);

interface OpenContent {
  readonly content: XmlElement | undefined;
  /** Elements whose children are styles. */
  readonly roots: readonly (XmlElement | undefined)[];
  readonly title: string | undefined;
}

function readContent({ content, roots, title }: OpenContent, limits: OfficeLimits): OfficeText {
  const body = content?.find("body")?.elements[0];
  if (body === undefined) throw new UnreadableDocument("broken");
  const context: BlocksContext = {
    blocks: new Blocks(limits.maxCharacters),
    hidden: hiddenStyles(roots),
    numbered: numberedLists(roots),
    notes: [],
  };
  const pages = addBody(body, { context, maxPages: limits.maxPages });
  for (const [at, note] of context.notes.entries()) context.blocks.paragraph(`[^${at + 1}]: ${note}`);
  return {
    text: String(context.blocks),
    isCut: context.blocks.isFull || pages !== undefined && pages > limits.maxPages,
    title: title?.trim() || undefined,
    ...(pages === undefined ? {} : { pages, pagesRead: Math.min(pages, limits.maxPages) }),
  };
}

interface BodyOptions {
  readonly context: BlocksContext;
  readonly maxPages: number;
}

/** The number of its sheets or slides; undefined for a text. */
function addBody(body: XmlElement, { context, maxPages }: BodyOptions): number | undefined {
  const { hidden } = context;
  switch (body.name) {
    case "spreadsheet": {
      const sheets = body.all("table").filter((sheet) =>
        !hidden.has(keyOf("table", sheet.attribute("table:style-name")))
      );
      for (const sheet of sheets.slice(0, maxPages)) addSheet(sheet, context);
      return sheets.length;
    }
    case "presentation": {
      const slides = body.all("page");
      for (const [at, slide] of slides.slice(0, maxPages).entries()) {
        const isHidden = hidden.has(keyOf("drawing-page", slide.attribute("draw:style-name")));
        if (!isHidden) addSlide(slide, { context, number: at + 1 });
      }
      return slides.length;
    }
    default:
      addOpenBlocks(body, context);
      return undefined;
  }
}

/** Rows without a text part one table from the next. */
function addSheet(sheet: XmlElement, context: BlocksContext): void {
  if (context.blocks.isFull) return;
  context.blocks.heading(sheet.attribute("table:name") ?? "", 2);
  let table: (readonly string[])[] = [];
  for (const row of openRows(sheet, (cell) => cellText(cell, context))) {
    if (row.length > 0) table.push(row);
    else {
      addTable(table, context.blocks);
      table = [];
    }
  }
  addTable(table, context.blocks);
}

/** Columns without a text are left out. */
function addTable(table: readonly (readonly string[])[], blocks: Blocks): void {
  const columns = new Set(table.flatMap((row) => [...row.keys()].filter((at) => row[at] !== "")));
  blocks.sparseTable(
    table.map((row) => ({ get: (at) => row[at] })),
    [...columns].toSorted((one, other) => one - other),
  );
}

interface SlideOptions {
  readonly context: BlocksContext;
  readonly number: number;
}

function addSlide(slide: XmlElement, { context, number }: SlideOptions): void {
  const { blocks } = context;
  if (blocks.isFull) return;
  const shapes = slide.elements;
  const title = shapes.find((shape) => shape.attribute("presentation:class") === "title");
  const heading = title === undefined ? "" : cellText(title, context).trim();
  blocks.heading(heading === "" ? `Slide ${number}` : `Slide ${number}: ${heading}`, 2);
  for (const shape of shapes) {
    if (shape !== title && shape.name !== "notes") addOpenBlocks({ elements: [shape] }, context);
  }
  const notes = (slide.find("notes")?.elements ?? [])
    .filter((shape) => shape.attribute("presentation:class") === "notes");
  const spoken = notes.map((shape) => cellText(shape, context)).join("\n").trim();
  if (spoken !== "") blocks.paragraph(`Notes: ${spoken}`);
}
