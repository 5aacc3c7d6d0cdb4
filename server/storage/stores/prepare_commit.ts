/** A commit, checked against every limit before the store sees it: a commit that fails half-way is not atomic. */

import { type EncodedValue, encodeValue } from "./encode_value.ts";
import { assertKey, formatKey, isBelow, keyBytes } from "./store_key.ts";
import { type ListOptions, type StoreCommit, StoreError, type StoreKey, type VersionCheck } from "./store.ts";

/** Below Deno KV's own 819,200 and 81,920 bytes, because our count of what it adds is an estimate. */
const MAX_COMMIT_BYTES = 810_000;
const MAX_COMMIT_KEY_BYTES = 80_000;
const MAX_MUTATIONS = 1_000;
/** Bytes that the serializer adds to a value, with a margin. */
const VALUE_OVERHEAD = 32;

const DEFAULT_LIST = 100;
const MAX_LIST = 1_000;

export interface PreparedPut {
  readonly key: StoreKey;
  readonly encoded: EncodedValue;
  readonly small?: true;
}

export interface PreparedCommit {
  readonly checks: readonly VersionCheck[];
  readonly puts: readonly PreparedPut[];
  readonly deletes: readonly StoreKey[];
  readonly small: boolean;
}

/** Throws a StoreError `invalid` or `too_large`; what it returns will be written whole or not at all. */
export function prepareCommit(commit: StoreCommit, maxChecks: number): PreparedCommit {
  const { checks = [], puts = [], deletes = [], small = false } = commit;
  for (const { key } of [...checks, ...puts]) assertKey(key);
  for (const key of deletes) assertKey(key);
  assertOnce([...puts.map(({ key }) => key), ...deletes]);
  assertRoom(checks.length, { of: "checks", allowed: maxChecks });
  if (!small) assertRoom(countKeys(commit), { of: "keys and is not `small`", allowed: maxChecks });
  const prepared = {
    checks,
    puts: puts.map((put) => ({ key: put.key, encoded: encodeValue(put), small: put.small })),
    deletes,
    small,
  };
  assertSizes(prepared);
  prepared.puts.filter((put) => small || put.small).forEach(assertSmall);
  return prepared;
}

/** A page of a list, checked. */
export interface ListPage {
  readonly after?: StoreKey;
  readonly reverse: boolean;
  readonly limit: number;
}

/** Throws a StoreError `invalid` for a prefix, a start or a limit that cannot be. */
export function prepareList(prefix: StoreKey, options: ListOptions): ListPage {
  const { after, reverse = false, limit = DEFAULT_LIST } = options;
  assertKey(prefix);
  if (after) assertKey(after);
  if (after && !isBelow(after, prefix)) {
    throw new StoreError("invalid", `Cannot list: ${formatKey(after)} is not below ${formatKey(prefix)}`);
  }
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIST) return { after, reverse, limit };
  throw new StoreError("invalid", `Cannot list: limit is ${limit}, 1 to ${MAX_LIST} is allowed`);
}

function assertSizes({ puts, deletes }: PreparedCommit): void {
  let mutations = deletes.length;
  let keys = deletes.reduce((sum, key) => sum + keyBytes(key), 0);
  let values = 0;
  for (const { key, encoded } of puts) {
    const parts = encoded.type === "split" ? encoded.chunks.length + 1 : 1;
    mutations += parts;
    keys += keyBytes(key) * parts;
    values += encoded.bytes + parts * VALUE_OVERHEAD;
  }
  assertRoom(mutations, { of: "writes", allowed: MAX_MUTATIONS });
  assertRoom(keys, { of: "bytes of keys", allowed: MAX_COMMIT_KEY_BYTES });
  assertRoom(keys + values, { of: "bytes", allowed: MAX_COMMIT_BYTES });
}

function assertRoom(count: number, { of, allowed }: { readonly of: string; readonly allowed: number }): void {
  if (count <= allowed) return;
  throw new StoreError("too_large", `Cannot commit: it has ${count} ${of}, ${allowed} are allowed`);
}

/** Keys that are checked or written: each that is not `small` takes a check (embedded/deno_kv_store.ts). */
function countKeys({ checks = [], puts = [], deletes = [] }: StoreCommit): number {
  const keys = [...checks, ...puts.filter(({ small }) => !small)].map(({ key }) => key);
  return new Set([...keys, ...deletes].map(formatKey)).size;
}

function assertSmall({ key, encoded }: PreparedPut): void {
  if (encoded.type === "whole") return;
  throw new StoreError(
    "too_large",
    `Cannot store ${formatKey(key)}: it has ${encoded.bytes} bytes and is no small value`,
  );
}

function assertOnce(keys: readonly StoreKey[]): void {
  if (keys.length < 2) return;
  const seen = new Set<string>();
  for (const key of keys) {
    const name = formatKey(key);
    if (seen.has(name)) throw new StoreError("invalid", `Cannot commit: ${name} is written twice`);
    seen.add(name);
  }
}
