/**
 * PostgreSQL servers for tests: on a free port of the loopback, in a folder that is removed, and gone at the
 * latest a second after the process that started them, however that ends.
 */

import assert from "node:assert/strict";
import { freePort } from "./free_port.ts";
import { need } from "./need.ts";
import { ownFolder, program, runAs, runDetached, watchOver } from "./postgres_process.ts";
import { pause } from "./until.ts";

export const PASSWORD = "a secret/p@ssword";

/** True where PostgreSQL is installed; else the tests that need it are skipped, aloud. */
export function hasPostgres(): boolean {
  return need(program("postgres") !== undefined, {
    what: "PostgreSQL (apt-get install postgresql)",
    for: "The tests of the shared store",
  });
}

export interface PostgresServer {
  readonly port: number;
  /** The address of a database; of the one that is always there, unless named. */
  url(database?: string): string;
  /** Makes an empty database and gives its address. */
  createDatabase(): Promise<string>;
  /** One statement of the superuser through psql; its output, unaligned. */
  query(statement: string, database?: string): Promise<string>;
  /** Ends it as a crash would: every process at once. */
  kill(): Promise<void>;
  /** Holds every process still, as a hung machine would. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** False, which is faster, loses nothing when processes die, only when the machine does. */
  readonly fsync?: boolean;
  /** Lines of postgresql.conf. */
  readonly settings?: readonly string[];
}

const settings = ({ fsync = false, settings: more = [] }: PostgresOptions, port: number) => [
  `port = ${port}`,
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  `fsync = ${fsync ? "on" : "off"}`,
  `full_page_writes = ${fsync ? "on" : "off"}`,
  "max_connections = 200",
  "shared_buffers = 64MB",
  "autovacuum_naptime = 10s",
  "log_min_messages = warning",
  ...more,
];

/** A server of its own, for tests that harm it. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = await ownFolder();
  const data = `${folder}/data`;
  await Deno.writeTextFile(`${folder}/password`, PASSWORD);
  const login = ["--username=tollgate", "--auth=scram-sha-256", `--pwfile=${folder}/password`];
  await runAs("initdb", ["-D", data, ...login, "--encoding=UTF8", "--locale=C", "--no-sync"]);
  return await started({ folder, data, options });
}

interface Place {
  readonly folder: string;
  readonly data: string;
  readonly options: PostgresOptions;
}

async function started({ folder, data, options }: Place): Promise<PostgresServer> {
  const port = freePort();
  await Deno.writeTextFile(`${data}/postgresql.conf`, `${settings(options, port).join("\n")}\n`, {
    append: true,
  });
  const server = new Server(port, folder, { data });
  await server.restart();
  return server;
}

export interface PostgresPair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** An address that names both, for a database of the primary. */
  url(database: string): string;
  stop(): Promise<void>;
}

/** A primary that acknowledges no commit before its standby has it on disk. */
export async function startPostgresPair(options: PostgresOptions = {}): Promise<PostgresPair> {
  const { settings: more = [] } = options;
  const primary = await startPostgres({
    ...options,
    settings: ["hot_standby = on", "wal_level = replica", ...more],
  });
  const folder = await ownFolder();
  const from = `postgresql://tollgate:${encodeURIComponent(PASSWORD)}@127.0.0.1:${primary.port}`;
  const connection = `${from}/postgres?application_name=standby`;
  await runAs("pg_basebackup", [
    "-D",
    `${folder}/data`,
    "-d",
    connection,
    "-R",
    "-X",
    "stream",
    "-c",
    "fast",
  ]);
  const standby = await started({ folder, data: `${folder}/data`, options });
  await primary.query("alter system set synchronous_standby_names = 'standby'");
  await primary.query("select pg_reload_conf()");
  await synchronous(primary);
  return {
    primary,
    standby,
    url: (database) => primary.url(database).replace(/@([^/]+)\//, `@$1,127.0.0.1:${standby.port}/`),
    stop: async () => {
      await standby.stop();
      await primary.stop();
    },
  };
}

async function synchronous(primary: PostgresServer): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await primary.query("select sync_state from pg_stat_replication") === "sync") return;
    await pause(50);
  }
  assert.fail("The standby did not become synchronous");
}

let databases = 0;

class Server implements PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #data: string;

  constructor(port: number, folder: string, { data }: { readonly data: string }) {
    this.port = port;
    this.#folder = folder;
    this.#data = data;
  }

  url(database = "postgres"): string {
    return `postgres://tollgate:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.port}/${database}`;
  }

  async createDatabase(): Promise<string> {
    const name = `test_${Deno.pid}_${crypto.randomUUID().slice(0, 8)}_${databases++}`;
    await this.query(`create database ${name}`);
    return this.url(name);
  }

  query(statement: string, database?: string): Promise<string> {
    return runAs("psql", ["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", this.url(database), "-c", statement]);
  }

  async kill(): Promise<void> {
    // The postmaster first, or it would begin to recover from the loss of the others.
    const [postmaster, ...others] = await this.#processes();
    for (const pid of [postmaster, ...others]) signal(pid, "SIGKILL");
    while ((await this.#processes()).length > 0) await pause(5);
    // Its process id stays taken where nobody collects dead processes, and a new server would believe it alive.
    await Deno.remove(`${this.#data}/postmaster.pid`);
  }

  async pause(): Promise<void> {
    for (const pid of await this.#processes()) signal(pid, "SIGSTOP");
  }

  async resume(): Promise<void> {
    for (const pid of await this.#processes()) signal(pid, "SIGCONT");
  }

  async restart(): Promise<void> {
    await runDetached("pg_ctl", ["start", "-w", "-t", "60", "-D", this.#data, "-l", `${this.#folder}/log`]);
    watchOver(this.#folder, `${this.#data}/postmaster.pid`);
  }

  async promote(): Promise<void> {
    await runAs("pg_ctl", ["promote", "-w", "-D", this.#data]);
  }

  async stop(): Promise<void> {
    if ((await this.#processes()).length > 0) {
      await runAs("pg_ctl", ["stop", "-w", "-m", "immediate", "-D", this.#data]);
    }
    await Deno.remove(this.#folder, { recursive: true });
  }

  /** The postmaster and its children; empty when it does not run. */
  async #processes(): Promise<readonly number[]> {
    let postmaster: number;
    try {
      postmaster = Number((await Deno.readTextFile(`${this.#data}/postmaster.pid`)).split("\n")[0]);
    } catch {
      // No file: it has never run, or has ended in order.
      return [];
    }
    const { stdout } = await new Deno.Command("ps", { args: ["-eo", "pid=,ppid=,stat="] }).output();
    const rows = new TextDecoder().decode(stdout).trim().split("\n").map((row) => row.trim().split(/\s+/));
    const alive = rows.filter(([, , state]) => !state?.startsWith("Z"));
    const pids = alive.filter(([, parent]) => Number(parent) === postmaster).map(([pid]) => Number(pid));
    return alive.some(([pid]) => Number(pid) === postmaster) ? [postmaster, ...pids] : [];
  }
}

function signal(pid: number | undefined, name: Deno.Signal): void {
  if (pid === undefined) return;
  try {
    Deno.kill(pid, name);
  } catch {
    // It has ended in the meantime.
  }
}

let shared: Promise<PostgresServer> | undefined;

/**
 * The server that all tests of one process share, each with a database of its own. It goes with the process.
 * Every test file has its own copy of this module, so the server is found by a file named after the process.
 */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= findOrStart(`${Deno.env.get("TMPDIR") ?? "/tmp"}/tollgate-test-postgres-${Deno.pid}`);
  return shared;
}

async function findOrStart(note: string): Promise<PostgresServer> {
  try {
    await Deno.writeTextFile(note, "", { createNew: true });
  } catch {
    // Another file of tests has started it, or is about to.
    return await noted(note);
  }
  watchOver(note, "");
  const server = await startPostgres();
  await Deno.writeTextFile(note, String(server.port));
  return server;
}

async function noted(note: string): Promise<PostgresServer> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const port = Number(await Deno.readTextFile(note));
    if (port > 0) return new Server(port, note, { data: note });
    await pause(50);
  }
  assert.fail("The shared PostgreSQL did not start");
}
