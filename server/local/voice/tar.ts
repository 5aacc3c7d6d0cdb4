/** Files out of a gzipped tar archive as npm packs them. */

import { setImmediate } from "node:timers/promises";

const BLOCK = 512;
/** Bytes that an archive may unpack to. */
const LARGEST = 128 * 1024 * 1024;

/** The files below `package/`, by path; those that `wanted` names. Throws for what is no archive. */
export async function unpacked(
  archive: Uint8Array<ArrayBuffer>,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const bytes = await gunzipped(archive);
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const name = textAt(bytes, { at, length: 100 });
    if (name === "") break;
    const size = parseInt(textAt(bytes, { at: at + 124, length: 12 }), 8);
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new Error("Cannot unpack: a size in the archive is wrong");
    }
    const path = name.replace(/^package\//, "");
    if (wanted.includes(path)) files.set(path, bytes.slice(at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

/** Piece by piece, with a turn for everybody else after each: it is half a second of work. */
async function gunzipped(archive: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const gunzip = new DecompressionStream("gzip");
  feed(archive, gunzip.writable.getWriter()).catch(() => {
    // what goes wrong with writing is told by the reader
  });
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const part of gunzip.readable) {
    size += part.length;
    if (size > LARGEST) throw new Error(`Cannot unpack: more than ${LARGEST} bytes`);
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const PIECE = 65_536;

async function feed(
  bytes: Uint8Array<ArrayBuffer>,
  writer: WritableStreamDefaultWriter<BufferSource>,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    await writer.write(bytes.subarray(at, at + PIECE));
    await setImmediate();
  }
  await writer.close();
}

interface Field {
  readonly at: number;
  readonly length: number;
}

function textAt(bytes: Uint8Array, { at, length }: Field): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end)).trim();
}
