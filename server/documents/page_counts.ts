/** The pages of documents, counted where they are needed: it takes a while. */

import type { Work } from "../../shared/util/run_work.ts";
import { pdfPages } from "./pdf_pages.ts";
import { PdfStreams } from "./pdf_streams.ts";

/** "%PDF" in base64. */
const PDF_BASE64 = "JVBER";

/** Whether the pages of this document, in base64, can be counted. */
export const hasPages = (base64: string): boolean => base64.startsWith(PDF_BASE64);

/** Pages by the base64 of each document; one whose pages cannot be counted is left out. */
export function* countPages(documents: readonly string[]): Work<ReadonlyMap<string, number>> {
  const streams = new PdfStreams();
  const counts = new Map<string, number>();
  for (const base64 of documents) {
    const text = yield* decode(base64);
    const pages = text === undefined ? undefined : yield* pdfPages(text, streams);
    if (pages !== undefined) counts.set(base64, pages);
  }
  return counts;
}

/** Characters of base64 that are decoded before a pause is offered: four of them are three bytes. */
const CHARS_AT_ONCE = 256 * 1024;

/** A character for each byte. */
function* decode(base64: string): Work<string | undefined> {
  const parts: string[] = [];
  let left = "";
  for (let at = 0; at < base64.length; at += CHARS_AT_ONCE) {
    const chars = left + base64.slice(at, at + CHARS_AT_ONCE).replace(/[\t\n\f\r ]+/g, "");
    const isLast = at + CHARS_AT_ONCE >= base64.length;
    const whole = isLast ? chars.length : chars.length - chars.length % 4;
    const part = decodePart(chars.slice(0, whole));
    if (part === undefined) return undefined;
    parts.push(part);
    left = chars.slice(whole);
    yield;
  }
  return parts.join("");
}

function decodePart(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    // Not base64: its provider will say so.
    return undefined;
  }
}
