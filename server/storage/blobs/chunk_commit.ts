/** Commits that change the chunks of blobs, and with them the count of their bytes. */

import { ApiError } from "../../../shared/errors.ts";
import { formatByteLimit } from "../../../shared/util/byte_size.ts";
import type { Runtime } from "../../runtime.ts";
import { pauseBefore } from "../stores/pause.ts";
import { type Store, type StoreCommit, StoreError } from "../stores/store.ts";
import { BlobError } from "./blob_store.ts";
import { ALL_BLOBS, blobUsage, CHUNK_BYTES, chunkCount, chunkKeys, looseCollection } from "./chunk_rows.ts";

export interface ChunkDeps {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "random" | "id">;
  /** Bytes of all blobs together. */
  readonly mostBytes: number;
}

/** With pauses of up to 250 ms these take several seconds. */
const TRIES = 50;
/** Chunks that one commit removes. */
const REMOVED_AT_ONCE = 200;

interface ChunkChange {
  /** Bytes of the chunks that come; below 0 where they go. */
  readonly added: number;
  readonly commit: Required<Pick<StoreCommit, "checks" | "puts" | "deletes">>;
}

/** The version that the commit has given; undefined where a check of it does not hold. Throws an ApiError (413). */
export async function commitChunks(
  { store, mostBytes }: ChunkDeps,
  { added, commit: { checks, puts, deletes } }: ChunkChange,
): Promise<string | undefined> {
  const usage = blobUsage(store);
  const found = await usage.get(...ALL_BLOBS);
  const bytes = Math.max(0, (found?.record.bytes ?? 0) + added);
  if (added > 0 && bytes > mostBytes) throw noRoom(mostBytes);
  const result = await store.commit({
    checks: [...checks, usage.check(ALL_BLOBS, found?.version ?? null)],
    puts: [...puts, usage.put(ALL_BLOBS, { bytes })],
    deletes,
    small: true,
  });
  return result.type === "ok" ? result.version : undefined;
}

const noRoom = (mostBytes: number) =>
  new ApiError(
    "too_large",
    `Cannot keep file: the files of all workspaces may take up ${
      formatByteLimit(mostBytes)
    } in this gateway's ` +
      "store. Delete some first.",
  );

/** Tries until something is found. Throws a BlobError where others write all the time. */
export async function retryCommit<T>(
  { runtime }: Pick<ChunkDeps, "runtime">,
  attempt: () => Promise<T | undefined>,
): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    await pauseBefore(tries, runtime);
    const found = await attempt();
    if (found !== undefined) return found;
  }
  throw new BlobError("Cannot change files: others write them all the time");
}

/**
 * Removes loose chunks, the last ones first. Harmless where there are none. A writer whose chunks they are finds its
 * row changed or gone, and writes no more.
 */
export async function removeChunks(deps: ChunkDeps, chunks: string): Promise<void> {
  const { store } = deps;
  const loose = looseCollection(store);
  for (let isGone = false; !isGone;) {
    isGone = await retryCommit(deps, async () => {
      const found = await loose.get(chunks);
      if (found === undefined) return true;
      const { bytes, at } = found.record;
      const end = chunkCount(bytes);
      const first = Math.max(0, end - REMOVED_AT_ONCE);
      const left = first * CHUNK_BYTES;
      const row = first === 0
        ? { puts: [], deletes: [loose.key([chunks])] }
        : { puts: [loose.put([chunks], { bytes: left, at })], deletes: [] };
      const version = await commitChunks(deps, {
        added: left - bytes,
        commit: {
          checks: [loose.check([chunks], found.version)],
          puts: row.puts,
          deletes: [...chunkKeys(store, { chunks, first, end }), ...row.deletes],
        },
      });
      return version === undefined ? undefined : first === 0;
    });
  }
}

/** Tells of a store that fails what it tells of every place for bytes. */
export async function withBlobErrors<T>(verb: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StoreError
      ? new BlobError(`Cannot ${verb} file: ${error.message}`, { cause: error })
      : error;
  }
}
