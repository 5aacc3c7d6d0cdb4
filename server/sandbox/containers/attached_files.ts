/** Files of a workspace that are put into a container: which, and under which name. */

import { ApiError } from "../../../shared/errors.ts";
import { FILE_ID_PREFIX, isGatewayFileId } from "../../../shared/files.ts";
import type { FileRow } from "../../storage/files/file_rows.ts";
import type { FileStore } from "../../storage/files/file_store.ts";
import type { ContainerRequest } from "./containers.ts";
import { pathFault } from "./file_list.ts";

/** Characters of a file's id with which its name in the container begins. */
const ID_CHARS = 8;
/** Longest ending of a file name that is kept. */
const MAX_ENDING_CHARS = 16;

/** Throws an ApiError where one is not there. */
export async function findAttachedFiles(
  files: Pick<FileStore, "find">,
  { workspaceId, fileIds }: Pick<ContainerRequest, "workspaceId" | "fileIds">,
): Promise<readonly FileRow[]> {
  return await Promise.all(fileIds.map(async (id) => {
    const row = isGatewayFileId(id)
      ? await files.find(workspaceId, id.slice(FILE_ID_PREFIX.length))
      : undefined;
    if (row !== undefined) return row;
    throw new ApiError(
      "invalid_request",
      `There is no file ${JSON.stringify(id.slice(0, 80))} to attach.`,
      {
        metadata: { path: "file_ids" },
      },
    );
  }));
}

/** A file's name is cut in front of its ending where both together would be too long. */
export function attachedPath({ id, filename }: Pick<FileRow, "id" | "filename">): string {
  const name = `${id.slice(-ID_CHARS)}-${filename.replaceAll(/[/\\]/g, "_").normalize("NFC")}`;
  const dot = name.lastIndexOf(".");
  const ending = dot > 0 && name.length - dot <= MAX_ENDING_CHARS ? name.slice(dot) : "";
  let stem = name.slice(0, name.length - ending.length);
  while (pathFault(stem + ending) !== undefined) {
    stem = stem.slice(0, -1).toWellFormed().replace(/\uFFFD$/, "");
  }
  return stem + ending;
}
