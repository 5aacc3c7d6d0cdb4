/** Puts together what keeps the bytes of files, and what looks after them. */

import type { BlobStore } from "../../storage/blobs/blob_store.ts";
import { openBlobs } from "../../storage/blobs/open_blobs.ts";
import type { Config } from "../../config/config.ts";
import { containerBlobIds } from "../../sandbox/containers/container_blobs.ts";
import { FileRetention } from "../../storage/files/file_retention.ts";
import { SharedFiles } from "../../storage/files/shared_files.ts";
import type { Runtime } from "../../runtime.ts";
import type { Store } from "../../storage/stores/store.ts";

interface FileParts {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly store: Store;
}

/** Where the bytes of files lie, and what tidies up there; undefined where no files are taken. */
export async function openFiles(
  { config, runtime, store }: FileParts,
): Promise<FileUpkeep | undefined> {
  const blobs = await openBlobs({ config, runtime, store });
  if (blobs === undefined) return undefined;
  const otherBlobs = (id: string) => containerBlobIds(store, id);
  const retention = new FileRetention({ store, blobs, runtime, otherBlobs });
  if (config.store === undefined || config.blobs === "store") return { blobs, retention };
  const shared = new SharedFiles({ store, blobs, runtime });
  await shared.start();
  return { blobs, retention, shared };
}

export interface FileUpkeep {
  readonly blobs: BlobStore;
  readonly retention: FileRetention;
  /** Where several gateways may share the store, and not the bytes. */
  readonly shared?: SharedFiles;
}

export async function closeFiles(
  { retention, shared }: Pick<FileUpkeep, "retention" | "shared">,
): Promise<void> {
  await Promise.all([retention.close(), shared?.close()]);
}
