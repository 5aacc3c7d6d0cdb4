/** Puts together what managers see of the installation: its settings, its store and its data folder. */

import { statfs } from "node:fs/promises";
import type { BackupSource } from "../../../management/settings/backup_source.ts";
import { openBackupDownload } from "../../../storage/stores/embedded/backup_download.ts";
import type { InstallationSource } from "../../../management/settings/installation_source.ts";
import { redact } from "../../../logger.ts";
import { storeFilePath } from "../../../storage/stores/store_location.ts";
import { displayAddress } from "../../../storage/stores/postgres/postgres_errors.ts";
import type { CompositionParts } from "../../composition_parts.ts";

/** Files that are looked at, at most: a folder with more is not counted. */
const MOST_FILES = 100_000;

/** Composes the operations on the installation itself: its settings, and its backup. */
export function createInstallation({ config, runtime: { clock } }: CompositionParts) {
  const { store, deploy, dataFolder: folder } = config;
  const elsewhere = store !== undefined
    ? "The store is PostgreSQL: back it up by `deno task backup` on a machine that reaches it, or by pg_dump."
    : deploy
    ? "The platform keeps the assigned KV database: use its own backups."
    : undefined;
  const backup: BackupSource = { elsewhere, open: () => openBackupDownload({ folder, clock }) };
  return { installation: createInstallationSource({ config }), backup };
}

export function createInstallationSource(
  { config }: Pick<CompositionParts, "config">,
): InstallationSource {
  const { settings, store, deploy, dataFolder } = config;
  // The last look: whatever a setting holds, nothing that looks like a key goes out.
  const shown = settings.map(({ name, value, source, ...setting }) => ({
    ...setting,
    name: redact(name),
    value: typeof value === "string" ? redact(value) : value,
    source: { ...source, name: source.name && redact(source.name) },
  }));
  return {
    settings: () => shown,
    storeKind: store !== undefined ? "postgres" : deploy ? "assigned" : "embedded",
    storeAddress: addressOf(config),
    dataFolder: deploy ? undefined : redact(dataFolder),
    readRoom: async () => ({ bytes: await bytesIn(dataFolder), freeBytes: await freeBytesAt(dataFolder) }),
  };
}

/** The database without its user, or the file. */
function addressOf({ store, deploy, dataFolder }: CompositionParts["config"]): string | undefined {
  if (store !== undefined) return redact(displayAddress({ ...store, user: "" }).slice(1));
  return deploy ? undefined : redact(storeFilePath(dataFolder));
}

async function freeBytesAt(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    // The process may not ask, or there is no such folder yet.
    return undefined;
  }
}

async function bytesIn(folder: string): Promise<number | undefined> {
  try {
    let [bytes, left] = [0, MOST_FILES];
    const folders = [folder];
    for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
      for await (const { name, isDirectory, isFile } of Deno.readDir(at)) {
        if (left-- <= 0) return undefined;
        if (isDirectory) folders.push(`${at}/${name}`);
        if (isFile) bytes += (await Deno.stat(`${at}/${name}`)).size;
      }
    }
    return bytes;
  } catch {
    // A file went meanwhile, or the folder may not be read.
    return undefined;
  }
}
