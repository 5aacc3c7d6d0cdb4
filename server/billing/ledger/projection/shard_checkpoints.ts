/** Records how far each shard of the projection has come, and says which shard a key or scope belongs to. */

import * as z from "zod";
import { formatKey } from "../../../storage/stores/store_key.ts";
import { type Store, StoreError, type StoreKey, type StorePut } from "../../../storage/stores/store.ts";

/** As many as two hexadecimal digits tell apart: hashes and ids fall evenly upon them. */
export const SHARD_COUNT = 256;

/** The shard of a key's hash or of a scope: what it ends in says it with its first two digits. */
export function shardOf(name: string): number {
  const at = name.lastIndexOf(":") + 1;
  const [high, low] = [hexDigit(name, at), hexDigit(name, at + 1)];
  if (high < 0) return 0;
  return low < 0 ? high : high * 16 + low;
}

/** The hexadecimal digit that stands there; -1 where none does. */
function hexDigit(name: string, at: number): number {
  const code = name.charCodeAt(at);
  if (code >= ZERO && code <= NINE) return code - ZERO;
  const letter = code | CASE;
  return letter >= A && letter <= F ? letter - A + 10 : -1;
}

const [ZERO, NINE, A, F] = [0x30, 0x39, 0x61, 0x66];
/** The bit in which the two cases of a letter differ. */
const CASE = 0x20;

/** The only instance on a store that one process owns, and the only one with shards. */
export const EMBEDDED_INSTANCE = "own";

/** First part of `["posting_lanes", instance]`: of each shard the last batch that is projected in it. */
export const POSTING_SHARDS = "posting_lanes";

const marksKey = (instance: string): StoreKey => [POSTING_SHARDS, instance];
const marksSchema = z.array(z.int()).length(SHARD_COUNT);

export function checkpointsPut(instance: string, marks: readonly number[]): StorePut {
  return { key: marksKey(instance), value: marks };
}

/** Whether rows may hold the sums of several keys. Throws a StoreError. */
export async function hasShards(store: Store): Promise<boolean> {
  return await store.get(marksKey(EMBEDDED_INSTANCE)) !== undefined;
}

/** Undefined where nothing was ever projected in shards. Throws a StoreError. */
export async function readShardCheckpoints(
  store: Store,
  instance: string,
): Promise<readonly number[] | undefined> {
  const key = marksKey(instance);
  const entry = await store.get(key);
  if (entry === undefined) return undefined;
  const parsed = marksSchema.safeParse(entry.value);
  if (parsed.success) return parsed.data;
  throw new StoreError("corrupt", `Cannot read ${formatKey(key)}: it does not fit`, { cause: parsed.error });
}
