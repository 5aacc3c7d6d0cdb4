/**
 * Interface of a store: ordered records under keys of strings and numbers, changed by commits that happen whole or
 * not at all. Memory, Deno KV and PostgreSQL keep the same contract (store_contract_slow_test.ts).
 */

export type KeyPart = string | number;

/**
 * The first part is a string that does not begin with `~` (that range is the store's own). In the order of
 * keys, strings come before numbers; strings are ordered by code point, a key comes before its extensions.
 */
export type StoreKey = readonly KeyPart[];

export interface StoreEntry {
  readonly key: StoreKey;
  /** A JSON value, or the bytes that were put. A copy: changing it changes nothing else. */
  readonly value: unknown;
  /** Changes with every write of the key. Good for equality only. */
  readonly version: string;
}

export interface ListOptions {
  /** Begin behind this key (before it, when `reverse`). */
  readonly after?: StoreKey;
  readonly reverse?: boolean;
  /** 1 to 1,000; 100 when absent. */
  readonly limit?: number;
}

/** The commit happens only if the key has this version; null: only if the key is absent. */
export interface VersionCheck {
  readonly key: StoreKey;
  readonly version: string | null;
}

export interface StorePut {
  readonly key: StoreKey;
  /** A JSON value (fields that are undefined are left out) or a Uint8Array, up to 780,000 bytes. */
  readonly value: unknown;
  /**
   * Promises that this key holds, and ever held, at most 60,000 bytes, in a commit that is not `small` as a whole.
   * The key is then not looked at before, so that others may write it at the same moment without a conflict.
   */
  readonly small?: true;
}

export interface StoreCommit {
  readonly checks?: readonly VersionCheck[];
  readonly puts?: readonly StorePut[];
  readonly deletes?: readonly StoreKey[];
  /**
   * Promises that none of the keys written here holds, or ever held, more than 60,000 bytes. It saves the look
   * for chunks of an older, larger value, and a larger value is refused. Without it a commit names at most 100
   * keys (10 on a remote store); with it, 1,000 writes.
   */
  readonly small?: boolean;
}

export type CommitResult =
  /** `version` is that of every key that was put. */
  | { readonly type: "ok"; readonly version: string }
  /** A check failed, nothing was written. On a remote store it may be our own write whose reply was lost. */
  | { readonly type: "conflict" };

export type StoreHealth = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface Store {
  get(key: StoreKey): Promise<StoreEntry | undefined>;
  /** In the order of `keys`. Up to 10 keys are read at one moment, more in groups of 10. */
  getMany(keys: readonly StoreKey[]): Promise<readonly (StoreEntry | undefined)[]>;
  /** Entries strictly below `prefix`, in the order of their keys. `prefix` has at least one part. */
  list(prefix: StoreKey, options?: ListOptions): Promise<readonly StoreEntry[]>;
  commit(commit: StoreCommit): Promise<CommitResult>;
  /** Why nothing is written any more: the files are gone or are others. Absent where a store has no files. */
  readonly lost?: string | undefined;
  /** Writes for real and looks at the files. Never throws. */
  health(): Promise<StoreHealth>;
  /**
   * Calls `listener` with a topic (change_topics.ts) after each commit that gives a signal, of this process or another
   * one, until the promised function is called. `*` says that signals may have been missed. Absent where the
   * store has no signals (Deno KV): anyone who wants to know reads the records.
   */
  listen?(listener: TopicListener): Promise<() => Promise<void>>;
  /** Gives files and locks back. Harmless when called twice. */
  close(): Promise<void>;
}

/** Must not throw. */
export type TopicListener = (topic: string) => void;

/**
 * `timeout`: no answer within the deadline; a commit may have happened all the same. `unavailable`: the store
 * said no (disk full, locked, closed). `corrupt`: its content is not what was written. `lost`: the file was
 * emptied, replaced or removed. `in_use`: another process owns it. `invalid`, `too_large`: the caller's fault.
 */
export type StoreErrorKind =
  | "timeout"
  | "unavailable"
  | "corrupt"
  | "lost"
  | "in_use"
  | "invalid"
  | "too_large";

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
