/** Archives in which the files of a container come into a sandbox, a bounded part of them at a time. */

import { packTar } from "modern-tar";
import { MAX_CHUNK_BYTES } from "../messages.ts";
import type { StoredEntry } from "../sandbox.ts";

type ArchiveEntry = Parameters<typeof packTar>[0][number];

const MAX_ENTRIES = 1_000;

/** Archives of up to {@link MAX_CHUNK_BYTES} of content; a larger file has one of its own. */
export async function* loadArchives(entries: AsyncIterable<StoredEntry>): AsyncGenerator<Uint8Array> {
  let packed: ArchiveEntry[] = [];
  let size = 0;
  for await (const stored of entries) {
    const entry = await toArchiveEntry(stored);
    const bytes = entry.header.size;
    if (packed.length > 0 && (size + bytes > MAX_CHUNK_BYTES || packed.length >= MAX_ENTRIES)) {
      yield await packTar(packed);
      [packed, size] = [[], 0];
    }
    packed.push(entry);
    size += bytes;
  }
  if (packed.length > 0) yield await packTar(packed);
}

async function toArchiveEntry({ entry, read }: StoredEntry): Promise<ArchiveEntry> {
  // A name alone could be taken for an option or for another place.
  const name = `./${entry.path}`;
  if (entry.type === "link") {
    return { header: { name, size: 0, type: "symlink", linkname: entry.target } };
  }
  const times = { mode: entry.mode, mtime: new Date(Math.max(entry.modifiedAt, 0)) };
  if (entry.type === "folder") return { header: { name: `${name}/`, size: 0, type: "directory", ...times } };
  const body = await read?.() ?? new Uint8Array(0);
  return { header: { name, size: body.length, type: "file", ...times }, body };
}
