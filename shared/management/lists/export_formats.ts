/** Formats of exports. No schemas: the console's first page loads it. */

/**
 * `csv`: a line of names first, nested values as JSON. `excel`: the same behind a byte order mark, by which Excel knows
 * that it is UTF-8. `jsonl`: one JSON object a line.
 */
export const exportFormats = ["csv", "excel", "jsonl"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Ending of the file's name. */
export const exportEnding = (format: ExportFormat): string => format === "excel" ? "csv" : format;
