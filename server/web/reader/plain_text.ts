/** Text that needs no parser. */

import { cutWhole } from "../../../shared/util/text.ts";
import { visibleText } from "../../../shared/util/visible_text.ts";
import { decodeText, labelsInDocument } from "./decode_text.ts";
import type { ReadDocument } from "./messages.ts";

/** Bytes that one character takes at most, in UTF-8 and in UTF-32. */
const MAX_BYTES_PER_CHARACTER = 4;

interface PlainTextOptions {
  /** Empty where the server names none. */
  readonly charset: string;
  readonly isXml: boolean;
  readonly maxCharacters: number;
  /** The label of an undeclared encoding that is not Unicode. */
  readonly detect?: (bytes: Uint8Array) => string;
}

/** Decodes no more than is wanted. Undefined where only detection could tell the encoding. */
export function readPlainText(
  body: Uint8Array,
  { charset, isXml, maxCharacters, detect }: PlainTextOptions,
): ({ readonly type: "document" } & ReadDocument) | undefined {
  const start = body.subarray(0, maxCharacters * MAX_BYTES_PER_CHARACTER);
  const isCut = start.length < body.length;
  const declared = [charset, ...labelsInDocument(start, isXml ? "xml" : "other")];
  const text = decodeText(start, { declared, isCut, detect });
  return text === undefined
    ? undefined
    : { type: "document", ...readableText(text, { maxCharacters, isCut }) };
}

interface ReadableTextOptions {
  readonly maxCharacters: number;
  /** The document goes on behind the text. */
  readonly isCut: boolean;
}

/** Makes the text that a model reads: no invisible characters, and no half of one at its end. */
export function readableText(
  text: string,
  { maxCharacters, isCut }: ReadableTextOptions,
): Pick<ReadDocument, "text" | "truncated" | "lack"> {
  const visible = visibleText(text);
  if (visible.trim() === "") {
    return { text: "", truncated: false, lack: text.trim() === "" ? "empty" : "hidden" };
  }
  return { text: cutWhole(visible, maxCharacters), truncated: isCut || visible.length > maxCharacters };
}
