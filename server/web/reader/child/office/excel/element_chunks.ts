/** Elements of a large part, one after the other: a sheet with its tree would not fit into memory. */

import { UnreadableDocument } from "../unreadable_document.ts";
import { parseXml, type XmlElement } from "../xml.ts";

const CHUNK_BYTES = 256 * 1024;
/** A single element that is longer is none of a document. */
const MAX_ELEMENT_CHARACTERS = 16 * 1024 * 1024;

/**
 * The elements of a name, which have none of the same name within. Throws an UnreadableDocument where they are damaged.
 */
export function* elementChunks(bytes: Uint8Array, name: string): Generator<XmlElement> {
  const [begin, end] = [new RegExp(`<(?:\\w+:)?${name}[\\s/>]`), new RegExp(`</(?:\\w+:)?${name}\\s*>`, "g")];
  let text = "";
  let hasBegun = false;
  for (const chunk of decodedChunks(bytes)) {
    text += chunk;
    if (!hasBegun) {
      if (chunk.includes("<!DOCTYPE")) throw new UnreadableDocument("broken");
      const start = text.search(begin);
      if (start === -1) continue;
      text = text.slice(start);
      hasBegun = true;
    }
    const last = lastEnd(text, end);
    if (last > 0) {
      yield* parseXml(`<all>${text.slice(0, last)}</all>`).all(name);
      text = text.slice(last);
    }
    if (text.length > MAX_ELEMENT_CHARACTERS) throw new UnreadableDocument("unpacks_too_large");
  }
}

/** UTF-8, or UTF-16 with its mark. */
function* decodedChunks(bytes: Uint8Array): Generator<string> {
  const [first, second] = bytes;
  const isWide = first === 0xff && second === 0xfe || first === 0xfe && second === 0xff;
  const decoder = new TextDecoder(!isWide ? "utf-8" : first === 0xff ? "utf-16le" : "utf-16be");
  for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES) {
    yield decoder.decode(bytes.subarray(offset, offset + CHUNK_BYTES), { stream: true });
  }
}

/** Behind the last end tag; 0 where there is none. */
function lastEnd(text: string, end: RegExp): number {
  let last = 0;
  for (const match of text.matchAll(end)) last = match.index + match[0].length;
  return last;
}
