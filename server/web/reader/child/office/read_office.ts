/** From an Office file to its text: Word, Excel, PowerPoint, and OpenDocument. */

import { cutWhole } from "../../../../../shared/util/text.ts";
import { visibleText } from "../../../../../shared/util/visible_text.ts";
import { latin1 } from "../../decode_text.ts";
import type { ReadReply } from "../../messages.ts";
import { readableText } from "../../plain_text.ts";
import type { OfficeLimits, OfficeText } from "./office_text.ts";
import { readExcel } from "./excel/read_excel.ts";
import { flatRoot } from "./flat_root.ts";
import { readFlatDocument, readOpenDocument } from "./open_document/read_open_document.ts";
import { PackageParts } from "./package_parts.ts";
import { mainPart } from "./relations.ts";
import { readSlides } from "./slides/read_slides.ts";
import { UnreadableDocument } from "./unreadable_document.ts";
import { readWord } from "./word/read_word.ts";

/** How the name of a stream is written in the older container: an encrypted file lies in one. */
const ENCRYPTED = [..."EncryptedPackage"].map((letter) => `${letter}\0`).join("");

/** A file that has no text to give is a reply too. */
export function readOfficeDocument(bytes: Uint8Array, limits: OfficeLimits): ReadReply {
  try {
    const { text, isCut, ...facts } = readOffice(bytes, limits);
    const read = readableText(text, { maxCharacters: limits.maxCharacters, isCut });
    return { type: "document", ...read, ...facts, title: shownTitle(facts.title) };
  } catch (error) {
    if (error instanceof UnreadableDocument) return { type: "unreadable", reason: error.reason };
    throw error;
  }
}

const MAX_TITLE = 1_000;
const shownTitle = (title: string | undefined): string | undefined =>
  cutWhole(visibleText(title ?? "").trim(), MAX_TITLE) || undefined;

/** Throws an UnreadableDocument. */
function readOffice(bytes: Uint8Array, limits: OfficeLimits): OfficeText {
  // Everything else in that container is of Office 97 to 2003.
  if (bytes[0] === 0xd0) {
    throw new UnreadableDocument(latin1(bytes).includes(ENCRYPTED) ? "encrypted" : "old_office");
  }
  const flat = flatRoot(bytes);
  if (flat !== undefined) return readFlatDocument(flat, limits);
  const parts = new PackageParts(bytes);
  if (parts.has("mimetype") && parts.has("content.xml")) return readOpenDocument(parts, limits);
  if (!parts.has("[Content_Types].xml")) throw new UnreadableDocument("unsupported_type");
  const main = mainPart(parts);
  switch (main.root.name) {
    case "document":
      return readWord(parts, { ...limits, main });
    case "workbook":
      return readExcel(parts, { ...limits, main });
    case "presentation":
      return readSlides(parts, { ...limits, main });
    default:
      throw new UnreadableDocument("unsupported_type");
  }
}
