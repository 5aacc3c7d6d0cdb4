/**
 * Reads an HTML page in this process, where no program can be started for it. The page is cut into tokens once, and
 * each of them is work for a moment: whatever it holds, others have their turn between two of them.
 */

import { pause } from "../../../../shared/util/pause.ts";
import { runWork, type Work, WorkLeft, WorkTooLong } from "../../../../shared/util/run_work.ts";
import type { Clock } from "../../../runtime.ts";
import { decodeText, labelsInDocument } from "../decode_text.ts";
import type { ReadDocument } from "../messages.ts";
import { pageTokens } from "./page_tokens.ts";
import { StreamedPage } from "./streamed_page.ts";

/** Bytes of a page that are read; of a longer one the beginning. */
const MOST_PAGE_BYTES = 4 * 1024 * 1024;
/** Milliseconds of the processor that a page may take. */
const MOST_MS = 10_000;

/** Encoding of pages and texts that name none and are not Unicode. */
export const DEFAULT_CHARSET = "windows-1252";

export interface PageInput {
  readonly body: Uint8Array;
  /** Where it is from. Empty where that is unknown. */
  readonly url: string;
  /** Encoding by its server; empty where that names none. */
  readonly charset: string;
  /** By its type: tags have the rules of XML then. */
  readonly isXml: boolean;
  readonly maxCharacters: number;
}

export function* pageWork({ body, url, charset, isXml, maxCharacters }: PageInput): Work<ReadDocument> {
  const start = body.subarray(0, MOST_PAGE_BYTES);
  const isCut = start.length < body.length;
  const declared = [charset, ...labelsInDocument(start, "html")];
  const decoded = decodeText(start, { declared, isCut, detect: () => DEFAULT_CHARSET }) ?? "";
  // What is left of a tag that the cut went through is no text.
  const html = isCut && decoded.endsWith("<") ? decoded.slice(0, -1) : decoded;
  yield;
  const page = new StreamedPage({ url, maxCharacters });
  for (const token of pageTokens(html, { isXml, isForeign: () => page.isForeign })) {
    page.take(token);
    yield;
    if (page.isFull) return page.end(true);
  }
  return page.end(isCut);
}

interface ReadPageOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly signal: AbortSignal;
}

/** Undefined where the page takes too much time. Rejects with the signal's reason. */
export async function readPage(
  input: PageInput,
  { clock, signal }: ReadPageOptions,
): Promise<ReadDocument | undefined> {
  try {
    return await runWork(pageWork(input), { clock, pause, isLeft: () => signal.aborted, mostMs: MOST_MS });
  } catch (error) {
    if (error instanceof WorkTooLong) return undefined;
    throw error instanceof WorkLeft ? signal.reason : error;
  }
}
