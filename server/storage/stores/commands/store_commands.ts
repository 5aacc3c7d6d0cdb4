/** The operator's commands on a store: backup while it serves; restore and compact when it does not. */

import { dirname } from "node:path";
import type { Clock } from "../../../runtime.ts";
import { backupEmbedded, compactEmbedded, requireStore, restoreEmbedded } from "../embedded/backup.ts";
import { backupDatabase, compactDatabase, restoreDatabase } from "../postgres/backup.ts";
import { checkBackup, type StoreCheck } from "./check_store.ts";
import { migrations, schemasOf } from "../migrations.ts";
import { sharedMirrorPath } from "../postgres/open_postgres.ts";
import { fileTimestamp, type StoreLocation } from "../store_location.ts";
import { displayAddress } from "../postgres/postgres_errors.ts";
import type { StoreReport } from "./store_report.ts";
import { systemReason } from "../../../../shared/util/system_reason.ts";
import { readIdentityMirror, writeIdentityMirror } from "../store_identity.ts";
import { StoreError } from "../store.ts";

/** Said with every backup. */
const NO_MASTER_KEY = "It does not contain the master key (TOLLGATE_MASTER_KEY): keep that one elsewhere, " +
  "stored provider keys cannot be read without it.";

interface BackupStoreOptions {
  /** Tells whether what was copied is sound. */
  readonly check?: StoreCheck;
  /** Where to; a name with the time in the folder `backups` of the data folder, by default. */
  readonly file?: string;
  readonly clock: Clock;
}

/** A name with the time in the data folder, which is the operator's own whatever folder the command runs in. */
async function defaultTarget({ type, folder }: StoreLocation, clock: Clock): Promise<string> {
  const backups = `${folder}/backups`;
  try {
    await Deno.mkdir(backups, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw failure(`Cannot make ${backups}`, cause);
  }
  return `${backups}/tollgate-${fileTimestamp(clock.now())}.${type === "embedded" ? "sqlite3" : "jsonl"}`;
}

/**
 * Writes a consistent copy and says where. Throws a StoreError; `corrupt` where the copy was made of a store whose
 * books are damaged.
 */
export async function backupStore(
  place: StoreLocation,
  { file, clock, check }: BackupStoreOptions,
): Promise<StoreReport> {
  if (file === undefined && place.type === "embedded") requireStore(place.folder, "back up");
  const target = file ?? await defaultTarget(place, clock);
  const part = `${target}.part`;
  await assertFree(target);
  if (place.type === "embedded") requireStore(place.folder, "back up");
  await assertFolder(target);
  try {
    await removed(part);
    if (place.type === "embedded") await backupEmbedded(place.folder, part);
    else await backupDatabase(place.address, { target: part, made: new Date(clock.now()).toISOString() });
    await Deno.chmod(part, 0o600);
    await Deno.rename(part, target);
  } catch (cause) {
    await removed(part);
    throw failure(`Cannot back up to ${target}`, cause);
  }
  const { size } = await Deno.stat(target);
  const noFiles = place.filesAt === undefined
    ? ""
    : ` Nor does it contain the content of files: copy ${place.filesAt} too.`;
  const words = `The backup is ${target} (${size} bytes). ${NO_MASTER_KEY}${noFiles}`;
  const fields = { file: target, bytes: size, files_at: place.filesAt ?? null };
  if (check === undefined) return { text: words, fields: { ...fields, read_again: false } };
  const { troubles, read } = await checkBackup(place, { file: target, check, clock });
  if (troubles.length === 0) {
    return { text: `${words} It was read again: ${read}.`, fields: { ...fields, read_again: true } };
  }
  throw new StoreError("corrupt", `${words} But what it is a copy of is damaged: ${troubles.join("; ")}.`);
}

interface RestoreStoreOptions {
  readonly file: string;
  /** Said with `--yes`: a shared store that is not empty may be replaced. */
  readonly yes: boolean;
  readonly clock: Clock;
}

/** Puts a backup in the store's place and says what became of the old content. Throws a StoreError. */
export async function restoreStore(
  place: StoreLocation,
  { file, yes, clock }: RestoreStoreOptions,
): Promise<StoreReport> {
  if (place.type === "embedded") {
    const kept = await restoreEmbedded(place.folder, { file, clock, schemas: schemasOf(migrations) });
    const before = kept === undefined ? "There was none before." : `What was there before is ${kept}.`;
    return { text: `The store is the one of ${file}. ${before}`, fields: { file, kept: kept ?? null } };
  }
  try {
    await Deno.stat(file);
    const mirror = sharedMirrorPath(place.folder);
    const mirrored = readIdentityMirror(mirror);
    const wanted = { file, replace: yes, schemas: schemasOf(migrations), mirrored };
    const { records, mark } = await restoreDatabase(place.address, wanted);
    writeIdentityMirror(mirror, mark);
    const text = `The store at ${displayAddress(place.address)} has the ${records} records of ${file}.`;
    return { text, fields: { file, records } };
  } catch (cause) {
    throw failure(`Cannot restore ${file}`, cause);
  }
}

/** Gives the room of deleted records back to the disk and says how much. Throws a StoreError. */
export async function compactStore(place: StoreLocation): Promise<StoreReport> {
  const { before, after } = place.type === "embedded"
    ? compactEmbedded(place.folder)
    : await compactDatabase(place.address);
  const fields = { bytes_before: before, bytes_after: after };
  return { text: `The store had ${before} bytes and has ${after}.`, fields };
}

async function assertFree(target: string): Promise<void> {
  try {
    await Deno.lstat(target);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return;
    throw failure(`Cannot look at ${target}`, cause);
  }
  throw new StoreError("invalid", `Cannot back up to ${target}: it is there already`);
}

/** A copy is put into a folder that is there: a new one would hide a slip of the hand. */
async function assertFolder(target: string): Promise<void> {
  const folder = dirname(target);
  try {
    if ((await Deno.stat(folder)).isDirectory) return;
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) {
      throw new StoreError("invalid", `Cannot back up to ${target}: there is no folder ${folder}`, { cause });
    }
    throw failure(`Cannot back up to ${target}`, cause);
  }
  throw new StoreError("invalid", `Cannot back up to ${target}: ${folder} is no folder`);
}

async function removed(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw failure(`Cannot remove ${path}`, cause);
  }
}

/** A StoreError that says what was being done; a store that is in use speaks for itself. */
function failure(what: string, cause: unknown): StoreError {
  if (cause instanceof StoreError && (cause.kind === "in_use" || cause.message.startsWith("Cannot"))) {
    return cause;
  }
  const kind = cause instanceof StoreError ? cause.kind : "unavailable";
  return new StoreError(kind, `${what}: ${systemReason(cause)}`, { cause });
}
