/** Opens the store that the settings name, or says in one sentence why that cannot be. */

import type { World } from "../../runtime.ts";
import { withDeadline } from "../store_deadline.ts";
import { denoKvStore } from "./deno_kv_store.ts";
import { keepCopy } from "./backup.ts";
import { identify } from "./file_identity.ts";
import { FileWatch } from "./file_watch.ts";
import { toStoreError } from "./kv_errors.ts";
import { lockFolder, type OwnerLock } from "./folder_lock.ts";
import { migrate, type Migration, migrations as ownMigrations, pendingOf, schemasOf } from "../migrations.ts";
import { ownedStore } from "../owned_store.ts";
import { latestOf, numberOf } from "./kv_version.ts";
import { storeFile } from "../store_location.ts";
import { makePrivate } from "./private_file.ts";
import { reasonOf } from "../error_reason.ts";
import { mirrorPath, nextMark, readMark, readMirror, SENTINEL_KEY, writeMirror } from "../store_identity.ts";
import { type Store, StoreError } from "../store.ts";

export type StoreWorld = Pick<World, "clock" | "randomToken"> & Partial<Pick<World, "log" | "random">>;

export interface OpenOptions {
  readonly world: StoreWorld;
  /** Steps that an older store takes at its start; those of this Tollgate, unless told. */
  readonly migrations?: readonly Migration[];
  readonly deadlineMs?: number;
}

/** Checks that a remote store takes in one commit. */
const REMOTE_CHECKS = 10;

/**
 * The embedded store in `folder` (made when missing), owned by this process until it is closed. Throws a
 * StoreError: `in_use`, `corrupt`, `lost` or `unavailable`.
 */
export async function openFolder(folder: string, options: OpenOptions): Promise<Store> {
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
export async function openAssigned({ world, deadlineMs }: OpenOptions): Promise<Store> {
  const kv = await openKv();
  const { clock, random } = world;
  return withDeadline(denoKvStore({ kv, clock, random, maxChecks: REMOTE_CHECKS }), {
    clock,
    ms: deadlineMs,
  });
}

interface LockedOptions extends OpenOptions {
  readonly lock: OwnerLock;
}

async function openLocked(folder: string, options: LockedOptions): Promise<Store> {
  const path = storeFile(folder);
  const { world, deadlineMs, lock, migrations = ownMigrations } = options;
  const mirror = mirrorPath(path);
  const mirrored = readMirror(mirror);
  const latest = latestOf(path);
  const open = makePrivate(path);
  if (open !== undefined) world.log?.warn("Cannot make the store its owner's alone", { path, reason: open });
  const kv = await openKv(path);
  const { clock, random } = world;
  const store = withDeadline(denoKvStore({ kv, clock, random }), { clock, ms: deadlineMs });
  try {
    const stored = await readMark(store);
    const foreign = !stored && await holdsRecords(kv);
    const mark = nextMark(
      { path, mirror, stored, mirrored, foreign, latest, ...schemasOf(migrations) },
      world.randomToken(12),
    );
    if (stored && pendingOf(migrations, stored.schema).length > 0) {
      await store.close();
      await keepCopy(folder, { schema: stored.schema, clock: world.clock });
      await migrateFile(path, { world, migrations });
      return await openLocked(folder, options);
    }
    const remember = (version: string) => writeMirror(mirror, { ...mark, latest: String(numberOf(version)) });
    const result = await store.commit({ puts: [{ key: SENTINEL_KEY, value: mark }], small: true });
    if (result.type === "ok") remember(result.version);
    return ownedStore(store, { ...await watchFiles(path, world), release: () => lock.release(), remember });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What the store's owner knows of its files. */
async function watchFiles(path: string, { clock, log }: StoreWorld) {
  const watch = new FileWatch({ identity: await identify(path), clock, log });
  return {
    clock,
    closing: () => watch.close(),
    trouble: () => watch.look(),
    lost: () => watch.trouble,
  };
}

interface Steps {
  readonly world: StoreWorld;
  readonly migrations: readonly Migration[];
}

/** Without a deadline: a step may take as long as it takes. */
async function migrateFile(path: string, { world, migrations }: Steps): Promise<void> {
  const store = denoKvStore({ kv: await openKv(path), clock: world.clock });
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
    const { kind, message } = toStoreError(error);
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

/** Throws a StoreError `unavailable` that names the setting. */
export function makeFolder(folder: string): void {
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new StoreError(
      "unavailable",
      `Cannot make the data folder ${folder} (TOLLGATE_DATA): ${reasonOf(cause)}`,
      { cause },
    );
  }
}
