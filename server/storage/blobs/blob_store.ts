/**
 * Where the bytes of files lie: in the data folder, in an S3 bucket or in the store, one blob for each file. A blob is
 * written once and never changed, and belongs to one workspace: no content is shared, so that no workspace learns what
 * another one has, and so that deleting needs no counting.
 */

/** Names a blob. Both parts are the gateway's own words, never a caller's. */
export interface BlobKey {
  /** UUID. */
  readonly workspaceId: string;
  /** 32 hexadecimal digits that name no other blob. */
  readonly id: string;
}

export interface StoredBlob extends BlobKey {
  /** Bytes. */
  readonly size: number;
  /** Digest of the content, as hexadecimal digits. */
  readonly sha256: string;
}

export interface ListedBlob extends BlobKey {
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** Part of a blob, in bytes. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export interface BlobStore {
  /** Where the bytes are, for an operator. */
  readonly location: string;
  /**
   * Keeps what comes, so that it outlasts a crash once the promise resolves. Rejects with what `content` throws, and
   * keeps nothing then. Throws a BlobError where the bytes cannot be kept, an ApiError (413) where there is no room.
   */
  put(key: BlobKey, content: AsyncIterable<Uint8Array>): Promise<StoredBlob>;
  /** The bytes, whole or a part of them that lies within; undefined where there is no such blob. */
  open(key: BlobKey, range?: ByteRange): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Harmless where there is none. */
  delete(key: BlobKey): Promise<void>;
  /** Lists the blobs of one workspace or all; those of one workspace stand together. */
  list(workspaceId?: string): AsyncIterable<ListedBlob>;
  /** So long after it was last heard of, a writer was cut off. Milliseconds. */
  readonly unfinishedMs: number;
  /** Removes what writers that were cut off before `before` (ms since the epoch) have left, and counts it. */
  removeUnfinished(before: number): Promise<number>;
}

/** The place of the bytes cannot be read or written. */
export class BlobError extends Error {
  override readonly name = "BlobError";
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const hexId = /^[\da-f]{32}$/;

/** `<workspace>/<last 2 characters>/<id>`. Throws where a part is not what it must be, as it becomes a path. */
export function blobPath({ workspaceId, id }: BlobKey): string {
  if (!uuid.test(workspaceId) || !hexId.test(id)) throw new Error("Cannot name blob: its key is malformed");
  return `${workspaceId}/${id.slice(-2)}/${id}`;
}

/** The key that {@link blobPath} makes a path of; undefined for any other path. */
export function parseBlobPath(path: string): BlobKey | undefined {
  const [workspaceId = "", end, id = "", more] = path.split("/");
  const isBlob = more === undefined && uuid.test(workspaceId) && hexId.test(id) && end === id.slice(-2);
  return isBlob ? { workspaceId, id } : undefined;
}
