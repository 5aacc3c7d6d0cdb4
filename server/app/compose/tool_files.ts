/** Puts together what the server tool `files` may do with the files of a workspace. */

import { ApiError } from "../../../shared/errors.ts";
import { FILE_ID_PREFIX, isGatewayFileId } from "../../../shared/files.ts";
import { throwStoreUnavailable } from "../../management/core/store_errors.ts";
import { workspaceCheck } from "../../management/files/file_scope.ts";
import { ledgerIdOf } from "../../management/keys/key_lineage.ts";
import { keyCollection } from "../../management/keys/key_rows.ts";
import type {
  FileOwner,
  NewFile,
  WorkspaceFile,
  WorkspaceFiles,
} from "../../pipeline/tools/files/workspace_files.ts";
import type { BlobStore } from "../../storage/blobs/blob_store.ts";
import { type FileRow, publicFileId } from "../../storage/files/file_rows.ts";
import type { FileStore } from "../../storage/files/file_store.ts";
import type { Store } from "../../storage/stores/store.ts";

export interface ToolFileParts {
  readonly store: Store;
  readonly files: FileStore;
  readonly blobs?: BlobStore;
}

/** Undefined where no files are taken. */
export function createToolFiles({ blobs, ...parts }: ToolFileParts): WorkspaceFiles | undefined {
  if (blobs === undefined) return undefined;
  const { files } = parts;
  return {
    list: (owner, most) => listRows(parts, { owner, most }).catch(throwStoreUnavailable),
    find: async (owner, id) => {
      const row = await findRow(parts, { owner, id }).catch(throwStoreUnavailable);
      return row && describeRow(row);
    },
    read: async (owner, id) => {
      const row = await findRow(parts, { owner, id }).catch(throwStoreUnavailable);
      if (row === undefined) throw new ApiError("not_found", "There is no file with this id.");
      const reading = Promise.try(async () => new Response(await files.open(row)).bytes());
      return await reading.catch(throwStoreUnavailable);
    },
    write: (owner, file) => writeFile(parts, { owner, file }).catch(throwStoreUnavailable),
  };
}

type Parts = Omit<ToolFileParts, "blobs">;

/** Ledger id of the caller's key, by which files know who has made them. */
async function keyIdOf({ store }: Parts, { keyHash }: FileOwner): Promise<string> {
  const key = (await keyCollection(store).get(keyHash))?.record;
  return key === undefined ? keyHash : ledgerIdOf(key);
}

interface OwnedId {
  readonly owner: FileOwner;
  readonly id: string;
}

async function findRow(parts: Parts, { owner, id }: OwnedId): Promise<FileRow | undefined> {
  if (!isGatewayFileId(id)) return undefined;
  const row = await parts.files.find(owner.workspaceId, id.slice(FILE_ID_PREFIX.length));
  return row?.key_id === await keyIdOf(parts, owner) ? row : undefined;
}

interface ListInput {
  readonly owner: FileOwner;
  readonly most: number;
}

async function listRows(parts: Parts, { owner, most }: ListInput): Promise<readonly WorkspaceFile[]> {
  const keyId = await keyIdOf(parts, owner);
  const { workspaceId } = owner;
  // A list has one more than its limit where there are more.
  const rows = await parts.files.list({ workspaceId, keyId, limit: most - 1, newestFirst: true });
  return rows.map(describeRow);
}

interface WriteInput {
  readonly owner: FileOwner;
  readonly file: NewFile;
}

async function writeFile(
  parts: Parts,
  { owner, file: { filename, bytes } }: WriteInput,
): Promise<WorkspaceFile> {
  const { store, files } = parts;
  const { workspaceId } = owner;
  const check = () => workspaceCheck(store, workspaceId);
  await files.prepare(workspaceId, check);
  const keyId = await keyIdOf(parts, owner);
  const written = await files.writeContent(workspaceId, oneChunk(bytes));
  return describeRow(await files.commit(written, { keyId, filename, origin: "tool", workspaceCheck: check }));
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

const describeRow = (row: FileRow): WorkspaceFile => ({
  id: publicFileId(row),
  filename: row.filename,
  mimeType: row.mime_type,
  size: row.size,
  createdAt: row.created_at,
});
