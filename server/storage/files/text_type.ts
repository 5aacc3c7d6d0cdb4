/** Detects the kind of a text file, by its structure (specification, Files). */

import { isRecord, tryParseJson } from "../../../shared/util/json.ts";

/** Characters beyond which a text is not parsed as a whole. */
export const MAX_PARSED = 1024 * 1024;

/** Lines that are looked at. */
const MAX_LINES = 50;

interface TextSample {
  /** The beginning of the text. */
  readonly text: string;
  /** There is no more of it. */
  readonly whole: boolean;
}

export function textType(sample: TextSample): string {
  if (isJson(sample)) return "application/json";
  const lines = linesOf(sample);
  if (lines.length > 1 && lines.every((line) => isRecord(tryParseJson(line)))) return "application/x-ndjson";
  if (isCsv(lines)) return "text/csv";
  return lines.some(isMarkdown) ? "text/markdown" : "text/plain";
}

/** A long text is taken for JSON where its first two lines are no values of their own. */
function isJson({ text, whole }: TextSample): boolean {
  const start = text.trimStart();
  if (!start.startsWith("{") && !start.startsWith("[")) return false;
  if (whole) return typeof tryParseJson(start) === "object";
  return /^[{[]\s*["{[\]}\d-]/.test(start) && tryParseJson(start.slice(0, start.indexOf("\n"))) === undefined;
}

/** Without empty ones, and without one that the sample cuts off. */
function linesOf({ text, whole }: TextSample): readonly string[] {
  const lines = text.split(/\r?\n/, MAX_LINES + 1);
  const complete = lines.length > MAX_LINES || !whole ? lines.slice(0, -1) : lines;
  return complete.filter((line) => line.trim() !== "");
}

/** Characters between columns: spreadsheets write the semicolon where the comma is for decimals. */
const separators = [",", ";"];

/** At least two lines with the same number of columns, at least two. */
const isCsv = (lines: readonly string[]): boolean => separators.some((one) => isSeparatedBy(lines, one));

/** The first line has a name for the last column: statements of a program end in a semicolon, too. */
function isSeparatedBy(lines: readonly string[], separator: string): boolean {
  const [first = 0, ...others] = lines.map((line) => countOf(separator, line));
  return first > 0 && lines[0]?.trimEnd().endsWith(separator) === false &&
    others.length > 0 && others.every((count) => count === first);
}

/** Outside of quotes, and without those of sentences, which a space follows. */
function countOf(separator: string, line: string): number {
  let count = 0;
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') quoted = !quoted;
    else if (line[at] === separator && line[at + 1] !== " " && !quoted) count++;
  }
  return count;
}

const isMarkdown = (line: string): boolean =>
  /^#{1,6} \S/.test(line) || line.startsWith("```") || /\[[^\]]{1,200}\]\([^)]{1,2000}\)/.test(line);
