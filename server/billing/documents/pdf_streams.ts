/** The objects that a PDF keeps compressed (object streams), decoded within bounds: the file may be hostile. */

import { Buffer } from "node:buffer";
import { constants, inflateSync } from "node:zlib";
import type { Work } from "../../../shared/util/run_work.ts";
import { eachMatch } from "./each_match.ts";

/** An object of a stream: its number, and its text. */
interface PdfObject {
  readonly name: string;
  readonly body: string;
}

/** Over all documents of a request: some 40,000 pages, and a few hundredths of a second. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_STREAMS = 1_000;
/** Most bytes that are read of one stream, decoded or not: no writer puts more into one. */
const MOST_BYTES_OF_STREAM = 2 * 1024 * 1024;
const DICTIONARY_CHARS = 2_048;

interface Compressed {
  readonly dictionary: string;
  readonly data: string;
}

export class PdfStreams {
  #bytesLeft = MOST_BYTES;
  #streamsLeft = MOST_STREAMS;

  /**
   * Yields the text of each stream of a document, a character for each byte; streams beyond the bounds are left out.
   */
  *eachObject(text: string, visit: (object: PdfObject) => Work<void>): Work<void> {
    const objectsAt = (index: number) => this.#objectsAt(text, index);
    yield* eachMatch({ text, pattern: /\/Type[\s\0]{0,64}\/ObjStm\b/g }, function* ({ index }) {
      const objects = objectsAt(index);
      if (objects === undefined) return false;
      yield;
      for (const object of objects) {
        yield* visit(object);
        yield;
      }
      return true;
    });
  }

  /** Undefined where nothing is left of the budget. */
  #objectsAt(text: string, index: number): Iterable<PdfObject> | undefined {
    if (this.#streamsLeft-- <= 0 || this.#bytesLeft <= 0) return undefined;
    const stream = compressedAt(text, index);
    if (stream === undefined) return [];
    const most = Math.min(MOST_BYTES_OF_STREAM, this.#bytesLeft);
    const decoded = inflate(stream.data, most);
    this.#bytesLeft -= decoded?.length ?? most;
    return decoded === undefined ? [] : objectsOf(decoded, stream.dictionary);
  }
}

/** The stream whose dictionary holds this place, if it is compressed as nearly all are. */
function compressedAt(text: string, index: number): Compressed | undefined {
  const before = text.slice(Math.max(0, index - DICTIONARY_CHARS), index);
  const after = text.slice(index, index + DICTIONARY_CHARS);
  const word = after.indexOf("stream");
  if (word === -1) return undefined;
  const dictionary = before.slice(before.lastIndexOf("obj") + 1) + after.slice(0, word);
  if (!/\/Filter[\s\0]{0,8}\[?[\s\0]{0,8}\/(?:FlateDecode|Fl)\b/.test(dictionary)) return undefined;
  const from = index + word + "stream".length;
  const start = from + (/^\r?\n/.exec(text.slice(from, from + 2))?.[0].length ?? 0);
  const window = text.slice(start, start + MOST_BYTES_OF_STREAM);
  const end = window.indexOf("endstream");
  // Its stated length does not matter: what stands behind the compressed bytes is not looked at.
  return { dictionary, data: end === -1 ? window : window.slice(0, end) };
}

/** As far as it is there; undefined where it is damaged or more than `most` bytes. */
function inflate(data: string, most: number): string | undefined {
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: most };
    return inflateSync(Buffer.from(data, "latin1"), options).toString("latin1");
  } catch {
    // The document's bytes stand for its pages then.
    return undefined;
  }
}

/**
 * A stream begins with pairs of numbers: of an object, and where it begins behind `/First`. Each stands behind the one
 * before it: what says otherwise could have the same bytes read any number of times.
 */
function* objectsOf(decoded: string, dictionary: string): Generator<PdfObject> {
  const first = Number(/\/First[\s\0]{1,8}(\d{1,9})/.exec(dictionary)?.[1] ?? 0);
  let last: { readonly name: string; readonly start: number } | undefined;
  let name: string | undefined;
  for (const [digits] of decoded.slice(0, first).matchAll(/\d{1,10}/g)) {
    if (name === undefined) {
      name = digits;
      continue;
    }
    const start = Math.max(first + Number(digits), last?.start ?? 0);
    if (last !== undefined) yield { name: last.name, body: decoded.slice(last.start, start) };
    [last, name] = [{ name, start }, undefined];
  }
  if (last !== undefined) yield { name: last.name, body: decoded.slice(last.start) };
}
