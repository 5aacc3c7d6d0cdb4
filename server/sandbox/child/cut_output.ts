/** The beginning and the end of what a command prints too much of. */

import { MAX_OUTPUT_BYTES } from "../messages.ts";

const encoder = new TextEncoder();

/** UTF-8, at most {@link MAX_OUTPUT_BYTES}. */
export function cutOutput(text: string): Uint8Array {
  if (text.length <= MAX_OUTPUT_BYTES / 3) return encoder.encode(text);
  const bytes = encoder.encode(text);
  if (bytes.length <= MAX_OUTPUT_BYTES) return bytes;
  const note = encoder.encode(
    `\n[… ${bytes.length - MAX_OUTPUT_BYTES} of ${bytes.length} bytes left out …]\n`,
  );
  const half = (MAX_OUTPUT_BYTES - note.length) >> 1;
  return Buffer.concat([bytes.subarray(0, half), note, bytes.subarray(bytes.length - half)]);
}
