/** `GET /files/search`: files of one or of all workspaces by their names, for managers. */

import type { fileApi, FoundFile } from "../../../shared/management/files.ts";
import { DEFAULT_PAGE_SIZE, type OperationOutput } from "../../../shared/management/operation.ts";
import { ApiError } from "../../../shared/errors.ts";
import { FILE_ID_PREFIX, isGatewayFileId } from "../../../shared/files.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { type FileRow, publicFileId } from "../../storage/files/file_rows.ts";
import { searchFiles, workspacesWithFiles } from "../../storage/files/search_files.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationInput } from "../core/operation.ts";
import { fileScope } from "./file_scope.ts";

type Api = typeof fileApi["files.search"];

export async function findFiles(
  { store, pause }: Pick<ManagementDeps, "store" | "pause">,
  input: OperationInput<Api>,
): Promise<OperationOutput<Api>> {
  const { workspace_id: of, q = "", cursor, limit = DEFAULT_PAGE_SIZE } = input.query;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const workspaceIds = of === undefined
    ? await workspacesWithFiles(store)
    : [(await fileScope(store, { ...input, verb: "search files" })).workspaceId];
  const { rows, last } = await searchFiles(store, {
    workspaceIds,
    after: cursorId(cursor),
    test: ({ filename }) => words.every((word) => filename.toLowerCase().includes(word)),
    limit,
    pause,
  });
  return {
    data: rows.map(serializeFound),
    next: last === undefined ? null : publicFileId(last),
    scanned_until: last?.created_at ?? null,
  };
}

/** Throws an ApiError (400) for what is no `next` of a page. */
function cursorId(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  if (isGatewayFileId(cursor)) return cursor.slice(FILE_ID_PREFIX.length);
  const message = `Cannot search files: cursor is ${
    formatValue(cursor)
  }; allowed is the next of another page`;
  throw new ApiError("invalid_request", message, { metadata: { path: "cursor" } });
}

function serializeFound(row: FileRow): FoundFile {
  const { workspace_id, filename, mime_type, size, created_at, origin } = row;
  const id = publicFileId(row);
  const downloadable = origin !== "upload";
  return { id, workspace_id, filename, mime_type, size_bytes: size, created_at, downloadable };
}
