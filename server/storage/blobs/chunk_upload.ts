/**
 * Writes one blob into the store, in groups of chunks. What is shorter than a group is one commit; of what is longer,
 * a row says which chunks are written and that they are loose, until the last commit gives them to the blob.
 */

import { BlobError, type BlobKey } from "./blob_store.ts";
import { type ChunkDeps, commitChunks, removeChunks, retryCommit } from "./chunk_commit.ts";
import { blobCollection, CHUNK_BYTES, chunkCollection, GROUP_BYTES, looseCollection } from "./chunk_rows.ts";
import type { StorePut } from "../stores/store.ts";

export class ChunkUpload {
  readonly #deps: ChunkDeps;
  readonly #key: BlobKey;
  /** Name of the chunks. */
  readonly #chunks: string;
  readonly #buffer = new Uint8Array(GROUP_BYTES);
  /** Bytes in the buffer. */
  #length = 0;
  /** Bytes that are in the store. */
  #written = 0;
  /** Version of the row of loose chunks; null before there is one. */
  #version: string | null = null;

  constructor(deps: ChunkDeps, key: BlobKey) {
    this.#deps = deps;
    this.#key = key;
    this.#chunks = deps.runtime.id();
  }

  async add(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0;) {
      if (this.#length === GROUP_BYTES) await this.#writeGroup();
      const taken = rest.subarray(0, GROUP_BYTES - this.#length);
      this.#buffer.set(taken, this.#length);
      this.#length += taken.length;
      rest = rest.subarray(taken.length);
    }
  }

  /** The blob is there once this resolves. One that had its key before is gone then. */
  async finish(): Promise<void> {
    const replaced = await retryCommit(this.#deps, () => this.#writeLast());
    if (replaced === "") return;
    await removeChunks(this.#deps, replaced).catch(() => {
      // What cannot be removed now is removed with what other writers have left.
    });
  }

  /** Removes the chunks that were written. */
  async abort(): Promise<void> {
    await removeChunks(this.#deps, this.#chunks);
  }

  async #writeGroup(): Promise<void> {
    const { store, runtime: { clock } } = this.#deps;
    const loose = looseCollection(store);
    const bytes = this.#written + this.#length;
    this.#version = await retryCommit(this.#deps, async () => {
      const version = await commitChunks(this.#deps, {
        added: this.#length,
        commit: {
          checks: [loose.check([this.#chunks], this.#version)],
          puts: [...this.#puts(), loose.put([this.#chunks], { bytes, at: clock.now() })],
          deletes: [],
        },
      });
      if (version !== undefined) return version;
      const found = await loose.get(this.#chunks);
      // The commit was made, and its reply was lost.
      if (found?.record.bytes === bytes) return found.version;
      return this.#requireOwn(found?.version);
    });
    this.#written = bytes;
    this.#length = 0;
  }

  /** The chunks of the blob that had the key before, or "". */
  async #writeLast(): Promise<string | undefined> {
    const { store, runtime: { clock } } = this.#deps;
    const [blobs, loose] = [blobCollection(store), looseCollection(store)];
    const id = [this.#key.workspaceId, this.#key.id];
    const old = await blobs.get(...id);
    const at = clock.now();
    const row = { chunks: this.#chunks, size: this.#written + this.#length, written_at: at };
    const version = await commitChunks(this.#deps, {
      added: this.#length,
      commit: {
        checks: [
          blobs.check(id, old?.version ?? null),
          loose.check([this.#chunks], this.#version),
        ],
        puts: [
          ...this.#puts(),
          blobs.put(id, row),
          ...(old ? [loose.put([old.record.chunks], { bytes: old.record.size, at })] : []),
        ],
        deletes: this.#version === null ? [] : [loose.key([this.#chunks])],
      },
    });
    // Where a check does not hold, the commit may have been made all the same, and its reply was lost.
    const isWritten = version !== undefined || (await blobs.get(...id))?.record.chunks === this.#chunks;
    if (isWritten) return old?.record.chunks ?? "";
    return this.#requireOwn((await loose.get(this.#chunks))?.version);
  }

  /** Throws where somebody has removed what was written, who took this writer for one that was cut off. */
  #requireOwn(version: string | undefined): undefined {
    if ((version ?? null) === this.#version) return undefined;
    throw new BlobError("Cannot write file: what was written of it was removed, because that took too long");
  }

  #puts(): readonly StorePut[] {
    const { store } = this.#deps;
    const rows = chunkCollection(store);
    const puts: StorePut[] = [];
    for (let offset = 0; offset < this.#length; offset += CHUNK_BYTES) {
      const bytes = this.#buffer.subarray(offset, Math.min(offset + CHUNK_BYTES, this.#length));
      puts.push(rows.put([this.#chunks, (this.#written + offset) / CHUNK_BYTES], bytes));
    }
    return puts;
  }
}
