/** The reader's text of a document: in a process of its own, free of charge. */

import { ApiError } from "../../../../shared/errors.ts";
import type { FilePart } from "../../../protocols/canonical/item.ts";
import { latin1 } from "../../../web/reader/decode_text.ts";
import { isReadableType } from "../../../web/reader/document_type.ts";
import type { ReadDocument } from "../../../web/reader/messages.ts";
import { describeLack, MAX_CHARACTERS } from "../../../web/reader/reader.ts";
import type { WebAccess } from "../../tools/tool_definition.ts";
import { type LoadedDocument, unreadable } from "./load_document.ts";
import type { ParsedText } from "./parsed_document.ts";

/** Pages of a PDF, slides or sheets. */
export const MAX_PAGES = 200;
/** A PDF with fewer characters a page is a scan. */
export const SCAN_CHARACTERS = 20;

interface LocalInput {
  readonly web: Pick<WebAccess, "read">;
  readonly part: FilePart;
  readonly signal: AbortSignal;
}

/** Undefined for a PDF that is scanned. Throws an ApiError that says why there is no text. */
export async function readLocally(
  { bytes, contentType, url }: LoadedDocument,
  { web, part, signal }: LocalInput,
): Promise<ParsedText | undefined> {
  const read = await web.read({
    body: bytes,
    contentType: typeOf(contentType, part),
    url,
    maxCharacters: MAX_CHARACTERS,
    maxPages: MAX_PAGES,
    signal,
  });
  if (read.type === "failed") {
    if (read.isPassing) throw new ApiError("not_ready", read.message);
    throw unreadable(part, lowered(read.message));
  }
  if (isPdfFile(bytes) && isScan(read)) return undefined;
  if (read.lack !== undefined) throw unreadable(part, lowered(describeLack(read.lack)));
  return { text: read.text, pages: read.pagesRead, cut: cutNote(read), images: [] };
}

/** An upload tells text by its bytes, so a page is plain text there. What a client names otherwise may be text too. */
function typeOf(contentType: string, { filename = "" }: FilePart): string {
  if (contentType === "text/plain" && /\.x?html?$/i.test(filename)) return "text/html";
  return isReadableType(contentType) ? contentType : "";
}

const lowered = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

/** A PDF says so at its beginning. */
export const isPdfFile = (bytes: Uint8Array): boolean => latin1(bytes.subarray(0, 5)) === "%PDF-";

const isScan = ({ lack, text, pagesRead = 0 }: ReadDocument): boolean =>
  lack !== "hidden" && text.replaceAll(/\s/g, "").length < SCAN_CHARACTERS * pagesRead;

function cutNote({ truncated, pages = 0, pagesRead = 0, text }: ReadDocument): string | undefined {
  if (!truncated) return undefined;
  return pagesRead < pages
    ? `The file goes on: it has ${pages} pages, and these are the first ${pagesRead}.`
    : `The file goes on: these are the first ${text.length} characters.`;
}
