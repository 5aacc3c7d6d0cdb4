/** Where a page of receipts ends: a place that receipts which come in later do not move. */

import * as z from "zod";
import { compareKeys } from "../../../storage/stores/store_key.ts";
import type { KeyPart } from "../../../storage/stores/store.ts";

export interface ReceiptCursor {
  /** The end of an index row's key: the time in ms, then what names the batch. */
  readonly tail: readonly KeyPart[];
  /** The first place in that batch that has been told already; those before it have not. */
  readonly place: number;
}

const tailSchema = z.array(z.union([z.string(), z.number()])).min(1).max(8);
const cursorSchema = z.tuple([tailSchema, z.int().nonnegative()]);

const MAX_CURSOR_CHARS = 500;

export function encodeCursor({ tail, place }: ReceiptCursor): string {
  const bytes = new TextEncoder().encode(JSON.stringify([tail, place]));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Undefined for what `writeCursor` has not written. */
export function decodeCursor(text: string): ReceiptCursor | undefined {
  if (text.length > MAX_CURSOR_CHARS) return undefined;
  const parsed = cursorSchema.safeParse(decoded(text));
  if (!parsed.success) return undefined;
  const [tail, place] = parsed.data;
  const wellFormed = tail.every((part) =>
    typeof part === "number" ? !Object.is(part, -0) : part.isWellFormed()
  );
  return wellFormed ? { tail, place } : undefined;
}

function decoded(text: string): unknown {
  try {
    const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // A text that is no cursor: the caller of this function makes the error.
    return undefined;
  }
}

/** Negative when `a` is older. */
export function compareKeyTails(a: readonly KeyPart[], b: readonly KeyPart[]): number {
  return compareKeys(a, b);
}
