/** A backup of the embedded store to be sent away: a copy in the data folder that goes with its stream. */

import type { Clock } from "../../../runtime.ts";
import { systemReason } from "../../../../shared/util/system_reason.ts";
import { copyInThread } from "../copy_thread/copy_in_thread.ts";
import { fileTimestamp } from "../store_location.ts";
import { StoreError } from "../store.ts";
import { removeAll, requireStore } from "./backup.ts";
import { makePrivate } from "./private_file.ts";

/** Copies to be sent; what a gateway that died has left of them is removed with the next one. */
const NAME = /^download-\d{8}-\d{6}\.sqlite3/;

interface BackupDownloadOptions {
  /** The data folder. */
  readonly folder: string;
  readonly clock: Pick<Clock, "now">;
}

/** The content of a copy that is made now. Throws a StoreError. */
export async function openBackupDownload(
  { folder, clock }: BackupDownloadOptions,
): Promise<ReadableStream<Uint8Array>> {
  const from = requireStore(folder, "back up");
  const backups = `${folder}/backups`;
  const to = `${backups}/download-${fileTimestamp(clock.now())}.sqlite3`;
  try {
    await Deno.mkdir(backups, { recursive: true, mode: 0o700 });
    await removeLeftDownloads(backups);
    makePrivate(to);
    await copyInThread({ folder, from, to });
    return removedAtEnd(await Deno.open(to), () => removeAll(to));
  } catch (cause) {
    removeAll(to);
    if (cause instanceof StoreError) throw cause;
    throw new StoreError("unavailable", `Cannot back up ${from}: ${systemReason(cause)}`, { cause });
  }
}

async function removeLeftDownloads(backups: string): Promise<void> {
  for await (const { name } of Deno.readDir(backups)) {
    if (NAME.test(name)) await Deno.remove(`${backups}/${name}`);
  }
}

/** The file's content; at its end, and when nobody wants more of it, the file goes. */
function removedAtEnd(file: Deno.FsFile, remove: () => void): ReadableStream<Uint8Array> {
  const reader = file.readable.getReader();
  return new ReadableStream({
    pull: async (controller) => {
      const { value, done } = await reader.read();
      if (!done) return controller.enqueue(value);
      remove();
      controller.close();
    },
    cancel: async () => {
      await reader.cancel();
      remove();
    },
  }, { highWaterMark: 0 });
}
