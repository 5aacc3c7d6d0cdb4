/** Backup, restore and compact of the embedded store: SQLite's own means, on its file. */

import { backup, DatabaseSync } from "node:sqlite";
import { lockFolder, makeFolder } from "./folder_lock.ts";
import { denoKvStore } from "./deno_kv_store.ts";
import type { Clock } from "../../../runtime.ts";
import { fileTimestamp, storeFilePath } from "../store_location.ts";
import { COMPANIONS, makePrivate } from "./private_file.ts";
import { systemReason } from "../../../../shared/util/system_reason.ts";
import { latestVersionOf, raiseVersion } from "./kv_version.ts";
import {
  assertSchema,
  identityMirrorPath,
  readIdentity,
  readIdentityMirror,
  RESTORE_STEP,
  type Schemas,
  type StoreIdentity,
  writeIdentityMirror,
} from "../store_identity.ts";
import { rewriteSqlite } from "./rewrite_sqlite.ts";
import { StoreError, type StoreErrorKind } from "../store.ts";

/** The path of the folder's store. Throws a StoreError where there is none to do that with. */
export function requireStore(folder: string, verb: string): string {
  const path = storeFilePath(folder);
  if (exists(path)) return path;
  throw new StoreError("unavailable", `Cannot ${verb}: there is no store at ${path}`);
}

/** A consistent copy of the store, also while a gateway serves from it. Throws a StoreError. */
export async function backupEmbedded(folder: string, target: string): Promise<void> {
  const path = requireStore(folder, "back up");
  const source = openDatabase(path, true);
  try {
    makePrivate(target);
    await backup(source, target);
    assertSound(target);
  } catch (cause) {
    throw asFailure(`Cannot back up ${path} to ${target}`, cause);
  } finally {
    source.close();
  }
}

/** Copies the embedded store before it changes; the name of the copy. The store must not be open here. */
export async function copyBeforeMigration(
  folder: string,
  { schema, clock }: { readonly schema: number; readonly clock: Clock },
): Promise<string> {
  const copy = `${storeFilePath(folder)}.schema-${schema}-${fileTimestamp(clock.now())}`;
  await backupEmbedded(folder, copy);
  return copy;
}

interface RestoreEmbeddedOptions {
  readonly file: string;
  readonly clock: Clock;
  /** Schemas that this Tollgate takes. */
  readonly schemas: Schemas;
}

/**
 * Puts a backup instead of the store of a stopped gateway. What was there is kept beside it; its name is
 * given back. Throws a StoreError, and then nothing has changed.
 */
export async function restoreEmbedded(
  folder: string,
  options: RestoreEmbeddedOptions,
): Promise<string | undefined> {
  const { file, clock, schemas } = options;
  if (!exists(file)) throw new StoreError("unavailable", `Cannot restore ${file}: ${absence(file)}`);
  makeFolder(folder);
  const lock = lockFolder(folder);
  const path = storeFilePath(folder);
  const incoming = `${path}.restoring`;
  try {
    removeAll(incoming);
    Deno.copyFileSync(file, incoming);
    Deno.chmodSync(incoming, 0o600);
    assertSound(incoming);
    const mark = await markOf(incoming, { clock, schemas });
    raiseVersions(incoming, [
      latestVersionOf(incoming),
      latestVersionOf(path),
      latestIn(identityMirrorPath(path)),
    ]);
    const kept = exists(path) ? `${path}.before-${fileTimestamp(clock.now())}` : undefined;
    if (kept !== undefined) moveAll(path, kept);
    moveAll(incoming, path);
    writeIdentityMirror(identityMirrorPath(path), mark);
    return kept;
  } catch (cause) {
    removeAll(incoming);
    throw asFailure(`Cannot restore ${file}`, cause);
  } finally {
    lock.release();
  }
}

/** Bytes of the file before and after it was written anew without empty pages. The gateway must be stopped. */
export function compactEmbedded(folder: string): { readonly before: number; readonly after: number } {
  const path = requireStore(folder, "compact");
  const lock = lockFolder(folder);
  try {
    const before = Deno.statSync(path).size;
    const fresh = `${path}.compacting`;
    removeAll(fresh);
    makePrivate(fresh);
    rewriteSqlite(path, fresh);
    assertSound(fresh);
    // What SQLite kept beside either file is in the files by now, and must not be taken for the new one's.
    for (const ending of COMPANIONS) {
      removeAll(`${path}${ending}`);
      removeAll(`${fresh}${ending}`);
    }
    Deno.renameSync(fresh, path);
    return { before, after: Deno.statSync(path).size };
  } catch (cause) {
    throw asFailure(`Cannot compact ${path}`, cause);
  } finally {
    lock.release();
  }
}

/** The version that the file beside the store remembers; a damaged one remembers none. */
function latestIn(mirror: string): bigint | undefined {
  try {
    const latest = readIdentityMirror(mirror)?.latest;
    return latest === undefined ? undefined : BigInt(latest);
  } catch {
    // It is about to be replaced.
    return undefined;
  }
}

/** No commit to a restored store gets a version that one since the backup had. */
function raiseVersions(path: string, known: readonly (bigint | undefined)[]): void {
  const newest = known.reduce<bigint>((most, one) => one !== undefined && one > most ? one : most, 0n);
  const database = openDatabase(path, false);
  try {
    raiseVersion(database, newest + RESTORE_STEP);
  } finally {
    database.close();
  }
}

interface Expected {
  readonly clock: Clock;
  readonly schemas: Schemas;
}

/** The mark of a copy that is about to become the store. */
async function markOf(path: string, { clock, schemas }: Expected): Promise<StoreIdentity> {
  const kv = denoKvStore({ kv: await Deno.openKv(path), clock });
  try {
    const mark = await readIdentity(kv);
    if (!mark) throw new StoreError("corrupt", "it is no store of Tollgate's");
    assertSchema(mark, schemas);
    return mark;
  } finally {
    await kv.close();
  }
}

function openDatabase(path: string, readOnly: boolean): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly });
  } catch (cause) {
    throw asFailure(`Cannot open ${path}`, cause);
  }
}

/** Throws for a file that is damaged or no database at all. */
function assertSound(path: string): void {
  const database = openDatabase(path, false);
  try {
    const row = database.prepare("pragma integrity_check").get();
    const received = row?.["integrity_check"];
    if (received !== "ok") throw new StoreError("corrupt", `the file is damaged: ${received}`);
  } finally {
    database.close();
  }
}

/** Whether there is a file. Throws a StoreError where that cannot be told. */
export function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return false;
    throw asFailure(`Cannot look at ${path}`, cause);
  }
}

const absence = (path: string): string => isFolder(path) ? "it is a folder" : "there is no such file";

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return false;
    throw asFailure(`Cannot look at ${path}`, cause);
  }
}

function moveAll(from: string, to: string): void {
  for (const ending of ["", ...COMPANIONS]) {
    if (exists(`${from}${ending}`)) Deno.renameSync(`${from}${ending}`, `${to}${ending}`);
  }
}

export function removeAll(path: string): void {
  for (const ending of ["", ...COMPANIONS]) {
    if (exists(`${path}${ending}`)) Deno.removeSync(`${path}${ending}`);
  }
}

/** SQLite's words, ours, and the kind of the error. */
const sqliteReasons: readonly (readonly [said: RegExp, reason: string, kind: StoreErrorKind])[] = [
  [/not a database/, "it is no SQLite file, which a backup of the embedded store is", "corrupt"],
  [/malformed/, "the file is damaged", "corrupt"],
  [/unable to open database file/, "the file cannot be opened", "unavailable"],
  [/readonly database/, "it may not be written", "unavailable"],
];

/** A StoreError that says what was being done; a lock that is held speaks for itself. */
function asFailure(what: string, cause: unknown): StoreError {
  if (cause instanceof StoreError && cause.kind === "in_use") return cause;
  const said = systemReason(cause);
  const known = sqliteReasons.find(([words]) => words.test(said));
  const kind = cause instanceof StoreError ? cause.kind : known?.[2] ?? "unavailable";
  return new StoreError(kind, `${what}: ${known?.[1] ?? said}`, { cause });
}
