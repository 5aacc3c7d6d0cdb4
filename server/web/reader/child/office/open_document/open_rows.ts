/** The rows of an OpenDocument table or sheet. Rows and cells that repeat are written once in the file. */

import type { XmlElement } from "../xml.ts";

/** A row or a cell with a text is repeated by people some dozen times; without a text it says nothing. */
const MAX_REPEATED = 1_000;

export function openRows(
  table: XmlElement,
  textOf: (cell: XmlElement) => string,
): readonly (readonly string[])[] {
  const hidden = hiddenColumns(table);
  return [...shownRows(table)].flatMap((row) => {
    const cells = rowCells(row, { textOf, hidden });
    return Array.from(
      { length: cells.length === 0 ? 1 : repeats(row, { most: MAX_REPEATED }) },
      () => cells,
    );
  });
}

const groups: ReadonlySet<string> = new Set([
  "table-header-rows",
  "table-rows",
  "table-row-group",
  "table-header-columns",
  "table-columns",
  "table-column-group",
]);

function* shownRows(parent: XmlElement): Generator<XmlElement> {
  for (const element of parent.elements) {
    if (groups.has(element.name)) yield* shownRows(element);
    else if (element.name === "table-row" && isShown(element)) yield element;
  }
}

const isShown = (element: XmlElement): boolean =>
  !/^(?:collapse|filter)$/.test(element.attribute("table:visibility") ?? "");

const repeats = (element: XmlElement, { most }: { readonly most: number }): number => {
  const times = element.attribute("table:number-columns-repeated") ??
    element.attribute("table:number-rows-repeated");
  return Math.min(most, Math.max(1, Number(times ?? 1) || 1));
};

interface Span {
  readonly first: number;
  readonly end: number;
}

const MAX_COLUMNS = 16_384;

function hiddenColumns(table: XmlElement): readonly Span[] {
  const spans: Span[] = [];
  let next = 0;
  const walk = (parent: XmlElement) => {
    for (const element of parent.elements) {
      if (groups.has(element.name)) walk(element);
      if (element.name !== "table-column") continue;
      const end = next + repeats(element, { most: MAX_COLUMNS });
      if (!isShown(element)) spans.push({ first: next, end });
      next = end;
    }
  };
  walk(table);
  return spans;
}

interface CellsOptions {
  readonly textOf: (cell: XmlElement) => string;
  readonly hidden: readonly Span[];
}

/** Without the empty ones at its end. A cell that another covers has no text. */
function rowCells(row: XmlElement, { textOf, hidden }: CellsOptions): readonly string[] {
  const cells: string[] = [];
  let column = 0;
  let empty = 0;
  for (const cell of row.elements) {
    const isCovered = cell.name === "covered-table-cell";
    if (!isCovered && cell.name !== "table-cell") continue;
    const text = isCovered ? "" : textOf(cell).trim();
    const most = text === "" ? MAX_COLUMNS : MAX_REPEATED;
    for (let left = repeats(cell, { most }); left > 0; left--, column++) {
      if (hidden.some(({ first, end }) => column >= first && column < end)) continue;
      if (text === "") empty++;
      else {
        for (; empty > 0; empty--) cells.push("");
        cells.push(text);
      }
    }
  }
  return cells;
}
