/** How an answer's body shows by its first bytes what it is: servers and proxies give streams and objects any type. */

import type { ReadBytes } from "./sse.ts";

type BodyForm = "stream" | "whole";

/** The first bytes are looked at and given out again. */
interface PeekedBody {
  /** Undefined where the bytes do not tell. */
  readonly form: BodyForm | undefined;
  readonly read: ReadBytes;
}

/** White space ahead of an answer keeps a line open; behind so much of it no form is looked for any more. */
const MOST_BYTES = 4096;

/** Reads until the form shows. A fault of the reading is not thrown here but where the body is read. */
export async function peekBody(read: ReadBytes): Promise<PeekedBody> {
  const chunks: Uint8Array[] = [];
  let start = "";
  let size = 0;
  let form: BodyForm | undefined;
  let fault: { readonly error: unknown } | undefined;
  while (form === undefined && size < MOST_BYTES && isUndecided(start)) {
    try {
      const bytes = await read();
      if (bytes === undefined) break;
      chunks.push(bytes);
      size += bytes.length;
      start = withoutSpace(start + String.fromCharCode(...bytes.subarray(0, MOST_BYTES)));
      form = bodyFormOf(start);
    } catch (error) {
      fault = { error };
      break;
    }
  }
  const rest = fault === undefined ? read : () => Promise.reject(fault.error);
  let next = 0;
  return { form, read: () => next < chunks.length ? Promise.resolve(chunks[next++]) : rest() };
}

/** The bytes of a mark of the byte order. */
const MARK = "\u00ef\u00bb\u00bf";

/** A mark of the byte order, as text or as its bytes, and white space. */
const withoutSpace = (text: string): string =>
  (text.startsWith(MARK) ? text.slice(MARK.length) : text).replace(/^\ufeff?\s*/, "");

const fields = ["data:", "event:", "id:", "retry:", ":"];

/** Whether the beginning of a field's name, or of the mark, may yet become one. */
const isUndecided = (start: string): boolean => [...fields, MARK].some((one) => one.startsWith(start));

/**
 * Form of a body that begins with `text`: events begin with a field or a comment, AWS's messages with a
 * length, JSON with a brace.
 */
export function bodyFormOf(text: string): BodyForm | undefined {
  if (text.startsWith("{")) return "whole";
  const start = withoutSpace(text.slice(0, MOST_BYTES));
  if (start.startsWith("{") || start.startsWith("[")) return "whole";
  const isStream = start.startsWith("\0") || fields.some((field) => start.startsWith(field));
  return isStream ? "stream" : undefined;
}

/** A reader of bytes that are all here. */
export function readAllAtOnce(bytes: Uint8Array): ReadBytes {
  let left: Uint8Array | undefined = bytes;
  return () => {
    const now = left;
    left = undefined;
    return Promise.resolve(now);
  };
}
