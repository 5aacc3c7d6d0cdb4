/**
 * Blobs among the records of the store, for platforms that keep no files: every gateway on the store has them, and a
 * copy of the store has them too. A blob is there from the commit that writes its row, which comes with or behind its
 * last chunk.
 */

import { BlobDigest } from "./blob_digest.ts";
import {
  BlobError,
  type BlobKey,
  blobPath,
  type BlobStore,
  type ByteRange,
  type ListedBlob,
  type StoredBlob,
} from "./blob_store.ts";
import { type ChunkDeps, removeChunks, retryCommit, withBlobErrors } from "./chunk_commit.ts";
import {
  blobCollection,
  type BlobRow,
  CHUNK_BYTES,
  chunkCount,
  chunkKeys,
  GROUP_BYTES,
  looseCollection,
} from "./chunk_rows.ts";
import { ChunkUpload } from "./chunk_upload.ts";
import type { StoreEntry, StoreKey } from "../stores/store.ts";

/** Rows that are read at a time. */
const PAGE = 500;

export class StoreBlobStore implements BlobStore {
  readonly location = "the store";
  /** Every group of chunks moves the time of their row. */
  readonly unfinishedMs = 3_600_000;
  readonly #deps: ChunkDeps;

  constructor(deps: ChunkDeps) {
    this.#deps = deps;
  }

  async put(key: BlobKey, content: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    requireKey(key);
    const digest = new BlobDigest();
    const upload = new ChunkUpload(this.#deps, key);
    try {
      for await (const bytes of content) {
        digest.add(bytes);
        await withBlobErrors("write", () => upload.add(bytes));
      }
      await withBlobErrors("write", () => upload.finish());
    } catch (error) {
      await upload.abort().catch(() => {
        // Chunks that cannot be removed now are removed with what other writers have left.
      });
      throw error;
    }
    return digest.describe(key);
  }

  async open(key: BlobKey, range?: ByteRange): Promise<ReadableStream<Uint8Array> | undefined> {
    const found = await this.#find(key);
    if (found === undefined) return undefined;
    const { offset, length } = range ?? { offset: 0, length: found.size };
    return ReadableStream.from(this.#read(found, { offset, length }));
  }

  async delete(key: BlobKey): Promise<void> {
    requireKey(key);
    await withBlobErrors("delete", async () => {
      const chunks = await this.#detach(key);
      if (chunks !== undefined) await removeChunks(this.#deps, chunks);
    });
  }

  async *list(workspaceId?: string): AsyncGenerator<ListedBlob> {
    const blobs = blobCollection(this.#deps.store);
    const within = workspaceId === undefined ? [] : [workspaceId];
    let after: StoreKey | undefined;
    do {
      const page = await withBlobErrors("list", () => blobs.list({ within, after, limit: PAGE }));
      for (const { id, record } of page) yield { ...toBlobKey(id), modifiedAt: record.written_at };
      after = page.length < PAGE ? undefined : page.at(-1)?.id;
    } while (after !== undefined);
  }

  async removeUnfinished(before: number): Promise<number> {
    const loose = looseCollection(this.#deps.store);
    let removed = 0;
    let after: StoreKey | undefined;
    do {
      const page = await withBlobErrors("list", () => loose.list({ after, limit: PAGE }));
      for (const { id: [chunks], record: { at } } of page) {
        if (at >= before) continue;
        await withBlobErrors("delete", () => removeChunks(this.#deps, String(chunks)));
        removed++;
      }
      after = page.length < PAGE ? undefined : page.at(-1)?.id;
    } while (after !== undefined);
    return removed;
  }

  async #find(key: BlobKey): Promise<BlobRow | undefined> {
    requireKey(key);
    const { workspaceId, id } = key;
    return (await withBlobErrors("read", () => blobCollection(this.#deps.store).get(workspaceId, id)))
      ?.record;
  }

  /** Takes the chunks of a blob away from it, and names them. */
  async #detach({ workspaceId, id }: BlobKey): Promise<string | undefined> {
    const { store, runtime: { clock } } = this.#deps;
    const blobs = blobCollection(store);
    let chunks: string | undefined;
    await retryCommit(this.#deps, async () => {
      const found = await blobs.get(workspaceId, id);
      if (found === undefined) return true;
      const { record, version } = found;
      chunks = record.chunks;
      const { type } = await store.commit({
        checks: [blobs.check([workspaceId, id], version)],
        puts: [looseCollection(store).put([chunks], { bytes: record.size, at: clock.now() })],
        deletes: [blobs.key([workspaceId, id])],
        small: true,
      });
      return type === "ok" ? true : undefined;
    });
    return chunks;
  }

  async *#read({ chunks, size }: BlobRow, { offset, length }: ByteRange): AsyncGenerator<Uint8Array> {
    const { store } = this.#deps;
    const end = offset + length;
    for (let next = offset; next < end;) {
      const first = Math.floor(next / CHUNK_BYTES);
      const groupEnd = Math.min(end, first * CHUNK_BYTES + GROUP_BYTES);
      const keys = chunkKeys(store, { chunks, first, end: chunkCount(groupEnd) });
      const entries = await withBlobErrors("read", () => store.getMany(keys));
      for (const [position, entry] of entries.entries()) {
        const begin = (first + position) * CHUNK_BYTES;
        const bytes = requireChunk(entry, Math.min(CHUNK_BYTES, size - begin));
        yield bytes.subarray(Math.max(0, next - begin), Math.min(bytes.length, groupEnd - begin));
      }
      next = groupEnd;
    }
  }
}

/** Throws a BlobError where a chunk is not there as it was written, as when its blob was deleted meanwhile. */
function requireChunk(entry: StoreEntry | undefined, length: number): Uint8Array {
  const value = entry?.value;
  if (value instanceof Uint8Array && value.length === length) return value;
  throw new BlobError("Cannot read file: a part of it is gone from the store");
}

/** Throws where the key is malformed. */
function requireKey(key: BlobKey): void {
  blobPath(key);
}

const toBlobKey = ([workspaceId, id]: StoreKey): BlobKey => ({
  workspaceId: String(workspaceId),
  id: String(id),
});
