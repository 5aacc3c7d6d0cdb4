/**
 * Indexes by which a search finds files: a blob beside the bytes of each file, without a record. It goes with the file,
 * and where one is left or was written too late, the retention job removes it (file_retention.ts).
 */

import type { BlobKey, BlobStore } from "../blobs/blob_store.ts";
import { blobKeyOf, fileCollection, type FileRow } from "./file_rows.ts";
import type { Store } from "../stores/store.ts";

/** Digits of hexadecimal numbers in the order opposite to theirs. */
const OPPOSITE = "fedcba9876543210";

/** The id of a file's index by that of the file, and the other way round. */
export const indexIdOf = (id: string): string =>
  id.replaceAll(/[\da-f]/g, (digit) => OPPOSITE.charAt(Number.parseInt(digit, 16)));

export function indexBlobKey(row: Pick<FileRow, "workspace_id" | "id">): BlobKey {
  const { workspaceId, id } = blobKeyOf(row);
  return { workspaceId, id: indexIdOf(id) };
}

interface FileIndexesDeps {
  readonly store: Store;
  readonly blobs: BlobStore;
}

export class FileIndexes {
  readonly #deps: FileIndexesDeps;

  constructor(deps: FileIndexesDeps) {
    this.#deps = deps;
  }

  /** Undefined where the file has none yet. */
  open(row: Pick<FileRow, "workspace_id" | "id">): Promise<ReadableStream<Uint8Array> | undefined> {
    return this.#deps.blobs.open(indexBlobKey(row));
  }

  /** Keeps nothing for a file that was deleted meanwhile. */
  async keep(row: Pick<FileRow, "workspace_id" | "id">, content: AsyncIterable<Uint8Array>): Promise<void> {
    const { store, blobs } = this.#deps;
    const blob = await blobs.put(indexBlobKey(row), content);
    // Deleting a file removes the record first: one of both sees the other's work.
    if (await fileCollection(store).get(row.workspace_id, row.id) === undefined) await blobs.delete(blob);
  }
}
