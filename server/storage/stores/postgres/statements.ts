/**
 * Runs the statements of a store on its connections. A statement's deadline begins when a connection is free for it:
 * the wait before is our own, and longer where much is asked for at once.
 */

import { Semaphore } from "../../../../shared/util/semaphore.ts";
import type { Cancel, Clock } from "../../../runtime.ts";
import { StoreError } from "../store.ts";
import type { PendingQuery, Sql } from "./postgres_client.ts";
import { toPostgresStoreError } from "./postgres_errors.ts";

interface StatementsOptions {
  /** The client that is in use. */
  readonly sql: () => Sql;
  readonly clock: Pick<Clock, "after">;
  /** Milliseconds in which the server has to answer a statement. */
  readonly deadlineMs: number;
  /** Statements at once. */
  readonly connections: number;
  /** Called where a client's connection no longer answers. */
  readonly onHung: (sql: Sql) => void;
}

type MakeStatement<T extends readonly object[]> = (sql: Sql) => PendingQuery<T>;

/** So many deadlines long a statement waits for a connection. */
export const MAX_WAIT_DEADLINES = 5;

export class Statements {
  readonly #options: StatementsOptions;
  readonly #maxWaitMs: number;
  readonly #places: Semaphore;
  /** Ends the waits for a connection. */
  #waits = new AbortController();
  /** Statements that were answered in time. */
  #answered = 0;

  constructor(options: StatementsOptions) {
    const { connections, deadlineMs, clock } = options;
    this.#options = options;
    this.#maxWaitMs = MAX_WAIT_DEADLINES * deadlineMs;
    this.#places = new Semaphore({ most: connections, maxWait: { clock, ms: this.#maxWaitMs } });
  }

  /**
   * Gives the answer of one statement. Throws a StoreError: `timeout` where the server does not answer in time,
   * `unavailable` where no connection came free, and nothing was sent then.
   */
  async run<T extends readonly object[]>(make: MakeStatement<T>): Promise<T> {
    this.#waits.signal.throwIfAborted();
    if (!this.#places.tryTake()) await this.#wait();
    const sql = this.#options.sql();
    try {
      return await this.#answer(sql, make(sql));
    } catch (error) {
      throw toPostgresStoreError(error);
    }
  }

  /** No statement begins any more. */
  close(error: StoreError): void {
    this.#waits.abort(error);
  }

  async #wait(): Promise<void> {
    if (await this.#places.take(this.#waits.signal)) return;
    throw new StoreError(
      "unavailable",
      `The store is busy: no connection was free within ${this.#maxWaitMs} ms`,
    );
  }

  /** Its place is free when its connection is, or another client has taken the place of the hung one. */
  #answer<T extends readonly object[]>(sql: Sql, query: PendingQuery<T>): Promise<T> {
    const { clock, deadlineMs, onHung } = this.#options;
    const before = this.#answered;
    return new Promise((resolve, reject) => {
      let isLate = false;
      let watch: Cancel | undefined;
      const release = once(() => this.#places.release());
      const cancel: Cancel = clock.after(deadlineMs, () => {
        isLate = true;
        const late = new StoreError("timeout", `The store did not answer within ${deadlineMs} ms`);
        reject(late);
        // What still waits for a connection must not be carried out later. A statement that was sent is ended
        // by the server itself (`statement_timeout`); if not even that is heard, the connection is dead.
        if (!mayHaveCommitted(query)) query.cancel();
        else {
          watch = clock.after(deadlineMs, () => {
            onHung(sql);
            release();
          });
        }
        if (this.#answered === before) this.#endWaits(late);
      });
      query.then((rows) => resolve(toRows(rows)), reject).finally(() => {
        cancel();
        watch?.();
        if (!isLate) this.#answered++;
        release();
      });
    });
  }

  /** A server that answers nobody is not waited for by each in turn. */
  #endWaits(error: StoreError): void {
    if (this.#waits.signal.aborted) return;
    this.#waits.abort(error);
    this.#waits = new AbortController();
  }
}

function once(run: () => void): () => void {
  let hasRun = false;
  return () => {
    if (!hasRun) run();
    hasRun = true;
  };
}

/** True once the statement was given to a connection. */
function mayHaveCommitted(query: object): boolean {
  return "state" in query && query.state !== null;
}

/** The client's list of rows is what the statement says it is. */
function toRows<T>(rows: unknown): T {
  return rows as T;
}
