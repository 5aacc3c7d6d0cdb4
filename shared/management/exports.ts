/** Exports of lists: the same rows as a file. */

import * as z from "zod";

/** `csv`: a line of names first, nested values as JSON. `jsonl`: one JSON object a line. */
const exportFormats = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const formatQuery = z.enum(exportFormats).default("csv");

/** Rows of an export, at most. */
export const MAX_EXPORT_ROWS = 100_000;
