/**
 * Records of blobs that lie in the store itself: the bytes in chunks, and a row that names the chunks once all of them
 * are there. Chunks that no blob has are loose: those of a write that is under way or was cut off, and those that a
 * deletion has still to remove.
 */

import * as z from "zod";
import { Collection } from "../stores/collection.ts";
import type { Store, StoreKey } from "../stores/store.ts";

/** Bytes of each chunk but the last: as many as Deno KV keeps in one value. Stored blobs rest on this number. */
export const CHUNK_BYTES = 60_000;
/** Chunks that are written or read at a time, well below the 810,000 bytes of a commit. */
const GROUP_CHUNKS = 8;
export const GROUP_BYTES = GROUP_CHUNKS * CHUNK_BYTES;

const blobRowSchema = z.object({
  /** Names the chunks: 32 hexadecimal digits. */
  chunks: z.string(),
  /** Bytes. */
  size: z.int().nonnegative(),
  /** Milliseconds since the epoch. */
  written_at: z.int(),
});
export type BlobRow = z.infer<typeof blobRowSchema>;

/** By workspace and id. */
export function blobCollection(store: Store): Collection<typeof blobRowSchema> {
  return new Collection({ store, name: "blobs", schema: blobRowSchema });
}

/** By the name of the chunks and their position. */
export function chunkCollection(store: Store) {
  return new Collection({ store, name: "blob_chunks", schema: z.instanceof(Uint8Array) });
}

const looseSchema = z.object({
  /** Sum of all the chunks, from the first one on. */
  bytes: z.int().nonnegative(),
  /** When they were last written, or lost their blob. Milliseconds since the epoch. */
  at: z.int(),
});

/** By the name of the chunks. Written in the commits that write or remove the chunks. */
export function looseCollection(store: Store): Collection<typeof looseSchema> {
  return new Collection({ store, name: "loose_chunks", schema: looseSchema });
}

const usageSchema = z.object({
  /** Sum of all chunks, loose ones too. */
  bytes: z.int().nonnegative(),
});

/** One row; written in the commits that write or remove chunks. */
export function blobUsage(store: Store): Collection<typeof usageSchema> {
  return new Collection({ store, name: "blob_usage", schema: usageSchema });
}
export const ALL_BLOBS: StoreKey = ["all"];

/** How many chunks so many bytes are. */
export const chunkCount = (bytes: number): number => Math.ceil(bytes / CHUNK_BYTES);

interface ChunkRange {
  /** Position of the first one. */
  readonly first: number;
  /** Position behind the last one. */
  readonly end: number;
}

export function chunkKeys(store: Store, { chunks, first, end }: ChunkRange & Pick<BlobRow, "chunks">) {
  const rows = chunkCollection(store);
  return Array.from({ length: Math.max(0, end - first) }, (_, at) => rows.key([chunks, first + at]));
}
