/**
 * The store that several gateways share: one table of PostgreSQL. Each commit is one call of a function in the
 * database (setup.ts), which is one transaction and one round trip.
 */

import type { Clock } from "../../../runtime.ts";
import { STORE_DEADLINE_MS } from "../store_deadline.ts";
import { encodeValue, joinEncoded, parseStored } from "../encode_value.ts";
import { assertKey } from "../store_key.ts";
import { decodeOrderedKey, encodeOrderedKey, firstBytesAfter } from "./ordered_key.ts";
import type { PendingQuery, Sql } from "./postgres_client.ts";
import { CHECK_FAILED_STATE, errorCode, RETRYABLE_STATES, toPostgresStoreError } from "./postgres_errors.ts";
import { pauseBefore, type PauseRuntime } from "../pause.ts";
import { Statements } from "./statements.ts";
import { prepareCommit, type PreparedCommit, prepareList } from "../prepare_commit.ts";
import { ANY_TOPIC, topicsOf } from "../change_topics.ts";
import type {
  CommitResult,
  ListOptions,
  Store,
  StoreCommit,
  StoreEntry,
  StoreHealth,
  TopicListener,
} from "../store.ts";
import { StoreError, type StoreKey } from "../store.ts";

/** As many as the embedded store takes. */
const MAX_CHECKS = 100;
/** Tries of a commit that PostgreSQL ended to break a deadlock with somebody else's statements. */
const TRIES = 4;
/** Given to running statements when the store is closed, in seconds. */
const CLOSE_SECONDS = 1;

interface PostgresStoreOptions extends PauseRuntime {
  /** A client whose database is set up; closed with the store. */
  readonly sql: Sql;
  /** Makes another one when connections of the first no longer answer, so that no hung one is waited for. */
  readonly reconnect?: () => Promise<Sql>;
  readonly deadlineMs?: number;
}

export function postgresStore(options: PostgresStoreOptions): Store {
  return new PostgresStore(options);
}

interface Row {
  readonly key: Uint8Array;
  readonly version: string;
  readonly json: string | null;
  readonly bytes: Uint8Array | null;
}

class PostgresStore implements Store {
  readonly #clock: Clock;
  readonly #pausing: PauseRuntime;
  readonly #statements: Statements;
  readonly #reconnect: (() => Promise<Sql>) | undefined;
  readonly #listening = new Set<Listening>();
  #sql: Sql;
  // deno-lint-ignore tollgate/kept-promises -- a store closes once
  #closing: Promise<void> | undefined;

  constructor({ sql, clock, random, reconnect, deadlineMs = STORE_DEADLINE_MS }: PostgresStoreOptions) {
    this.#pausing = { clock, random };
    this.#reconnect = reconnect;
    this.#sql = sql;
    this.#clock = clock;
    this.#statements = new Statements({
      sql: () => this.#sql,
      clock,
      deadlineMs,
      connections: sql.options.max,
      onHung: (hung) => void this.#replace(hung),
    });
  }

  async get(key: StoreKey): Promise<StoreEntry | undefined> {
    assertKey(key);
    const [row] = await this.#statements.run<readonly Row[]>((sql) =>
      sql`select key, version, json, bytes from tollgate.records where key = ${encodeOrderedKey(key)}`
    );
    return row && toEntry(row);
  }

  async getMany(keys: readonly StoreKey[]): Promise<readonly (StoreEntry | undefined)[]> {
    keys.forEach(assertKey);
    if (keys.length === 0) return [];
    const wanted = keys.map((key) => hex(encodeOrderedKey(key)));
    const rows = await this.#statements.run<readonly Row[]>((sql) =>
      sql`select key, version, json, bytes from tollgate.records where key = any (${array(wanted)}::bytea[])`
    );
    const found = new Map(rows.map((row) => [hex(row.key), row]));
    return wanted.map((key) => found.get(key)).map((row) => row && toEntry(row));
  }

  async list(prefix: StoreKey, options: ListOptions = {}): Promise<readonly StoreEntry[]> {
    const { after, reverse, limit } = prepareList(prefix, options);
    const from = encodeOrderedKey(reverse ? prefix : after ?? prefix);
    const to = reverse && after ? encodeOrderedKey(after) : firstBytesAfter(prefix);
    const rows = await this.#statements.run<readonly Row[]>((sql) =>
      reverse
        ? sql`select key, version, json, bytes from tollgate.records where key > ${from} and key < ${to}
            order by key desc limit ${limit}::int`
        : sql`select key, version, json, bytes from tollgate.records where key > ${from} and key < ${to}
            order by key limit ${limit}::int`
    );
    return rows.map(toEntry);
  }

  async commit(commit: StoreCommit): Promise<CommitResult> {
    const prepared = prepareCommit(commit, MAX_CHECKS);
    for (let attempt = 1;; attempt++) {
      if (attempt > 1) await pauseBefore(attempt - 1, this.#pausing);
      try {
        const [row] = await this.#statements.run<readonly Committed[]>((sql) => commitOn(sql, prepared));
        return row?.version ? { type: "ok", version: row.version } : { type: "conflict" };
      } catch (error) {
        const code = errorCode(error instanceof StoreError ? error.cause : error);
        if (code === CHECK_FAILED_STATE) return { type: "conflict" };
        if (!RETRYABLE_STATES.has(code) || attempt === TRIES) throw error;
      }
    }
  }

  async health(): Promise<StoreHealth> {
    try {
      await this.#statements.run((sql) =>
        commitOn(sql, { ...NOTHING, puts: [{ key: HEALTH_KEY, encoded: this.#now() }] })
      );
      return { ok: true };
    } catch (error) {
      return { ok: false, reason: toPostgresStoreError(error).message };
    }
  }

  async listen(listener: TopicListener): Promise<() => Promise<void>> {
    if (this.#closing) throw closedError();
    const listening: Listening = { listener, stop: await listenOn(this.#sql, listener) };
    this.#listening.add(listening);
    return async () => {
      this.#listening.delete(listening);
      await listening.stop();
    };
  }

  close(): Promise<void> {
    this.#statements.close(closedError());
    this.#closing ??= this.#sql.end({ timeout: CLOSE_SECONDS });
    return this.#closing;
  }

  /** Takes a new client instead of one whose connections are dead, once. */
  async #replace(dead: Sql): Promise<void> {
    if (!this.#reconnect || this.#sql !== dead || this.#closing) return;
    const sql = await this.#reconnect();
    if (this.#sql !== dead || this.#closing) return await sql.end();
    this.#sql = sql;
    // Its statements end with errors that nobody waits for any more.
    dead.end({ timeout: 0 });
    for (const listening of this.#listening) await this.#move(listening, sql);
  }

  async #move(listening: Listening, sql: Sql): Promise<void> {
    try {
      listening.stop = await listenOn(sql, listening.listener);
      listening.listener(ANY_TOPIC);
    } catch {
      // The new client cannot connect either. It goes on trying, and says so when it has subscribed.
      listening.stop = nothingToStop;
    }
  }

  #now() {
    return encodeValue({ key: HEALTH_KEY, value: this.#clock.now() });
  }
}

/** A write that a health check makes; its key is out of the callers' reach. */
const HEALTH_KEY: StoreKey = ["~health"];
const NOTHING: PreparedCommit = { checks: [], puts: [], deletes: [], small: true };

const nothingToStop = () => Promise.resolve();

interface Listening {
  readonly listener: TopicListener;
  /** Stops listening on the client that is in use. */
  stop: () => Promise<void>;
}

/** The client subscribes again by itself when its connection was lost; what was missed then is anything. */
async function listenOn(sql: Sql, listener: TopicListener): Promise<() => Promise<void>> {
  let first = true;
  const onListen = () => {
    if (!first) listener(ANY_TOPIC);
    first = false;
  };
  try {
    return (await sql.listen("tollgate", listener, onListen)).unlisten;
  } catch (error) {
    throw toPostgresStoreError(error);
  }
}

interface Committed {
  /** Null for a check that does not hold. */
  readonly version: string | null;
}

function commitOn(sql: Sql, { checks, puts, deletes }: PreparedCommit): PendingQuery<readonly Committed[]> {
  const keys = (named: readonly { readonly key: StoreKey }[]) => array(named.map(({ key }) => keyHex(key)));
  const versions = array(checks.map(({ version }) => version === null ? "0" : toVersion(version)));
  const values = puts.map(({ encoded }) => joinEncoded(encoded));
  const topics = topicsOf(puts.map(({ key }) => key));
  return sql`select tollgate.commit_1(
    ${keys(checks)}::bytea[], ${versions}::bigint[],
    ${keys(puts)}::bytea[], ${array(values.map((value) => typeof value === "string" ? value : null))}::text[],
    ${array(values.map((value) => typeof value === "string" ? null : hex(value)))}::bytea[],
    ${array(deletes.map(keyHex))}::bytea[], ${array(topics)}::text[]
  ) as version`;
}

export function toEntry({ key, version, json, bytes }: Row): StoreEntry {
  const value = json === null ? new Uint8Array(bytes ?? []) : parseStored(() => json);
  return { key: decodeOrderedKey(key), value, version };
}

/** Our versions are drawn from a sequence that begins at 1; what is none matches no row. */
function toVersion(version: string): string {
  return /^[1-9]\d{0,17}$/.test(version) ? version : "-1";
}

function keyHex(key: StoreKey): string {
  return hex(encodeOrderedKey(key));
}

/** The text of a `bytea`. */
function hex(bytes: Uint8Array): string {
  return `\\x${bytes.toHex()}`;
}

/** The text of an array's value, as a parameter. */
function array(items: readonly (string | null)[]): string {
  return `{${items.map((item) => item === null ? "NULL" : quoted(item)).join()}}`;
}

function quoted(item: string): string {
  return `"${item.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function closedError(): StoreError {
  return new StoreError("unavailable", "Cannot use the store: it is closed");
}
