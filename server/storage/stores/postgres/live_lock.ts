/**
 * Says in the database that gateways are live: each holds a lock together with the others, and what needs the
 * store for itself (restore, compact) asks for the same lock alone. It goes with the session that holds it.
 */

import type { PostgresAddress } from "../../../config/store_address.ts";
import type { Cancel, Clock } from "../../../runtime.ts";
import { postgresClient, type Sql } from "./postgres_client.ts";
import { StoreError } from "../store.ts";

/** Random; the same for every Tollgate. */
const LIVE_LOCK = 7_162_404_119;
/** Milliseconds until a lost lock is asked for again. */
const AGAIN_MS = 500;

interface LiveLockOptions {
  readonly clock: Clock;
  readonly statementMs: number;
}

interface LiveLock {
  /** Throws a StoreError `in_use` while a command has the store for itself. */
  hold(): Promise<void>;
  /** Says what is wrong while the lock is not held; it is asked for again all the time. */
  trouble(): Promise<string | undefined>;
  release(): Promise<void>;
}

export async function createLiveLock(address: PostgresAddress, options: LiveLockOptions): Promise<LiveLock> {
  const { statementMs, clock } = options;
  const lock: SharedLock = new SharedLock(
    await postgresClient(address, { statementMs, connections: 1, onClose: () => lock.lost() }),
    clock,
  );
  return lock;
}

class SharedLock implements LiveLock {
  readonly #session: Sql;
  readonly #clock: Clock;
  #state: "new" | "held" | "lost" | "released" = "new";
  #reason = "";
  #cancel: Cancel | undefined;

  constructor(session: Sql, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
  }

  async hold(): Promise<void> {
    const [row] = await this.#session<readonly Held[]>`
      select pg_try_advisory_lock_shared(${LIVE_LOCK}) as held`;
    if (!row?.held) {
      throw new StoreError(
        "in_use",
        "The shared store is being restored or compacted: wait until that is done",
      );
    }
    if (this.#state !== "released") this.#state = "held";
  }

  /** The connection has ended, and the lock with it. */
  lost(): void {
    if (this.#state === "new" || this.#state === "released" || this.#cancel) return;
    this.#state = "lost";
    this.#cancel = this.#clock.after(AGAIN_MS, () => {
      this.#cancel = undefined;
      if (this.#state === "released") return;
      this.hold().catch((error) => {
        this.#reason = error instanceof StoreError ? error.message : "";
        this.lost();
      });
    });
  }

  trouble(): Promise<string | undefined> {
    if (this.#state !== "lost") return Promise.resolve(undefined);
    return Promise.resolve(this.#reason || "the connection to the database was lost");
  }

  async release(): Promise<void> {
    this.#state = "released";
    this.#cancel?.();
    await this.#session.end({ timeout: 1 });
  }
}

interface Held {
  readonly held: boolean;
}

/**
 * Runs `work` on a session that no gateway shares the database with. Throws a StoreError `in_use` while one is
 * live.
 */
export async function runExclusively<T>(session: Sql, work: () => Promise<T>): Promise<T> {
  const [row] = await session<readonly Held[]>`select pg_try_advisory_lock(${LIVE_LOCK}) as held`;
  if (!row?.held) {
    throw new StoreError(
      "in_use",
      "The shared store is in use by a running Tollgate: stop every one of them first",
    );
  }
  try {
    return await work();
  } finally {
    await session`select pg_advisory_unlock(${LIVE_LOCK})`;
  }
}
