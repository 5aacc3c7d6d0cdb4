/** The pages of documents, counted where they are needed: it takes a while. */

import { base64Groups } from "../../../shared/util/base64_groups.ts";
import type { Work } from "../../../shared/util/run_work.ts";
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

/** A character for each byte. */
function* decode(base64: string): Work<string | undefined> {
  const parts: string[] = [];
  for (const group of base64Groups(base64)) {
    const part = decodePart(group);
    if (part === undefined) return undefined;
    parts.push(part);
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
