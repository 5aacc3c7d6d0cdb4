/** From a Word document to its text as Markdown. */

import { Blocks, oneLine } from "../blocks.ts";
import type { OfficeText } from "../office_text.ts";
import type { PackageParts } from "../package_parts.ts";
import { type MainPart, relatedXml, type Relation, relationsOf, titleOf } from "../relations.ts";
import type { XmlElement } from "../xml.ts";
import { ListMarkers } from "./list_markers.ts";
import { noteMark, type ParagraphContext, paragraphText } from "./paragraph_text.ts";
import { listPlace, outlineLevel, type WordStyle, wordStyles } from "./word_styles.ts";

interface WordContext {
  readonly styles: ReadonlyMap<string, WordStyle>;
  readonly addresses: ReadonlyMap<string, string>;
  readonly markers: ListMarkers;
  readonly blocks: Blocks;
}

export function readWord(
  parts: PackageParts,
  { main, maxCharacters }: { readonly main: MainPart; readonly maxCharacters: number },
): OfficeText {
  const { root, relations } = main;
  const context: WordContext = {
    styles: wordStyles(relatedXml(parts, { relations, kind: "styles" })),
    addresses: addressesOf(relations),
    markers: new ListMarkers(relatedXml(parts, { relations, kind: "numbering" })),
    blocks: new Blocks(maxCharacters),
  };
  const around = (kind: string) => {
    for (const { target } of relations.filter((relation) => relation.kind === kind)) {
      addOther(parts, { target, context });
    }
  };
  around("header");
  const body = root.find("body");
  if (body !== undefined) addBlocks(body, context);
  for (const kind of ["footnotes", "endnotes"]) {
    addNotes(relatedXml(parts, { relations, kind }), context);
  }
  around("footer");
  return { text: String(context.blocks), isCut: context.blocks.isFull, title: titleOf(parts) };
}

const addressesOf = (relations: readonly Relation[]): ReadonlyMap<string, string> =>
  new Map(relations.filter(({ kind }) => kind === "hyperlink").map(({ id, target }) => [id, target]));

/** A header or a footer, which has relations of its own. */
function addOther(
  parts: PackageParts,
  { target, context }: { readonly target: string; readonly context: WordContext },
): void {
  const root = parts.xml(target);
  if (root === undefined) return;
  addBlocks(root, { ...context, addresses: addressesOf(relationsOf(parts, target)) });
}

function addBlocks(parent: XmlElement, context: WordContext): void {
  for (const element of parent.elements) {
    if (context.blocks.isFull) return;
    addBlock(element, context);
  }
}

/** Lie around blocks without being seen. */
const wrappers: ReadonlySet<string> = new Set([
  "sdt",
  "sdtContent",
  "customXml",
  "ins",
  "moveTo",
  "txbxContent",
  "AlternateContent",
  "Choice",
]);

function addBlock(element: XmlElement, context: WordContext): void {
  if (element.name === "p") addParagraph(element, context);
  else if (element.name === "tbl") addTable(element, context);
  else if (wrappers.has(element.name)) addBlocks(element, context);
}

function addParagraph(element: XmlElement, context: WordContext): void {
  const boxes: XmlElement[] = [];
  const text = paragraphText(element, inlineContext(context, boxes));
  const properties = element.find("pPr");
  const style = context.styles.get(properties?.find("pStyle")?.attribute("w:val") ?? "");
  const list = listPlace(properties) ?? style?.list;
  const marker = list === undefined || text.trim() === "" ? undefined : context.markers.next(list);
  const level = outlineLevel(properties) ?? style?.headingLevel;
  if (level !== undefined) {
    context.blocks.heading(marker === undefined || marker === "-" ? text : `${marker} ${text}`, level);
  } else if (marker !== undefined) context.blocks.item(text, { marker, level: list?.level ?? 0 });
  else context.blocks.paragraph(text);
  for (const box of boxes) addBlocks(box, context);
}

const inlineContext = ({ styles, addresses }: WordContext, boxes: XmlElement[]): ParagraphContext => ({
  styles,
  addresses,
  onTextBox: (content) => boxes.push(content),
});

function addTable(table: XmlElement, context: WordContext): void {
  const rows = rowsOf(table).map((row) => cellsOf(row).flatMap((cell) => shownCell(cell, context)));
  const only = rows.length === 1 && rows[0]?.length === 1;
  if (only) context.blocks.paragraph(rows[0]?.[0] ?? "");
  else context.blocks.table(rows);
}

const rowsOf = (table: XmlElement): readonly XmlElement[] => within(table, "tr");
const cellsOf = (row: XmlElement): readonly XmlElement[] => within(row, "tc");

/** Children of a name, also those that lie in wrappers. */
function within(parent: XmlElement, name: string): readonly XmlElement[] {
  return parent.elements.flatMap((element) =>
    element.name === name ? [element] : wrappers.has(element.name) ? within(element, name) : []
  );
}

const MAX_SPAN = 63;

/** A cell over several columns has its text in the first, one over several rows in the uppermost. */
function shownCell(cell: XmlElement, context: WordContext): readonly string[] {
  const properties = cell.find("tcPr");
  const merge = properties?.find("vMerge");
  const isContinued = merge !== undefined && merge.attribute("w:val") !== "restart";
  const span = Number(properties?.find("gridSpan")?.attribute("w:val") ?? 1) || 1;
  const rest = Array.from({ length: Math.min(MAX_SPAN, Math.max(1, span)) - 1 }, () => "");
  return [isContinued ? "" : cellText(cell, context), ...rest];
}

/** Tables within a cell are told by lines. */
function cellText(cell: XmlElement, context: WordContext): string {
  const lines = cell.elements.flatMap((element): readonly string[] => {
    if (element.name === "tbl") {
      return rowsOf(element).map((row) =>
        cellsOf(row).map((inner) => oneLine(cellText(inner, context))).join(", ")
      );
    }
    if (element.name !== "p") return wrappers.has(element.name) ? [cellText(element, context)] : [];
    const boxes: XmlElement[] = [];
    const text = paragraphText(element, inlineContext(context, boxes)).trim();
    const list = listPlace(element.find("pPr"));
    const marker = list === undefined || text === "" ? undefined : context.markers.next(list);
    return [marker === undefined ? text : `${marker} ${text}`, ...boxes.map((box) => cellText(box, context))];
  });
  return lines.filter((line) => line !== "").join("\n");
}

/** Notes of the types that only draw lines have no text of their own. */
function addNotes(root: XmlElement | undefined, context: WordContext): void {
  for (const note of root?.elements ?? []) {
    if (note.attribute("w:type") !== undefined) continue;
    const text = oneLine(cellText(note, context));
    if (text !== "") context.blocks.paragraph(`[^${noteMark(note)}]: ${text}`);
  }
}
