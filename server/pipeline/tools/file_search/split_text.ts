/** Cuts the bytes of a long text at its lines. */

import { MAX_TEXT_BYTES } from "../../../web/file_index/indexer.ts";

type Bytes = Uint8Array<ArrayBuffer>;

interface SplitText {
  readonly parts: readonly Bytes[];
  /** The text goes on. */
  readonly truncated: boolean;
}

/** At most `most` bytes of a text, in parts that are indexed one by one. */
export async function splitText(content: AsyncIterable<Uint8Array>, most: number): Promise<SplitText> {
  const parts: Bytes[] = [];
  let rest: Bytes = new Uint8Array(0);
  let size = 0;
  for await (const bytes of content) {
    const taken = bytes.subarray(0, most - size);
    size += taken.length;
    rest = Buffer.concat([rest, taken]);
    while (rest.length > MAX_TEXT_BYTES) {
      const end = endOfPart(rest);
      parts.push(rest.slice(0, end));
      rest = rest.slice(end);
    }
    if (taken.length < bytes.length) return { parts: [...parts, rest], truncated: true };
  }
  return { parts: [...parts, rest], truncated: false };
}

const NEWLINE = 10;

/** Behind a line's end in the second half of the part; else between two characters. */
function endOfPart(bytes: Bytes): number {
  const line = bytes.lastIndexOf(NEWLINE, MAX_TEXT_BYTES - 1) + 1;
  if (line > MAX_TEXT_BYTES / 2) return line;
  let end = MAX_TEXT_BYTES;
  while (end > MAX_TEXT_BYTES - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}
