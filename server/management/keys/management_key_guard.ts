/**
 * Keeps one management key that can do everything. Each change of a management key reads them all and writes one
 * record that every other such change checks, so that two changes cannot each count on the key that the other takes.
 */

import * as z from "zod";
import { ApiError } from "../../../shared/errors.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Store, StorePut, VersionCheck } from "../../storage/stores/store.ts";
import { isActive, listIndexedKeys } from "./lists/key_index.ts";
import { keyCollection, type KeyRow } from "./key_rows.ts";

const guardSchema = z.object({ id: z.string() });
const GUARD = "management_guard";

/** Enabled, not expired, not read-only. */
function hasFullAccess({ disabled, expires_at, read_only }: KeyRow, now: number): boolean {
  return !read_only && isActive({ disabled, expires_at }, now);
}

export interface GuardedKeys {
  /** All management keys, the youngest first. */
  readonly keys: readonly KeyRow[];
  /** Belong into the commit of the change. */
  readonly check: VersionCheck;
  readonly put: StorePut;
}

/** The keys and the guard as they are together; `id` is new each time. */
export async function readGuardedKeys(store: Store, id: string): Promise<GuardedKeys> {
  const rows = new Collection({ store, name: "meta", schema: guardSchema });
  // The guard first: anyone who changes a key behind this read changes the guard too.
  const guard = await rows.get(GUARD);
  return {
    keys: await listManagementKeys(store),
    check: rows.check([GUARD], guard?.version ?? null),
    put: rows.put([GUARD], { id }),
  };
}

export async function listManagementKeys(store: Store): Promise<readonly KeyRow[]> {
  const rows = keyCollection(store);
  const keys: KeyRow[] = [];
  for await (const { hash } of listIndexedKeys(store, { name: "management" })) {
    const found = await rows.get(hash);
    if (found) keys.push(found.record);
  }
  return keys;
}

interface GuardedChange {
  readonly keys: readonly KeyRow[];
  readonly before: KeyRow;
  /** Undefined: deleted. */
  readonly after: KeyRow | undefined;
  readonly now: number;
  readonly verb: string;
}

/** Throws an ApiError (400) when the change takes the last key that can do everything, or its lasting. */
export function assertFullKeyRemains({ keys, before, after, now, verb }: GuardedChange): void {
  if (!hasFullAccess(before, now)) return;
  const weakened = after === undefined || !hasFullAccess(after, now) || endOf(after) < endOf(before);
  if (!weakened) return;
  if (keys.some((key) => key.hash !== before.hash && hasFullAccess(key, now))) return;
  throw new ApiError(
    "invalid_request",
    `Cannot ${verb}: it is the last management key that is enabled, unexpired and not read-only; make another one first`,
    { metadata: { path: "hash" } },
  );
}

const endOf = ({ expires_at }: KeyRow): number => expires_at === null ? Infinity : Date.parse(expires_at);
