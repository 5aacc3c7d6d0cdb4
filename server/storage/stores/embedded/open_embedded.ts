/** Opens the store that the settings name, or says in one sentence why that cannot be. */

import type { Runtime } from "../../../runtime.ts";
import { withStoreDeadline } from "../store_deadline.ts";
import { assertReadable } from "./check_file.ts";
import { denoKvStore } from "./deno_kv_store.ts";
import { copyBeforeMigration } from "./backup.ts";
import { readFileIdentity } from "./file_identity.ts";
import { FileWatch } from "./file_watch.ts";
import { kvStoreError } from "./kv_errors.ts";
import { type FolderLock, lockFolder, makeFolder } from "./folder_lock.ts";
import {
  migrate,
  type Migration,
  migrations as ownMigrations,
  pendingMigrations,
  schemasOf,
} from "../migrations.ts";
import { ownedStore } from "../owned_store.ts";
import { latestVersionOf, versionNumber } from "./kv_version.ts";
import { storeFilePath } from "../store_location.ts";
import { makePrivate } from "./private_file.ts";
import {
  IDENTITY_KEY,
  identityMirrorPath,
  nextIdentity,
  readIdentity,
  readIdentityMirror,
  writeIdentityMirror,
} from "../store_identity.ts";
import { type Store, StoreError } from "../store.ts";

export type StoreRuntime = Pick<Runtime, "clock" | "randomToken"> & Partial<Pick<Runtime, "log" | "random">>;

interface OpenEmbeddedOptions {
  readonly runtime: StoreRuntime;
  /** Steps that an older store takes at its start; those of this Tollgate, by default. */
  readonly migrations?: readonly Migration[];
  readonly deadlineMs?: number;
}

/** Checks that a remote store takes in one commit. */
const REMOTE_CHECKS = 10;

/**
 * The embedded store in `folder` (made when missing), owned by this process until it is closed. Throws a
 * StoreError: `in_use`, `corrupt`, `lost` or `unavailable`.
 */
export async function openEmbedded(folder: string, options: OpenEmbeddedOptions): Promise<Store> {
  makeFolder(folder);
  const lock = lockFolder(folder);
  try {
    return await openLocked(folder, { ...options, lock });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The KV database that the platform has assigned (Deno Deploy). It has no files and no single owner. */
export async function openAssignedKv({ runtime, deadlineMs }: OpenEmbeddedOptions): Promise<Store> {
  const kv = await openKv();
  const { clock, random } = runtime;
  return withStoreDeadline(denoKvStore({ kv, clock, random, maxChecks: REMOTE_CHECKS }), {
    clock,
    ms: deadlineMs,
  });
}

/** A database of the same kind in memory, which nobody else sees and which is gone once it is closed. */
export async function openTransient({ runtime, deadlineMs }: OpenEmbeddedOptions): Promise<Store> {
  const { clock, random } = runtime;
  const kv = await openKv(":memory:");
  return ownedStore(withStoreDeadline(denoKvStore({ kv, clock, random }), { clock, ms: deadlineMs }), {
    clock,
    trouble: () => Promise.resolve(undefined),
    release: () => {},
    remember: () => {},
  });
}

interface LockedOptions extends OpenEmbeddedOptions {
  readonly lock: FolderLock;
}

async function openLocked(folder: string, options: LockedOptions): Promise<Store> {
  const path = storeFilePath(folder);
  const { runtime, deadlineMs, lock, migrations = ownMigrations } = options;
  const mirror = identityMirrorPath(path);
  const mirrored = readIdentityMirror(mirror);
  assertReadable(path);
  const latest = latestVersionOf(path);
  const open = makePrivate(path);
  if (open !== undefined) {
    runtime.log?.warn("Cannot make the store its owner's alone", { path, reason: open });
  }
  const kv = await openKv(path);
  const { clock, random } = runtime;
  const store = withStoreDeadline(denoKvStore({ kv, clock, random }), { clock, ms: deadlineMs });
  try {
    const stored = await readIdentity(store);
    const foreign = !stored && await holdsRecords(kv);
    const mark = nextIdentity(
      { path, mirror, stored, mirrored, foreign, latest, ...schemasOf(migrations) },
      runtime.randomToken(12),
    );
    if (stored && pendingMigrations(migrations, stored.schema).length > 0) {
      await store.close();
      await copyBeforeMigration(folder, { schema: stored.schema, clock: runtime.clock });
      await migrateFile(path, { runtime, migrations });
      return await openLocked(folder, options);
    }
    const remember = (version: string) =>
      writeIdentityMirror(mirror, { ...mark, latest: String(versionNumber(version)) });
    const result = await store.commit({ puts: [{ key: IDENTITY_KEY, value: mark }], small: true });
    if (result.type === "ok") remember(result.version);
    return ownedStore(store, { ...await watchFiles(path, runtime), release: () => lock.release(), remember });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens the watch of the store's files for its owner. */
async function watchFiles(path: string, { clock, log }: StoreRuntime) {
  const watch = new FileWatch({ identity: await readFileIdentity(path), clock, log });
  return {
    clock,
    closing: () => watch.close(),
    trouble: () => watch.look(),
    lost: () => watch.trouble,
  };
}

interface Steps {
  readonly runtime: StoreRuntime;
  readonly migrations: readonly Migration[];
}

/** Without a deadline: a step may take as long as it takes. */
async function migrateFile(path: string, { runtime, migrations }: Steps): Promise<void> {
  const store = denoKvStore({ kv: await openKv(path), clock: runtime.clock });
  try {
    await migrate(store, migrations);
  } finally {
    await store.close();
  }
}

async function openKv(path?: string): Promise<Deno.Kv> {
  if (typeof Deno.openKv !== "function") {
    throw new StoreError(
      "unavailable",
      "Deno KV is not there: run with --unstable-kv, or assign a KV database",
    );
  }
  try {
    return await Deno.openKv(path);
  } catch (error) {
    const { kind, message } = kvStoreError(error);
    if (kind !== "corrupt") {
      throw new StoreError(kind, `Cannot open ${path ?? "the store"}. ${message}`, { cause: error });
    }
    throw new StoreError(kind, `${path} is damaged: restore it from a backup. ${message}`, { cause: error });
  }
}

async function holdsRecords(kv: Deno.Kv): Promise<boolean> {
  const first = await kv.list({ prefix: [] }, { limit: 1 }).next();
  return first.done !== true;
}
