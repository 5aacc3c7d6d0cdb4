/** Puts together what searches the files of workspaces. */

import { FILE_ID_PREFIX, isGatewayFileId } from "../../../shared/files.ts";
import { ApiError } from "../../../shared/errors.ts";
import { FileSearcher, searchLimits } from "../../pipeline/tools/file_search/file_searcher.ts";
import type { WorkspaceFile, WorkspaceFiles } from "../../pipeline/tools/file_search/workspace_files.ts";
import type { Runtime } from "../../runtime.ts";
import { type Keeper, unavailableKeeper } from "../../sandbox/keeper/keeper.ts";
import type { BlobStore } from "../../storage/blobs/blob_store.ts";
import { FileIndexes } from "../../storage/files/file_indexes.ts";
import { type FileRow, publicFileId } from "../../storage/files/file_rows.ts";
import type { FileStore } from "../../storage/files/file_store.ts";
import type { Store } from "../../storage/stores/store.ts";
import { throwStoreUnavailable } from "../../management/core/store_errors.ts";
import { createIndexer } from "../../web/file_index/indexer.ts";
import type { Reader } from "../../web/reader/reader.ts";

export interface FileSearchParts {
  readonly store: Store;
  readonly blobs?: BlobStore;
  readonly files: FileStore;
  readonly runtime: Pick<Runtime, "clock" | "log">;
  readonly keeper?: Keeper;
  readonly readDocument: Reader;
}

/** Undefined where there is no place for files. */
export function createFileSearcher(parts: FileSearchParts): FileSearcher | undefined {
  const { blobs, runtime: { clock, log }, readDocument, keeper } = parts;
  if (blobs === undefined) return undefined;
  const index = createIndexer({ keeper: keeper ?? unavailableKeeper("This gateway runs without a keeper.") });
  const files = workspaceFiles({ ...parts, blobs });
  return new FileSearcher({ files, read: readDocument, index, clock, log, limits: searchLimits });
}

/** Every key of a workspace may use all of its files, as in requests. */
function workspaceFiles(
  { store, blobs, files, runtime: { log } }: FileSearchParts & { readonly blobs: BlobStore },
): WorkspaceFiles {
  const indexes = new FileIndexes({ store, blobs });
  return {
    find: async (workspaceId, id) => {
      if (!isGatewayFileId(id)) return undefined;
      const row = await files.find(workspaceId, id.slice(FILE_ID_PREFIX.length)).catch(throwStoreUnavailable);
      return row && workspaceFile(row);
    },
    list: async (workspaceId, most) =>
      (await files.newest(workspaceId, most).catch(throwStoreUnavailable)).map(workspaceFile),
    open: async (file) => {
      const row = await rowOf(files, file);
      return row && await files.open(row).catch(asGone);
    },
    openIndex: (file) => indexes.open(keyOf(file)),
    keepIndex: (file, content) =>
      indexes.keep(keyOf(file), content).catch((error: unknown) => {
        log.warn("Index of a file not kept", {
          workspace: file.workspaceId,
          file: file.id,
          error: String(error),
        });
      }),
  };
}

/** Bytes that are gone are those of a file that was deleted, or that no search can mend. */
function asGone(error: unknown): undefined {
  if (error instanceof ApiError && error.kind === "not_found") return undefined;
  throw error;
}

const keyOf = ({ workspaceId, id }: WorkspaceFile): Pick<FileRow, "workspace_id" | "id"> => ({
  workspace_id: workspaceId,
  id: id.slice(FILE_ID_PREFIX.length),
});

const rowOf = (files: FileStore, file: WorkspaceFile): Promise<FileRow | undefined> =>
  files.find(file.workspaceId, keyOf(file).id);

const workspaceFile = (row: FileRow): WorkspaceFile => ({
  workspaceId: row.workspace_id,
  id: publicFileId(row),
  filename: row.filename,
  mimeType: row.mime_type,
  size: row.size,
  createdAt: Date.parse(row.created_at),
  origin: row.origin,
  purpose: row.purpose,
});
