/**
 * The embedded store: Deno KV, which is SQLite with one owner. What it must never use, and why, is measured:
 * `expireIn` and queues end the process on a full disk, `sum` wraps silently, and a commit of which one write
 * fails is written in part; so commits are checked beforehand and hold nothing but checks, sets and deletes.
 */

import { decodeWholeValue } from "../encode_value.ts";
import { assertKey, formatKey } from "../store_key.ts";
import { kvStoreError, retryWhileLocked } from "./kv_errors.ts";
import {
  type ChunkHead,
  chunkKey,
  chunkPrefix,
  joinChunks,
  MAX_CHUNKS,
  splitChunks,
  toChunkHead,
} from "./kv_chunks.ts";
import { pauseBefore, type PauseRuntime } from "../pause.ts";
import { prepareCommit, type PreparedCommit, type PreparedPut, prepareList } from "../prepare_commit.ts";
import type {
  CommitResult,
  ListOptions,
  Store,
  StoreCommit,
  StoreEntry,
  StoreHealth,
  StoreKey,
} from "../store.ts";
import { StoreError } from "../store.ts";

/** The embedded store takes 100 checks a commit, a remote one 10. */
const MAX_CHECKS = 100;
/** Deno KV reads at most this many keys at one moment. */
const GET_MANY = 10;
/** How often a value or a commit is tried again when somebody else writes the same key in between. */
const TRIES = 8;
const HEALTH_KEY = ["~health"];
/** Sorts before every part that a key may have, so that it stands for "just behind this key". */
const FIRST_PART = new Uint8Array(0);

interface DenoKvStoreOptions extends PauseRuntime {
  readonly kv: Deno.Kv;
  readonly maxChecks?: number;
}

export function denoKvStore(options: DenoKvStoreOptions): Store {
  return new DenoKvStore(options);
}

type Row = Deno.KvEntryMaybe<unknown>;

class DenoKvStore implements Store {
  readonly #kv: Deno.Kv;
  readonly #options: DenoKvStoreOptions;
  #closed = false;

  constructor(options: DenoKvStoreOptions) {
    this.#kv = options.kv;
    this.#options = options;
  }

  async get(key: StoreKey): Promise<StoreEntry | undefined> {
    assertKey(key);
    return await this.#entry(await this.#run(() => this.#kv.get([...key])));
  }

  async getMany(keys: readonly StoreKey[]): Promise<readonly (StoreEntry | undefined)[]> {
    keys.forEach(assertKey);
    const rows = await this.#rows(keys);
    return await Promise.all(rows.map((row) => this.#entry(row)));
  }

  async list(prefix: StoreKey, options: ListOptions = {}): Promise<readonly StoreEntry[]> {
    const { after, reverse, limit } = prepareList(prefix, options);
    const whole = { prefix: [...prefix] };
    const rest = after && (reverse ? { end: [...after] } : { start: [...after, FIRST_PART] });
    const selector = rest ? { ...whole, ...rest } : whole;
    const rows = await this.#run(() =>
      Array.fromAsync(this.#kv.list(selector, { limit, reverse, batchSize: limit }))
    );
    const entries = await Promise.all(rows.map((row) => this.#entry(row)));
    return entries.filter((entry) => entry !== undefined);
  }

  async commit(commit: StoreCommit): Promise<CommitResult> {
    const prepared = prepareCommit(commit, this.#options.maxChecks ?? MAX_CHECKS);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      if (attempt > 0) await pauseBefore(attempt, this.#options);
      // What is small is sent at once, in the request in which it was asked for.
      const old = prepared.small ? [] : await this.#written(prepared);
      const result = await this.#run(() => this.#atomic(prepared, old).commit());
      if (result.ok) return { type: "ok", version: result.versionstamp };
      if (prepared.small || await this.#contradicts(prepared)) return { type: "conflict" };
    }
    throw new StoreError("unavailable", "Cannot commit: the keys are being written by others all the time");
  }

  async health(): Promise<StoreHealth> {
    try {
      await this.#run(() => this.#kv.set(HEALTH_KEY, this.#options.clock.now()));
      return { ok: true };
    } catch (error) {
      return { ok: false, reason: kvStoreError(error).message };
    }
  }

  close(): Promise<void> {
    if (!this.#closed) this.#kv.close();
    this.#closed = true;
    return Promise.resolve();
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) {
      return Promise.reject(new StoreError("unavailable", "Cannot use the store: it is closed"));
    }
    return retryWhileLocked(work, this.#options.clock);
  }

  /** Rows as they are stored, heads of large values not yet resolved. */
  async #rows(keys: readonly Deno.KvKey[]): Promise<readonly Row[]> {
    const groups: Promise<readonly Row[]>[] = [];
    for (let at = 0; at < keys.length; at += GET_MANY) {
      const group = keys.slice(at, at + GET_MANY).map((key) => [...key]);
      groups.push(this.#run(() => this.#kv.getMany(group)));
    }
    return (await Promise.all(groups)).flat();
  }

  /** The entry of a row. A head whose chunks are gone was overwritten since it was read: the key is read again. */
  async #entry(first: Row): Promise<StoreEntry | undefined> {
    let row = first;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      if (row.versionstamp === null) return undefined;
      const { key } = row;
      if (!toChunkHead(row.value)) return toEntry(row);
      const chunks = await this.#run(() => this.#chunks(key));
      const found = joinChunks(chunks.map(({ value }) => value));
      const version = chunks[0]?.versionstamp;
      if (found && version !== undefined) return { key: toStoreKey(key), value: found.value, version };
      row = await this.#run(() => this.#kv.get(key));
    }
    throw new StoreError(
      "corrupt",
      `Cannot read ${formatKey(toStoreKey(first.key))}: pieces of it are missing`,
    );
  }

  #chunks(key: Deno.KvKey): Promise<readonly Deno.KvEntry<unknown>[]> {
    const oneRead = { limit: MAX_CHUNKS, batchSize: MAX_CHUNKS };
    return Array.fromAsync(this.#kv.list({ prefix: chunkPrefix(key) }, oneRead));
  }

  /** Reads the rows at the keys that the commit writes, for the chunks that go with them. */
  async #written({ checks, puts, deletes }: PreparedCommit): Promise<readonly Row[]> {
    const absent = new Set(checks.filter(({ version }) => version === null).map(({ key }) => formatKey(key)));
    const named = [...puts.filter(({ small }) => !small).map(({ key }) => key), ...deletes];
    return await this.#rows(named.filter((key) => !absent.has(formatKey(key))));
  }

  #atomic({ checks, puts, deletes }: PreparedCommit, old: readonly Row[]): Deno.AtomicOperation {
    const atomic = this.#kv.atomic();
    for (const { key, version } of checks) atomic.check({ key: [...key], versionstamp: version });
    const checked = old.length === 0 ? undefined : new Set(checks.map(({ key }) => formatKey(key)));
    for (const { key, value, versionstamp } of old) {
      if (!checked?.has(formatKey(toStoreKey(key)))) atomic.check({ key, versionstamp });
      for (let at = 0; at < (toChunkHead(value)?.pieces ?? 0); at++) atomic.delete(chunkKey(key, at));
    }
    for (const key of deletes) atomic.delete([...key]);
    for (const put of puts) setValue(atomic, put);
    return atomic;
  }

  /** True when it is one of the commit's own checks that does not hold. */
  async #contradicts({ checks }: PreparedCommit): Promise<boolean> {
    const rows = await this.#rows(checks.map(({ key }) => key));
    return rows.some((row, at) => row.versionstamp !== (checks[at]?.version ?? null));
  }
}

function setValue(atomic: Deno.AtomicOperation, { key, encoded }: PreparedPut): void {
  if (encoded.type === "whole") {
    atomic.set([...key], encoded.stored);
    return;
  }
  const chunks = splitChunks(encoded);
  const head: ChunkHead = { pieces: chunks.length };
  atomic.set([...key], head);
  chunks.forEach((chunk, at) => atomic.set(chunkKey(key, at), chunk));
}

function toEntry({ key, value, versionstamp }: Deno.KvEntry<unknown>): StoreEntry {
  const known = typeof value === "string" || value instanceof Uint8Array;
  if (known) return { key: toStoreKey(key), value: decodeWholeValue(value), version: versionstamp };
  throw new StoreError(
    "corrupt",
    `Cannot read ${formatKey(toStoreKey(key))}: it was not written by Tollgate`,
  );
}

/** Every key below ours was made of strings and numbers. */
function toStoreKey(key: Deno.KvKey): StoreKey {
  return key as StoreKey;
}
