/** The rows of a sheet as a person sees them. */

import type { XmlElement } from "../xml.ts";
import type { CellFormats } from "./cell_formats.ts";
import { elementChunks } from "./element_chunks.ts";

/** Texts by their column, which begins at 0. */
export type SheetRow = ReadonlyMap<number, string>;

export interface SheetContext {
  readonly formats: CellFormats;
  readonly sharedTexts: readonly string[];
}

/** Shown rows; an empty one stands for rows that are left out, or have no text. */
export function* sheetRows(bytes: Uint8Array, context: SheetContext): Generator<SheetRow> {
  const hidden = hiddenColumns(bytes);
  let next = 1;
  for (const row of elementChunks(bytes, "row")) {
    const number = Number(row.attribute("r") ?? next);
    if (number > next) yield new Map();
    next = number + 1;
    if (!isOn(row.attribute("hidden"))) yield shownRow(row, { ...context, isHidden: hidden });
  }
}

const isOn = (flag: string | undefined): boolean => flag === "1" || flag === "true";

/** Where the columns are described, before the rows. */
const HEAD_BYTES = 256 * 1024;

function hiddenColumns(bytes: Uint8Array): (column: number) => boolean {
  const spans = [...elementChunks(bytes.subarray(0, HEAD_BYTES), "cols")].flatMap((columns) =>
    columns.all("col").filter((column) => isOn(column.attribute("hidden"))).map((column) => ({
      first: Number(column.attribute("min")) - 1,
      last: Number(column.attribute("max")) - 1,
    }))
  );
  return (at) => spans.some(({ first, last }) => at >= first && at <= last);
}

interface RowContext extends SheetContext {
  readonly isHidden: (column: number) => boolean;
}

function shownRow(row: XmlElement, context: RowContext): SheetRow {
  const shown = new Map<number, string>();
  let next = 0;
  for (const cell of row.all("c")) {
    const column = columnOf(cell.attribute("r")) ?? next;
    next = column + 1;
    if (context.isHidden(column)) continue;
    const text = cellText(cell, context).trim();
    if (text !== "") shown.set(column, text);
  }
  return shown;
}

const LETTERS = 26;

/** The column of `AB12`; undefined where the cell does not say where it is. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? "")?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * LETTERS + letter.charCodeAt(0) - 64, 0) - 1;
}

function cellText(cell: XmlElement, { formats, sharedTexts }: SheetContext): string {
  const value = cell.find("v")?.text ?? "";
  const style = Number(cell.attribute("s") ?? 0);
  const type = cell.attribute("t") ?? "n";
  if (type === "inlineStr") return formats.shownText(richText(cell.find("is")), style);
  // A workbook that no program has calculated yet has formulas without values.
  if (value === "") return formulaOf(cell);
  switch (type) {
    case "s":
      return formats.shownText(sharedTexts[Number(value)] ?? "", style);
    case "str":
      return formats.shownText(unescaped(value), style);
    case "b":
      return value === "1" ? "TRUE" : "FALSE";
    case "e":
      return value;
    case "d":
      return formats.shownDate(value, style);
    default:
      return Number.isFinite(Number(value)) ? formats.shown(Number(value), style) : value;
  }
}

function formulaOf(cell: XmlElement): string {
  const formula = cell.find("f")?.text.trim() ?? "";
  return formula === "" ? "" : `=${formula}`;
}

/** A text in one piece or in runs of different looks, without what is said about its reading. */
export function richText(element: XmlElement | undefined): string {
  const pieces = (element?.elements ?? []).flatMap((child) =>
    child.name === "t" ? [child.text] : child.name === "r" ? child.all("t").map(({ text }) => text) : []
  );
  return unescaped(pieces.join(""));
}

/** Characters that XML cannot carry are written as `_x000D_`. */
const unescaped = (text: string): string =>
  text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll("\r\n", "\n");
