/** The bytes of a file in a container, on their way to a process, to a tool or to a client. */

import { ApiError } from "../../../shared/errors.ts";
import type { ByteRange } from "../../storage/blobs/blob_store.ts";
import type { FileStore } from "../../storage/files/file_store.ts";
import { DamagedContent } from "../../storage/files/verified_content.ts";
import type { ListedEntry } from "./file_list.ts";

type ListedFile = Extract<ListedEntry, { type: "file" }>;

interface StoredFile {
  readonly workspaceId: string;
  readonly file: Pick<ListedFile, "blob" | "size" | "sha256">;
  readonly range?: ByteRange;
}

/**
 * Whole or a part of them. Throws an ApiError (404) where they are gone; read whole, the stream breaks with
 * `DamagedContent` where they are not those that were stored.
 */
export async function openStored(
  files: Pick<FileStore, "open">,
  { workspaceId, file: { blob, size, sha256 }, range }: StoredFile,
): Promise<ReadableStream<Uint8Array>> {
  if (blob === null) return new Blob([]).stream();
  return await files.open({ workspace_id: workspaceId, id: blob, size, sha256 }, range);
}

/** All of them; a string says what is wrong with them: they are `gone` or `damaged`. */
export async function readStored(
  files: Pick<FileStore, "open">,
  stored: StoredFile,
): Promise<Uint8Array<ArrayBuffer> | "gone" | "damaged"> {
  try {
    return await new Response(await openStored(files, stored)).bytes();
  } catch (error) {
    if (error instanceof DamagedContent) return "damaged";
    if (error instanceof ApiError && error.kind === "not_found") return "gone";
    throw error;
  }
}

/** The same for bytes that are there. */
export async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  await Promise.resolve();
}
