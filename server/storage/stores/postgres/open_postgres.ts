/** Opens the shared store that `TOLLGATE_STORE` names, or says in one sentence why that cannot be. */

import type { PostgresAddress } from "../../../config/store_address.ts";
import { STORE_DEADLINE_MS } from "../store_deadline.ts";
import {
  latestSchema,
  type Migration,
  migrations as ownMigrations,
  pendingMigrations,
  schemasOf,
} from "../migrations.ts";
import { makeFolder } from "../embedded/folder_lock.ts";
import type { StoreRuntime } from "../embedded/open_embedded.ts";
import { ownedStore } from "../owned_store.ts";
import { pauseBefore } from "../pause.ts";
import { postgresStore } from "./postgres_store.ts";
import { postgresClient, type Sql } from "./postgres_client.ts";
import { cannotOpenPostgres, displayAddress } from "./postgres_errors.ts";
import { createLiveLock } from "./live_lock.ts";
import { setUpPostgres } from "./setup.ts";
import {
  IDENTITY_KEY,
  nextIdentity,
  readIdentity,
  readIdentityMirror,
  type StoreIdentity,
  writeIdentityMirror,
} from "../store_identity.ts";
import { type Store, StoreError } from "../store.ts";

interface OpenPostgresOptions {
  readonly runtime: StoreRuntime;
  readonly deadlineMs?: number;
  /** Steps that an older store has to take first; those of this Tollgate, by default. */
  readonly migrations?: readonly Migration[];
  /** Where this machine remembers the store that it served; undefined where there are no files. */
  readonly folder?: string;
}

/** Statements at once. A server takes 100 connections by default, and gateways share them. */
export const CONNECTIONS = 10;
/** A start may wait for another one that sets the database up. */
const SETUP_MS = 30_000;
/** Starts of other instances that may write the mark in between. */
const MARK_TRIES = 50;

/** Throws a StoreError: `unavailable`, `in_use`, `corrupt` or `lost`. */
export async function openPostgres(address: PostgresAddress, options: OpenPostgresOptions): Promise<Store> {
  const { runtime, folder, deadlineMs = STORE_DEADLINE_MS, migrations = ownMigrations } = options;
  await withSession(address, setUpPostgres);
  const lock = await createLiveLock(address, { clock: runtime.clock, statementMs: deadlineMs });
  const reconnect = () => postgresClient(address, { statementMs: deadlineMs, connections: CONNECTIONS });
  const sql = await reconnect();
  const store = postgresStore({ sql, reconnect, clock: runtime.clock, random: runtime.random, deadlineMs });
  let mark: StoreIdentity;
  try {
    await lock.hold();
    mark = await registerInstance(store, { sql, address, runtime, folder, migrations });
  } catch (error) {
    await store.close();
    await lock.release();
    throw isPostgresError(error) ? error : cannotOpenPostgres(address, error);
  }
  return ownedStore(store, {
    clock: runtime.clock,
    release: () => lock.release(),
    trouble: () => lock.trouble(),
    remember: (version) => {
      if (folder !== undefined) writeIdentityMirror(sharedMirrorPath(folder), { ...mark, latest: version });
    },
  });
}

/** Runs `work` with a session of its own; a failure names the setting. */
export async function withSession<T>(
  address: PostgresAddress,
  work: (session: Sql) => Promise<T>,
): Promise<T> {
  const session = await postgresClient(address, { statementMs: SETUP_MS, connections: 1 });
  try {
    return await work(session);
  } catch (error) {
    throw isPostgresError(error) ? error : cannotOpenPostgres(address, error);
  } finally {
    await session.end({ timeout: 1 });
  }
}

/** True for an error that says by itself what is the matter. */
function isPostgresError(error: unknown): boolean {
  return error instanceof StoreError && error.kind !== "unavailable";
}

/** Several gateways use a shared store, so none of them changes its records under the others. */
function assertSchema(
  path: string,
  stored: StoreIdentity | undefined,
  { migrations }: Pick<EnterOptions, "migrations">,
): void {
  if (!stored || pendingMigrations(migrations, stored.schema).length === 0) return;
  throw new StoreError(
    "invalid",
    `${path} has schema ${stored.schema} and this Tollgate needs ${
      latestSchema(migrations)
    }: stop every gateway that ` +
      "uses it, make a backup (deno task backup) and run deno task migrate",
  );
}

/** The newest version that was drawn. */
async function drawnVersion(sql: Sql): Promise<bigint> {
  const [row] = await sql<
    readonly { readonly drawn: string }[]
  >`select last_value as drawn from tollgate.versions`;
  return BigInt(row?.drawn ?? 0);
}

interface EnterOptions {
  readonly sql: Sql;
  readonly address: PostgresAddress;
  readonly runtime: StoreRuntime;
  readonly folder?: string;
  readonly migrations: readonly Migration[];
}

/** Where this machine remembers the mark of the shared store; `store.json` is the embedded one's. */
export function sharedMirrorPath(folder: string): string {
  makeFolder(folder);
  return `${folder}/shared_store.json`;
}

/** Counts this start in the store's mark, and in the file that this machine keeps of it. */
async function registerInstance(
  store: Store,
  { sql, address, runtime, folder, migrations }: EnterOptions,
): Promise<StoreIdentity> {
  const mirror = folder === undefined ? undefined : sharedMirrorPath(folder);
  const mirrored = mirror === undefined ? undefined : readIdentityMirror(mirror);
  const latest = await drawnVersion(sql);
  for (let attempt = 0; attempt < MARK_TRIES; attempt++) {
    await pauseBefore(attempt, runtime);
    const entry = await store.get(IDENTITY_KEY);
    const stored = await readIdentity(store);
    const path = `The store ${displayAddress(address)}`;
    const mark = nextIdentity(
      { path, mirror, stored, mirrored, ...schemasOf(migrations), latest, foreign: false },
      runtime.randomToken(12),
    );
    assertSchema(path, stored, { migrations });
    const result = await store.commit({
      checks: [{ key: IDENTITY_KEY, version: entry?.version ?? null }],
      puts: [{ key: IDENTITY_KEY, value: mark }],
    });
    if (result.type === "conflict") continue;
    if (mirror !== undefined) writeIdentityMirror(mirror, { ...mark, latest: result.version });
    return mark;
  }
  throw new StoreError("unavailable", "others write the store's mark all the time");
}
