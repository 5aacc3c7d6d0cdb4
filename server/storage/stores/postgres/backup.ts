/**
 * Backup, restore and compact of a shared store. A backup is a file of lines: a head, a line a record, an end
 * that counts them; so one that broke off is noticed.
 */

import * as z from "zod";
import { withSession } from "./open_postgres.ts";
import { inTransaction, type PostgresSession } from "./postgres_client.ts";
import { runExclusively } from "./live_lock.ts";
import { setUpPostgres } from "./setup.ts";
import type { PostgresAddress } from "../../../config/store_address.ts";
import { decodeOrderedKey, encodeOrderedKey } from "./ordered_key.ts";
import { assertKey } from "../store_key.ts";
import {
  assertSchema,
  IDENTITY_KEY,
  type IdentityMirror,
  RESTORE_STEP,
  type Schemas,
  type StoreIdentity,
  storeIdentitySchema,
} from "../store_identity.ts";
import { type StoreEntry, StoreError } from "../store.ts";

const headSchema = z.object({ tollgate: z.literal("backup"), format: z.literal(1), made: z.string() });
const recordSchema = z.object({
  /** Base64. */
  key: z.string(),
  version: z.string().regex(/^[1-9]\d{0,17}$/),
  json: z.string().optional(),
  /** Base64. */
  bytes: z.string().optional(),
});
const endSchema = z.object({ end: z.literal(true), records: z.int().nonnegative() });

type BackupRecord = z.infer<typeof recordSchema>;

/** Records read or written at once. */
const BATCH = 200;
const BATCH_BYTES = 4_000_000;

interface Row {
  readonly key: Uint8Array;
  readonly version: string;
  readonly json: string | null;
  readonly bytes: Uint8Array | null;
}

/** Writes every record as it was at one moment, also while gateways serve; how many there are. */
export async function backupDatabase(
  address: PostgresAddress,
  { target, made }: { readonly target: string; readonly made: string },
): Promise<number> {
  using file = await Deno.open(target, { createNew: true, write: true, mode: 0o600 });
  const write = lineWriter(file);
  await write({ tollgate: "backup", format: 1, made });
  const records = await withSession(
    address,
    (session) => inTransaction(session, (sql) => writeAll(sql, write)),
  );
  await write({ end: true, records });
  await file.sync();
  return records;
}

type WriteLine = (line: object) => Promise<void>;

async function writeAll(sql: PostgresSession, write: WriteLine): Promise<number> {
  await sql`set transaction isolation level repeatable read, read only`;
  await sql`set local statement_timeout = 0`;
  let records = 0;
  const rows = sql<
    Row[]
  >`select key, version, json, bytes from tollgate.records where version > 0 order by key`;
  for await (const batch of rows.cursor(BATCH)) {
    for (const row of batch) await write(toRecord(row));
    records += batch.length;
  }
  return records;
}

function lineWriter(file: Deno.FsFile): WriteLine {
  const encoder = new TextEncoder();
  return async (line) => {
    let rest = encoder.encode(`${JSON.stringify(line)}\n`);
    while (rest.length > 0) rest = rest.subarray(await file.write(rest));
  };
}

function toRecord({ key, version, json, bytes }: Row): BackupRecord {
  const value = json === null ? { bytes: new Uint8Array(bytes ?? []).toBase64() } : { json };
  return { key: new Uint8Array(key).toBase64(), version, ...value };
}

interface RestoreDatabaseOptions {
  readonly file: string;
  /** Whether records that are there may be thrown away. */
  readonly replace: boolean;
  /** Schemas that this Tollgate takes. */
  readonly schemas: Schemas;
  /** The mark that this machine remembers. */
  readonly mirrored?: IdentityMirror;
}

interface RestoreResult {
  readonly records: number;
  readonly mark: StoreIdentity;
}

/** Replaces every record by those of the file, or throws a StoreError and has changed nothing. */
export function restoreDatabase(
  address: PostgresAddress,
  options: RestoreDatabaseOptions,
): Promise<RestoreResult> {
  return withSession(address, async (session) => {
    await setUpPostgres(session);
    return await runExclusively(session, () => inTransaction(session, (sql) => replaceAll(sql, options)));
  });
}

async function replaceAll(sql: PostgresSession, options: RestoreDatabaseOptions): Promise<RestoreResult> {
  await sql`set local statement_timeout = 0`;
  const before = await storedMark(sql);
  if (before && !options.replace) {
    throw new StoreError("invalid", "the store is not empty: say --yes to replace all of its records");
  }
  await sql`delete from tollgate.records`;
  const records = await insertAll(sql, options.file);
  const restored = await storedMark(sql);
  if (!restored) throw new StoreError("corrupt", "the file holds no store of Tollgate's");
  assertSchema(restored, options.schemas);
  // Machines that served this store remember how often it was started, and would take it for an older copy.
  const known = [before, options.mirrored].filter((mark) => mark?.instance === restored.instance);
  const mark = { ...restored, starts: Math.max(restored.starts, ...known.map((one) => one?.starts ?? 0)) };
  await sql`update tollgate.records set json = ${JSON.stringify(mark)} where key = ${
    encodeOrderedKey(IDENTITY_KEY)
  }`;
  await sql`select setval('tollgate.versions', greatest(
    (select max(version) from tollgate.records), (select last_value from tollgate.versions),
    ${options.mirrored?.latest ?? "0"}::text::bigint) + ${String(RESTORE_STEP)}::text::bigint)`;
  return { records, mark };
}

async function storedMark(sql: PostgresSession): Promise<StoreIdentity | undefined> {
  const key = encodeOrderedKey(IDENTITY_KEY);
  const [row] = await sql<{ json: string }[]>`select json from tollgate.records where key = ${key}`;
  return row && storeIdentitySchema.parse(JSON.parse(row.json));
}

async function insertAll(sql: PostgresSession, file: string): Promise<number> {
  let records = 0;
  let batch: BackupRecord[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length > 0) await insert(sql, batch);
    records += batch.length;
    batch = [];
    bytes = 0;
  };
  for await (const record of recordsOf(file)) {
    batch.push(record);
    bytes += (record.json ?? record.bytes ?? "").length;
    if (batch.length >= BATCH || bytes >= BATCH_BYTES) await flush();
  }
  await flush();
  return records;
}

async function insert(sql: PostgresSession, records: readonly BackupRecord[]): Promise<void> {
  // One text carries the batch; base64 and JSON need no quoting of their own.
  await sql`insert into tollgate.records (key, version, json, bytes)
    select decode(r.key, 'base64'), r.version, r.json, decode(r.bytes, 'base64')
    from json_to_recordset(${JSON.stringify(records)}::text::json)
      as r (key text, version bigint, json text, bytes text)`;
}

/** The records of a backup; throws a StoreError `corrupt` for a file that is none, or that broke off. */
async function* recordsOf(file: string): AsyncGenerator<BackupRecord> {
  let count = 0;
  let number = 0;
  let ended = false;
  for await (const line of linesOf(file)) {
    number++;
    const value = parsed(line, number);
    if (number === 1) {
      if (!headSchema.safeParse(value).success) {
        throw new StoreError("corrupt", `${file} is no backup of a shared store`);
      }
      continue;
    }
    const end = endSchema.safeParse(value);
    ended = end.success && end.data.records === count;
    if (end.success) continue;
    yield toSound(value, number);
    count++;
  }
  if (!ended) {
    throw new StoreError("corrupt", `${file} is not complete: it breaks off behind ${count} records`);
  }
}

function parsed(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new StoreError("corrupt", `line ${number} of the backup is damaged`, { cause });
  }
}

function toSound(value: unknown, number: number): BackupRecord {
  const record = recordSchema.safeParse(value);
  if (!record.success) {
    throw new StoreError("corrupt", `line ${number} of the backup is damaged`, { cause: record.error });
  }
  const key = decodeOrderedKey(Uint8Array.fromBase64(record.data.key));
  // The store's own records, such as that of a health check, begin with what no caller may use.
  if (!String(key[0]).startsWith("~")) assertKey(key);
  return record.data;
}

/** The entries of a backup, in the order of their keys. Throws a StoreError for a damaged one. */
export async function* entriesInBackup(file: string): AsyncGenerator<Pick<StoreEntry, "key" | "value">> {
  for await (const { key, json, bytes } of recordsOf(file)) {
    const value = json === undefined ? Uint8Array.fromBase64(bytes ?? "") : JSON.parse(json);
    yield { key: decodeOrderedKey(Uint8Array.fromBase64(key)), value };
  }
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  using source = await Deno.open(file);
  const chunk = new Uint8Array(64 * 1_024);
  let rest = "";
  for (let read = await source.read(chunk); read !== null; read = await source.read(chunk)) {
    const lines = (rest + decoder.decode(chunk.subarray(0, read), { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** Rewrites the table without the room of old rows, and brings the planner's figures up to date. */
export function compactDatabase(
  address: PostgresAddress,
): Promise<{ readonly before: number; readonly after: number }> {
  return withSession(address, (session) =>
    runExclusively(session, async () => {
      await session`set statement_timeout = 0`;
      const before = await sizeOf(session);
      await session`vacuum (full, analyze) tollgate.records`;
      return { before, after: await sizeOf(session) };
    }));
}

async function sizeOf(sql: PostgresSession): Promise<number> {
  const [row] = await sql<{ size: string }[]>`select pg_total_relation_size('tollgate.records') as size`;
  return Number(row?.size ?? 0);
}
