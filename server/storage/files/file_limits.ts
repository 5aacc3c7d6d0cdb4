/** How large files may be, one by one and all together. */

import { ApiError } from "../../../shared/errors.ts";
import type { FileUsage } from "./file_rows.ts";

/** Files that a workspace may have. */
export const MAX_FILES = 100_000;

export interface FileLimits {
  /** Bytes of one file. */
  readonly maxFileBytes: number;
  /** Bytes of all files of a workspace. */
  readonly workspaceFileBytes: number;
}

const MIB = 1024 * 1024;
const inMib = (bytes: number) => `${Math.round(bytes / MIB * 10) / 10} MiB`;

/** Throws an ApiError (413) as soon as there is more. */
export async function* upTo(most: number, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const bytes of content) {
    size += bytes.length;
    if (size > most) {
      throw new ApiError(
        "too_large",
        `Cannot upload file: it is larger than ${inMib(most)}, the most that is allowed.`,
        {
          metadata: { path: "file" },
        },
      );
    }
    yield bytes;
  }
}

interface NeededRoom {
  readonly bytes: number;
  readonly limits: FileLimits;
}

export function requireRoom(used: FileUsage, { bytes, limits: { workspaceFileBytes } }: NeededRoom): void {
  if (used.files >= MAX_FILES) {
    throw new ApiError(
      "too_large",
      `Cannot upload file: the workspace has ${used.files} files, and ${MAX_FILES} are allowed. Delete some first.`,
    );
  }
  if (used.bytes + bytes <= workspaceFileBytes) return;
  throw new ApiError(
    "too_large",
    `Cannot upload file: the files of the workspace take up ${inMib(used.bytes)}, and ` +
      `${inMib(workspaceFileBytes)} are allowed. Delete some first.`,
  );
}
