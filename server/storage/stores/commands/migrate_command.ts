/** `deno task migrate`: brings a store to this Tollgate's schema, or shows what that would do. */

import type { Clock } from "../../../runtime.ts";
import { backupEmbedded, copyBeforeMigration, exists } from "../embedded/backup.ts";
import { denoKvStore } from "../embedded/deno_kv_store.ts";
import { lockFolder } from "../embedded/folder_lock.ts";
import {
  assertNotTooOld,
  countingStore,
  latestSchema,
  migrate,
  type Migration,
  pendingMigrations,
} from "../migrations.ts";
import { withSession } from "../postgres/open_postgres.ts";
import { fileTimestamp, storeFilePath, type StoreLocation } from "../store_location.ts";
import { postgresStore } from "../postgres/postgres_store.ts";
import { postgresClient, type Sql } from "../postgres/postgres_client.ts";
import type { StoreReport } from "./store_report.ts";
import { runExclusively } from "../postgres/live_lock.ts";
import { setUpPostgres } from "../postgres/setup.ts";
import { readIdentity } from "../store_identity.ts";
import { type Store, StoreError } from "../store.ts";
import type { PostgresAddress } from "../../../config/store_address.ts";

interface MigrateOptions {
  readonly migrations: readonly Migration[];
  readonly clock: Clock;
  /** Runs the steps on a copy that is thrown away (embedded), or names them (PostgreSQL). */
  readonly dryRun: boolean;
}

/** Milliseconds that a statement of a migration may take. */
const STATEMENT_MS = 600_000;

/**
 * Says what was done, or would be. Throws a StoreError `in_use` while a gateway runs, but for a shared store that needs
 * no step: an upgrade asks before it stops the gateways of the version before.
 */
export function migrateStore(place: StoreLocation, options: MigrateOptions): Promise<StoreReport> {
  return place.type === "embedded"
    ? migrateFolder(place.folder, options)
    : withSession(place.address, async (session) => {
      await setUpPostgres(session);
      const run = () => migrateDatabase(place.address, options);
      return await needsNoStep(place.address, options) ? await run() : await runExclusively(session, run);
    });
}

async function migrateFolder(folder: string, options: MigrateOptions): Promise<StoreReport> {
  const path = storeFilePath(folder);
  if (!exists(path)) throw new StoreError("unavailable", `Cannot migrate: there is no store at ${path}`);
  const lock = lockFolder(folder);
  const copy = `${path}.dry-run`;
  try {
    if (options.dryRun) {
      await backupEmbedded(folder, copy);
      return await withKv(copy, { options, copied: () => Promise.resolve("") });
    }
    return await withKv(path, {
      options,
      copied: (schema) => copyBeforeMigration(folder, { schema, clock: options.clock }),
    });
  } finally {
    if (options.dryRun) await removeDatabase(copy);
    lock.release();
  }
}

interface Run {
  readonly options: MigrateOptions;
  /** Makes the copy to go back to, and names it. */
  readonly copied: (schema: number) => Promise<string>;
}

async function withKv(path: string, run: Run): Promise<StoreReport> {
  const opened = async () => denoKvStore({ kv: await Deno.openKv(path), clock: run.options.clock });
  const first = await opened();
  const schema = (await readIdentity(first).finally(() => first.close()))?.schema;
  const copy = await copyWhenNeeded(schema, run);
  const store = await opened();
  try {
    return await reportMigration(store, { ...run, schema, copy });
  } finally {
    await store.close();
  }
}

interface Database {
  readonly sql: Sql;
  readonly store: Store;
}

async function withDatabase<T>(
  address: PostgresAddress,
  { clock, use }: { readonly clock: Clock; readonly use: (database: Database) => Promise<T> },
): Promise<T> {
  const sql = await postgresClient(address, { statementMs: STATEMENT_MS, connections: 4 });
  const store = postgresStore({ sql, clock, deadlineMs: STATEMENT_MS });
  try {
    return await use({ sql, store });
  } finally {
    await store.close();
  }
}

async function needsNoStep(
  address: PostgresAddress,
  { migrations, clock }: MigrateOptions,
): Promise<boolean> {
  const mark = await withDatabase(address, { clock, use: ({ store }) => readIdentity(store) });
  return mark === undefined || pendingMigrations(migrations, mark.schema).length === 0;
}

function migrateDatabase(address: PostgresAddress, options: MigrateOptions): Promise<StoreReport> {
  const { clock, dryRun, migrations } = options;
  const use = async ({ sql, store }: Database) => {
    const schema = (await readIdentity(store))?.schema;
    if (dryRun) {
      assertNotTooOld(migrations, schema ?? Infinity);
      return reportOf(schema, { options, steps: pendingMigrations(migrations, schema ?? Infinity) });
    }
    const copied = async (from: number) => {
      const name = `records_schema_${from}_${fileTimestamp(clock.now()).replace("-", "_")}`;
      await sql`create table tollgate.${sql(name)} as table tollgate.records`;
      return `the table tollgate.${name}`;
    };
    const copy = await copyWhenNeeded(schema, { options, copied });
    return await reportMigration(store, { options, schema, copied, copy });
  };
  return withDatabase(address, { clock, use });
}

async function copyWhenNeeded(schema: number | undefined, { options, copied }: Run): Promise<string> {
  if (schema === undefined) return "";
  assertNotTooOld(options.migrations, schema);
  if (pendingMigrations(options.migrations, schema).length === 0) return "";
  return await copied(schema);
}

interface MigrationReport extends Run {
  readonly schema?: number;
  readonly copy: string;
}

async function reportMigration(
  inner: Store,
  { options, schema, copy }: MigrationReport,
): Promise<StoreReport> {
  const { store, count } = countingStore(inner);
  const steps = await migrate(store, options.migrations);
  // Each step raises the mark, which is no record of anybody's.
  return reportOf(schema, { options, steps, records: count() - steps.length, copy });
}

interface Outcome {
  readonly options: MigrateOptions;
  readonly steps: readonly Migration[];
  readonly records?: number;
  readonly copy?: string;
}

function reportOf(schema: number | undefined, outcome: Outcome): StoreReport {
  const { options: { dryRun, migrations }, steps, records, copy } = outcome;
  const fields = {
    schema_before: schema ?? null,
    schema_after: schema === undefined || (dryRun && steps.length > 0)
      ? schema ?? null
      : latestSchema(migrations),
    steps: steps.length,
    writes: records ?? null,
    dry_run: dryRun,
    kept: copy === undefined || copy === "" ? null : copy,
  };
  return { text: sentence(schema, outcome), fields };
}

function sentence(schema: number | undefined, { options, steps, records, copy }: Outcome): string {
  const needed = latestSchema(options.migrations);
  if (schema === undefined) return "The store is new: there is nothing to migrate.";
  if (steps.length === 0) {
    return `The store has schema ${schema}, which is what this Tollgate needs: nothing to do.`;
  }
  const what = steps.map(({ schema: to, description }) => `${to}: ${description}`).join("; ");
  const changed = records === undefined ? "" : ` ${records} writes.`;
  if (options.dryRun) {
    return `The store has schema ${schema} and would get schema ${needed} (${what}).${changed}`;
  }
  return `The store has schema ${needed} now (${what}).${changed} Its state before is kept in ${copy}.`;
}

async function removeDatabase(path: string): Promise<void> {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    await Deno.remove(file).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}
