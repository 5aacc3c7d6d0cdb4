/** The servers that files are sent to, and what happens to files between measurements. */

import { FILE_ID_PREFIX } from "../../shared/files.ts";
import { fileCollection } from "../../server/storage/files/file_rows.ts";
import { createLogger } from "../../server/logger.ts";
import { INSTALLATION_ID, installationCollection } from "../../server/management/core/installation.ts";
import { createClock, createRuntime } from "../../server/runtime.ts";
import { openEmbedded } from "../../server/storage/stores/embedded/open_embedded.ts";
import { benchGateway, fileHeaders } from "./gateway.ts";
import { ALL_OPEN, type DownloadsJob, type FilesResult, filesResult, type UploadsJob } from "./job.ts";
import { runScript, type Server } from "./process.ts";

export const MIB = 1024 * 1024;

type Target = "port" | "headers";
export type UploadsInput = Omit<UploadsJob, Target | "kind">;
export type DownloadsInput = Omit<DownloadsJob, Target | "kind">;

interface LoadOptions {
  /** Called once all connections are open. */
  readonly onOpen?: () => void;
}

async function loadFiles(
  { port }: Server,
  job: Omit<UploadsJob, Target> | Omit<DownloadsJob, Target>,
  { onOpen = () => {} }: LoadOptions,
): Promise<FilesResult> {
  const onLine = (line: string) => {
    if (line === ALL_OPEN) onOpen();
  };
  const args = [JSON.stringify({ ...job, port, headers: fileHeaders })];
  return filesResult.parse(await runScript("files_load.ts", args, { onLine }));
}

/** Sends files and keeps them. */
export const uploadKept = (
  server: Server,
  job: UploadsInput,
  options: LoadOptions = {},
): Promise<FilesResult> => loadFiles(server, { kind: "uploads", ...job }, options);

/** Sends files, and deletes them once all have arrived: nothing may fill up. */
export async function upload(
  server: Server,
  job: UploadsInput,
  options: LoadOptions = {},
): Promise<FilesResult> {
  const result = await uploadKept(server, job, options);
  for (const id of result.ids) await deleteFile(server, id);
  return result;
}

export const download = (server: Server, job: DownloadsInput): Promise<FilesResult> =>
  loadFiles(server, { kind: "downloads", ...job }, {});

async function deleteFile({ port }: Server, id: string): Promise<void> {
  const url = `http://127.0.0.1:${port}/v1/files/${id}`;
  const answer = await fetch(url, { method: "DELETE", headers: fileHeaders });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Cannot delete file: the answer was ${answer.status}: ${text}`);
}

/** The id of the one text that a server was sent. Throws when it did not take it. */
export async function uploadedId(server: Server, bytes: number): Promise<string> {
  const { ids: [id] } = await uploadKept(server, { count: 1, bytes, content: "text" });
  if (id === undefined) throw new Error("Cannot measure files: the first upload failed");
  return id;
}

/** Place of a gateway for benchGateway. */
export interface GatewayPlace {
  /** Port. */
  readonly upstream: number;
  readonly folder: string;
}

/**
 * Stores a file in a new gateway's folder and returns its id. Clients may download only what a tool has made, so the
 * gateway is stopped and its record changed to that.
 */
export async function storeDownload({ upstream, folder }: GatewayPlace, bytes: number): Promise<string> {
  const gateway = await benchGateway(upstream, folder);
  const id = await uploadedId(gateway, bytes).finally(() => gateway.stop());
  await markAsMade(`${folder}/data`, id.slice(FILE_ID_PREFIX.length));
  return id;
}

async function markAsMade(folder: string, id: string): Promise<void> {
  const clock = createClock();
  const log = createLogger({ level: "error", format: "json", now: clock.now, write: console.error });
  const store = await openEmbedded(folder, { runtime: createRuntime(log) });
  try {
    const installed = await installationCollection(store).get(INSTALLATION_ID);
    const workspaceId = installed?.record.workspace_id ?? "";
    const rows = fileCollection(store);
    const found = await rows.get(workspaceId, id);
    if (found === undefined) throw new Error("Cannot measure downloads: the store has no record of the file");
    const row = { ...found.record, origin: "tool" } as const;
    await store.commit({ puts: [rows.put([workspaceId, id], row)], small: true });
  } finally {
    await store.close();
  }
}
