/** Text that needs no parser, and so no process of its own. */

import { cutWhole } from "../../shared/util/text.ts";
import type { ReadDocument } from "./messages.ts";

/** Bytes that one character takes at most, in UTF-8 and in UTF-32. */
const MAX_BYTES_PER_CHARACTER = 4;

export interface PlainTextOptions {
  /** Empty where the server names none. */
  readonly charset: string;
  readonly maxCharacters: number;
}

/** Decodes no more than is wanted. */
export function readPlainText(
  body: Uint8Array,
  { charset, maxCharacters }: PlainTextOptions,
): { readonly type: "document" } & ReadDocument {
  const start = body.subarray(0, maxCharacters * MAX_BYTES_PER_CHARACTER);
  const whole = start.length === body.length;
  const text = decoderFor(charset).decode(start, { stream: !whole });
  return { type: "document", ...cutText(text, { maxCharacters, whole }) };
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label === "" ? "utf-8" : label);
  } catch (_error) {
    // A server may claim any encoding.
    return new TextDecoder();
  }
}

interface CutOptions {
  readonly maxCharacters: number;
  /** The text has nothing behind it. */
  readonly whole: boolean;
}

/** Leaves no half of a character at its end. */
export function cutText(
  text: string,
  { maxCharacters, whole }: CutOptions,
): Pick<ReadDocument, "text" | "truncated"> {
  if (text.length <= maxCharacters) return { text, truncated: !whole };
  return { text: cutWhole(text, maxCharacters), truncated: true };
}
