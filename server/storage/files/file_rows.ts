/** Stored records of files. The bytes are blobs (server/storage/blobs). */

import * as z from "zod";
import { FILE_ID_PREFIX, fileOriginSchema } from "../../../shared/files.ts";
import { timestampSchema } from "../../../shared/keys.ts";
import type { BlobKey } from "../blobs/blob_store.ts";
import { Collection } from "../stores/collection.ts";
import type { Store, StoreKey } from "../stores/store.ts";

const fileRowSchema = z.object({
  /** That of the blob: 32 hexadecimal digits, later ones behind earlier ones. */
  id: z.string(),
  workspace_id: z.uuid(),
  /** Ledger id of the API key that made it; null: a management key did. */
  key_id: z.string().nullable(),
  filename: z.string(),
  mime_type: z.string(),
  /** Bytes. */
  size: z.int().nonnegative(),
  sha256: z.string(),
  origin: fileOriginSchema,
  /** Client's own word for the file's purpose; OpenAI's clients want it back. */
  purpose: z.string().nullable(),
  created_at: timestampSchema,
});
export type FileRow = z.infer<typeof fileRowSchema>;

/** By workspace and id, and thus in the order in which they were made. */
export function fileCollection(store: Store): Collection<typeof fileRowSchema> {
  return new Collection({ store, name: "files", schema: fileRowSchema });
}

const indexSchema = z.object({ workspace_id: z.uuid() });

/** Files of an API key, by its ledger id and theirs. */
export function filesByKey(store: Store): Collection<typeof indexSchema> {
  return new Collection({ store, name: "files_by_key", schema: indexSchema });
}

const usageSchema = z.object({
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  /** When the workspace was deleted. The row stays for a while, so that the retention job looks for what is left. */
  deleted_at: timestampSchema.optional(),
});
export type FileUsage = z.infer<typeof usageSchema>;

/**
 * Opens the collection of the bytes that the files of a workspace take up, by its id; written in the commits that
 * write the files. A row stands before the first blob does: blobs of workspaces without one belong to somebody else.
 */
export function fileUsage(store: Store): Collection<typeof usageSchema> {
  return new Collection({ store, name: "file_usage", schema: usageSchema });
}

/** Bytes as a record names them. */
export type StoredContent = Pick<FileRow, "workspace_id" | "id" | "size" | "sha256">;

export const blobKeyOf = (
  { workspace_id: workspaceId, id }: Pick<FileRow, "workspace_id" | "id">,
): BlobKey => ({
  workspaceId,
  id,
});

/** As clients know it. */
export const publicFileId = ({ id }: Pick<FileRow, "id">): string => FILE_ID_PREFIX + id;

/** A record and its index row, for the commit that deletes a file. */
export function fileDeletes(store: Store, row: FileRow): readonly StoreKey[] {
  const record = fileCollection(store).key([row.workspace_id, row.id]);
  return row.key_id === null ? [record] : [record, filesByKey(store).key([row.key_id, row.id])];
}
