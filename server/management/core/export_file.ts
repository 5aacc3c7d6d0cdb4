/** Lists as files: CSV (RFC 4180) or JSON lines, made while they are sent. */

import { MAX_EXPORT_ROWS } from "../../../shared/management/exports.ts";
import { exportEnding, type ExportFormat } from "../../../shared/management/lists/export_formats.ts";
import type { FileDownload } from "../../../shared/management/operation.ts";
import type { ManagementDeps } from "./management_deps.ts";

type Row = Readonly<Record<string, unknown>>;

interface ExportInput {
  /** Beginning of the file's name. */
  readonly name: string;
  readonly format: ExportFormat;
  /** Fields of the rows, in the order of the columns. */
  readonly columns: readonly string[];
  /** Pages of rows; read while the client reads. */
  readonly pages: AsyncIterable<readonly Row[]>;
}

export type ExportDeps = Pick<ManagementDeps, "pause"> & {
  readonly runtime: Pick<ManagementDeps["runtime"], "clock">;
};

/** The first 100,000 rows; where there are more, a last line says so. */
export function exportFile(deps: ExportDeps, input: ExportInput): FileDownload {
  const { name, format } = input;
  const day = new Date(deps.runtime.clock.now()).toISOString().slice(0, 10);
  return {
    filename: `${name}-${day}.${exportEnding(format)}`,
    open: () => Promise.resolve(ReadableStream.from(chunksOf(deps, input))),
  };
}

async function* chunksOf(
  { pause }: ExportDeps,
  { format, columns, pages }: ExportInput,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const isCsv = format !== "jsonl";
  const line = isCsv ? (row: Row) => csvLine(columns.map((name) => row[name])) : jsonLine;
  if (isCsv) yield encoder.encode((format === "excel" ? BYTE_ORDER_MARK : "") + csvLine(columns));
  let left = MAX_EXPORT_ROWS;
  for await (const page of pages) {
    const rows = page.slice(0, left);
    left -= rows.length;
    if (rows.length > 0) yield encoder.encode(rows.map(line).join(""));
    if (rows.length < page.length) return yield encoder.encode(stoppedLine(format, columns));
    // Requests have their turn between two pages.
    await pause();
  }
}

/** A row as any other to who reads CSV by a parser: as wide as they are. */
function stoppedLine(format: ExportFormat, [, ...others]: readonly string[]): string {
  if (format === "jsonl") return jsonLine({ stopped_after: MAX_EXPORT_ROWS });
  return csvLine([`stopped after ${MAX_EXPORT_ROWS} rows`, ...others.map(() => null)]);
}

const jsonLine = (row: Row): string => `${JSON.stringify(row)}\n`;

const csvLine = (values: readonly unknown[]): string => `${values.map(csvCell).join(",")}\r\n`;

/** Parsers that do not know it take it for a part of the first name, so that it is there for Excel only. */
const BYTE_ORDER_MARK = "\ufeff";

/** Beginnings by which a table program takes a text for a formula, also in full width. */
const FORMULA = /^[\s\0]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]/;

/** The same behind a semicolon, which stands between cells where the comma is for decimals. */
const FORMULA_BEHIND = /;(?=[\s\0]*[=+\-@|%\uff1d\uff0b\uff0d\uff20])/g;

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const begun = FORMULA.test(text) || /^[\t\r\n]/.test(text) ? `'${text}` : text;
  const shown = begun.replaceAll(FORMULA_BEHIND, ";'");
  return /[",\r\n]/.test(shown) || shown !== shown.trim() ? `"${shown.replaceAll('"', '""')}"` : shown;
}
