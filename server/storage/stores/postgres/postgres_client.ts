/** The client of PostgreSQL, made with exactly the settings that are ours. */

import process from "node:process";
import type postgres from "postgres";
import type { PostgresAddress } from "../../../config/store_address.ts";

export type Sql = postgres.Sql;
export type PendingQuery<T extends readonly postgres.MaybeRow[]> = postgres.PendingQuery<Mutable<T>>;

/** A client or a transaction of it. */
export type PostgresSession = postgres.ISql;

type Mutable<T extends readonly unknown[]> = T[number][];

interface PostgresClientOptions {
  /** After so many milliseconds the server ends a statement by itself. */
  readonly statementMs: number;
  /** Connections at most. With one, the client is a session: it keeps its locks, and has transactions. */
  readonly connections: number;
  /** Called whenever a connection is gone. */
  readonly onClose?: () => void;
}

/** Milliseconds between two tries to connect. */
const RECONNECT_MS = 100;
const CONNECT_SECONDS = 5;
const KEEP_ALIVE_SECONDS = 30;

/** Connects at the first statement. The package is loaded here, so that other stores do without it. */
export async function postgresClient(address: PostgresAddress, options: PostgresClientOptions): Promise<Sql> {
  const { default: connect } = await import("postgres");
  return withoutEnvironment(() => connect(clientOptions(address, options)));
}

/** Runs `work` in a transaction of a session; what `work` throws undoes it. */
export async function inTransaction<T>(session: Sql, work: (sql: PostgresSession) => Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined;
  await session.begin(async (sql) => {
    result = { value: await work(sql) };
  });
  if (!result) throw new Error("A transaction ended without its work");
  return result.value;
}

type ClientSettings = postgres.Options<Record<string, postgres.PostgresType>>;

function clientOptions(
  { hosts, database, user, password, tls }: PostgresAddress,
  options: PostgresClientOptions,
): ClientSettings {
  return toSettings({
    host: hosts.map(({ host }) => host),
    port: hosts.map(({ port }) => port),
    database,
    username: user,
    password: () => password,
    ssl: tls === "disable" ? false : tls,
    // With a standby beside the primary, the one that takes writes is looked for.
    target_session_attrs: hosts.length > 1 ? "read-write" : undefined,
    max: options.connections,
    // No statement waits behind another one's on the same connection, so a blocked one holds up no other. (The
    // client begins a transaction only where a second statement could be sent.)
    max_pipeline: options.connections === 1 ? 1 : 0,
    max_lifetime: null,
    fetch_types: false,
    backoff: () => RECONNECT_MS / 1_000,
    connect_timeout: CONNECT_SECONDS,
    keep_alive: KEEP_ALIVE_SECONDS,
    onnotice: () => {},
    onclose: options.onClose,
    connection: sessionSettings(options),
  });
}

/** The client takes lists of hosts and ports, which its types leave out. */
function toSettings(settings: object): ClientSettings {
  return settings as ClientSettings;
}

/**
 * Settings of each session. The database's own defaults do not matter: a commit is durable when it is
 * acknowledged, each statement sees what was committed before it, and the one table is always read by its index.
 */
function sessionSettings({ statementMs }: PostgresClientOptions) {
  return {
    application_name: "tollgate",
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: 60_000,
    default_transaction_isolation: "read committed",
    synchronous_commit: "on",
    enable_seqscan: "off",
    enable_bitmapscan: "off",
    jit: "off",
  };
}

/**
 * The client looks for a dozen variables of its own (PGPASSWORD, PGAPPNAME …) while it is made. Settings stand
 * in one table, and the permission to read others is not given; so it is shown an empty environment.
 */
function withoutEnvironment<T>(make: () => T): T {
  // deno-lint-ignore tollgate/env-only-in-config -- nothing is read: the variables are taken away for a moment
  const own = process.env;
  try {
    // deno-lint-ignore tollgate/env-only-in-config -- the same
    process.env = {};
    return make();
  } finally {
    // deno-lint-ignore tollgate/env-only-in-config -- the same
    process.env = own;
  }
}
