/** Blobs in memory, for tests. */

import { BlobDigest } from "../../server/storage/blobs/blob_digest.ts";
import {
  type BlobKey,
  blobPath,
  type BlobStore,
  type ByteRange,
  type ListedBlob,
  parseBlobPath,
  type StoredBlob,
} from "../../server/storage/blobs/blob_store.ts";

interface StoredBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly modifiedAt: number;
}

export class MemoryBlobStore implements BlobStore {
  readonly location = "memory";
  readonly unfinishedMs = 0;
  readonly blobs = new Map<string, StoredBytes>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  async put(key: BlobKey, content: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    const digest = new BlobDigest();
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for await (const bytes of content) {
      digest.add(bytes);
      chunks.push(bytes.slice());
    }
    const bytes = await new Blob(chunks).bytes();
    this.blobs.set(blobPath(key), { bytes, modifiedAt: this.#now() });
    return digest.describe(key);
  }

  open(key: BlobKey, range?: ByteRange): Promise<ReadableStream<Uint8Array> | undefined> {
    const found = this.blobs.get(blobPath(key))?.bytes;
    const { offset, length } = range ?? { offset: 0, length: found?.length ?? 0 };
    return Promise.resolve(found && new Blob([found.subarray(offset, offset + length)]).stream());
  }

  delete(key: BlobKey): Promise<void> {
    this.blobs.delete(blobPath(key));
    return Promise.resolve();
  }

  async *list(workspaceId?: string): AsyncGenerator<ListedBlob> {
    for (const [path, { modifiedAt }] of [...this.blobs].sort(([one], [other]) => one < other ? -1 : 1)) {
      const key = parseBlobPath(path);
      if (key && (workspaceId === undefined || key.workspaceId === workspaceId)) {
        yield await Promise.resolve({ ...key, modifiedAt });
      }
    }
  }

  removeUnfinished(): Promise<number> {
    return Promise.resolve(0);
  }
}
