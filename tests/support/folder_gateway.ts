/** A gateway whose files lie in a folder, which is looked into. */

import { FolderBlobStore } from "../../server/storage/blobs/folder_blob_store.ts";
import { workspaceCheck } from "../../server/management/files/file_scope.ts";
import { defaultWorkspaceId } from "../../server/management/workspaces/default_workspace.ts";
import { blobPath } from "../../server/storage/blobs/blob_store.ts";
import { blobKeyOf, type FileRow } from "../../server/storage/files/file_rows.ts";
import { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";

export interface FolderGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  /** Where the bytes of a file lie. */
  readonly pathOf: (row: FileRow) => string;
  /** Names of unfinished blobs. */
  readonly unfinished: () => Promise<readonly string[]>;
}

export async function startFolderGateway(
  options: Omit<GatewayOptions, "blobs"> = {},
): Promise<FolderGateway> {
  const folder = await Deno.makeTempDir();
  const gateway = await startGateway({ ...options, blobs: new FolderBlobStore(folder) });
  return {
    gateway,
    pathOf: (row) => `${folder}/${blobPath(blobKeyOf(row))}`,
    unfinished: () => namesIn(`${folder}/tmp`),
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** None where there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** A file of a server tool in the default workspace. */
export async function makeToolFile(
  { files, store }: Pick<Gateway, "files" | "store">,
  content: Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array>,
  { filename = "made.bin", workspaceId: of }: {
    readonly filename?: string;
    /** The default workspace unless it is named. */
    readonly workspaceId?: string;
  } = {},
): Promise<FileRow> {
  const workspaceId = of ?? await defaultWorkspaceId(store);
  if (workspaceId === undefined) throw new Error("Cannot make file: there is no default workspace");
  const chunks = content instanceof Uint8Array ? new Blob([content]).stream() : content;
  const written = await files.writeContent(workspaceId, chunks, { anyType: true });
  return await files.commit(written, {
    keyId: null,
    filename,
    origin: "tool",
    workspaceCheck: () => workspaceCheck(store, workspaceId),
  });
}
