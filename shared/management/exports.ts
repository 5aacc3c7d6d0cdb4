/** Exports of lists: the same rows as a file. */

import * as z from "zod";

/**
 * `csv`: a line of names first, nested values as JSON. `excel`: the same behind a byte order mark, by which Excel knows
 * that it is UTF-8. `jsonl`: one JSON object a line.
 */
const exportFormats = ["csv", "excel", "jsonl"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const formatQuery = z.enum(exportFormats).default("csv");

/** Ending of the file's name. */
export const exportEnding = (format: ExportFormat): string => format === "excel" ? "csv" : format;

/** Rows of an export, at most. */
export const MAX_EXPORT_ROWS = 100_000;
