/** The blocks of an OpenDocument text: headings, paragraphs, lists, tables and frames. */

import { type Blocks, oneLine } from "../blocks.ts";
import type { XmlElement } from "../xml.ts";
import { isHidden, type OpenContext, openText } from "./open_text.ts";
import { openRows } from "./open_rows.ts";

export interface BlocksContext {
  readonly blocks: Blocks;
  readonly hidden: ReadonlySet<string>;
  /** First numbers of lists, by the names of their styles. */
  readonly numbered: ReadonlyMap<string, number>;
  /** Texts of notes, in the order of their marks. */
  readonly notes: string[];
}

/** Not a part of the text: changes that were undone, notes of readers, forms. */
const unseen: ReadonlySet<string> = new Set([
  "tracked-changes",
  "annotation",
  "forms",
  "sequence-decls",
  "variable-decls",
  "user-field-decls",
  "notes",
  "title",
  "desc",
  "image",
]);

export function addOpenBlocks(parent: Pick<XmlElement, "elements">, context: BlocksContext): void {
  for (const element of parent.elements) {
    if (context.blocks.isFull) return;
    addBlock(element, context);
  }
}

function addBlock(element: XmlElement, context: BlocksContext): void {
  const { name } = element;
  if (unseen.has(name) || element.attribute("text:display") === "none") return;
  if (name === "p" || name === "h") addParagraph(element, context);
  else if (name === "list") addList(element, { context, level: 0, isNumbered: false });
  else if (name === "table") context.blocks.table(openRows(element, (cell) => cellText(cell, context)));
  else addOpenBlocks(element, context);
}

function addParagraph(element: XmlElement, context: BlocksContext): void {
  const { text, frames } = readInline(element, context);
  const level = Number(element.attribute("text:outline-level") ?? 1) || 1;
  if (element.name === "h") context.blocks.heading(text, level);
  else if (element.attribute("text:style-name") === "Title") context.blocks.heading(text, 1);
  else context.blocks.paragraph(text);
  for (const frame of frames) addOpenBlocks(frame, context);
}

function readInline(element: XmlElement, context: BlocksContext) {
  const frames: XmlElement[] = [];
  const inline: OpenContext = {
    hidden: context.hidden,
    onFrame: (frame) => frames.push(frame),
    onNote: (body) => {
      context.notes.push(oneLine(cellText(body, context)));
      return `[^${context.notes.length}]`;
    },
  };
  return { text: isHidden(element, inline) ? "" : openText(element, inline), frames };
}

interface ListOptions {
  readonly context: BlocksContext;
  readonly level: number;
  /** As the list around it. */
  readonly isNumbered: boolean;
}

function addList(list: XmlElement, { context, level, isNumbered }: ListOptions): void {
  const style = list.attribute("text:style-name");
  const counts = style === undefined ? isNumbered : context.numbered.has(style);
  let number = (context.numbered.get(style ?? "") ?? 1) - 1;
  for (const item of list.elements) {
    if (item.name !== "list-item" && item.name !== "list-header") continue;
    number = Number(item.attribute("text:start-value") ?? number + 1) || 1;
    let marker: string | undefined = counts ? `${number}.` : "-";
    for (const element of item.elements) {
      if (element.name === "list") addList(element, { context, level: level + 1, isNumbered: counts });
      else if (element.name === "h") addParagraph(element, context);
      else if (element.name === "p") {
        const { text, frames } = readInline(element, context);
        if (marker === undefined) context.blocks.paragraph(text);
        else context.blocks.item(text, { marker, level });
        marker = undefined;
        for (const frame of frames) addOpenBlocks(frame, context);
      }
    }
  }
}

/** Lines of paragraphs and points; tables within a cell are told by lines. */
export function cellText(cell: XmlElement, context: BlocksContext): string {
  const lines = cell.elements.flatMap((element): readonly string[] => {
    if (unseen.has(element.name)) return [];
    if (element.name === "p" || element.name === "h") {
      const { text, frames } = readInline(element, context);
      return [text.trim(), ...frames.map((frame) => cellText(frame, context))];
    }
    if (element.name === "table") {
      return openRows(element, (inner) => oneLine(cellText(inner, context))).map((row) => row.join(", "));
    }
    return [element.name === "list-item" ? `- ${cellText(element, context)}` : cellText(element, context)];
  });
  return lines.filter((line) => line !== "" && line !== "- ").join("\n");
}
