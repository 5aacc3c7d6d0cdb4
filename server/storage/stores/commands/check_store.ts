/**
 * Reads what a store, or a backup of one, holds under certain names, for everyone who can tell whether it is sound.
 */

import { DatabaseSync } from "node:sqlite";
import type { PostgresAddress } from "../../../config/store_address.ts";
import type { Clock } from "../../../runtime.ts";
import { backupEmbedded, removeAll } from "../embedded/backup.ts";
import { entriesInBackup } from "../postgres/backup.ts";
import { denoKvStore } from "../embedded/deno_kv_store.ts";
import { withSession } from "../postgres/open_postgres.ts";
import { encodeOrderedKey, firstBytesAfter } from "../postgres/ordered_key.ts";
import { storeFilePath, type StoreLocation } from "../store_location.ts";
import { toEntry } from "../postgres/postgres_store.ts";
import { inTransaction } from "../postgres/postgres_client.ts";
import type { Store, StoreEntry } from "../store.ts";

export type StoredEntries = AsyncIterable<Pick<StoreEntry, "key" | "value">>;

export interface StoreCheck {
  /** First parts of the keys that it reads, in their order. */
  readonly names: readonly string[];
  /** Gives sentences that say what is wrong. */
  readonly run: (entries: StoredEntries) => Promise<CheckResult>;
}

export interface CheckResult {
  /** In words, what was read. */
  readonly read: string;
  readonly troubles: readonly string[];
}

/** Entries read at a time. */
const PAGE = 50;

/** Checks a store, also while gateways serve: as it is at one moment. Throws a StoreError. */
export async function checkStore(
  place: StoreLocation,
  { check, clock }: { readonly check: StoreCheck; readonly clock: Clock },
): Promise<CheckResult> {
  if (place.type === "postgres") return await checkDatabase(place.address, check);
  const copy = `${storeFilePath(place.folder)}.checking`;
  removeAll(copy);
  try {
    await backupEmbedded(place.folder, copy);
    return await checkFile(copy, { check, clock });
  } finally {
    removeAll(copy);
  }
}

/** Checks a backup. Throws a StoreError. */
export async function checkBackup(
  place: StoreLocation,
  { file, check, clock }: { readonly file: string; readonly check: StoreCheck; readonly clock: Clock },
): Promise<CheckResult> {
  if (place.type === "postgres") return await check.run(named(entriesInBackup(file), check.names));
  return await checkFile(file, { check, clock });
}

async function checkFile(
  path: string,
  { check, clock }: { readonly check: StoreCheck; readonly clock: Clock },
): Promise<CheckResult> {
  const store = denoKvStore({ kv: await Deno.openKv(path), clock });
  try {
    return await check.run(entriesUnder(store, check.names));
  } finally {
    await store.close();
    settle(path);
  }
}

/** Writes what SQLite keeps beside the file into it, so that the file alone is the copy. */
function settle(path: string): void {
  const database = new DatabaseSync(path);
  database.exec("pragma wal_checkpoint(truncate)");
  database.close();
  for (const ending of ["-wal", "-shm"]) removeAll(`${path}${ending}`);
}

async function* entriesUnder(store: Store, names: readonly string[]): StoredEntries {
  for (const name of names) {
    let page: readonly StoreEntry[] = [];
    do {
      page = await store.list([name], { after: page.at(-1)?.key, limit: PAGE });
      yield* page;
    } while (page.length === PAGE);
  }
}

async function* named(entries: StoredEntries, names: readonly string[]): StoredEntries {
  for await (const entry of entries) if (names.includes(String(entry.key[0]))) yield entry;
}

function checkDatabase(address: PostgresAddress, check: StoreCheck): Promise<CheckResult> {
  return withSession(address, (session) =>
    inTransaction(session, async (sql) => {
      await sql`set transaction isolation level repeatable read, read only`;
      await sql`set local statement_timeout = 0`;
      async function* entries(): StoredEntries {
        for (const name of check.names) {
          const rows = sql<StoredRow[]>`select key, version, json, bytes from tollgate.records
            where key > ${encodeOrderedKey([name])} and key < ${firstBytesAfter([name])} order by key`;
          for await (const batch of rows.cursor(PAGE)) yield* batch.map(toEntry);
        }
      }
      return await check.run(entries());
    }));
}

type StoredRow = Parameters<typeof toEntry>[0];
