/** Keys as the API shows them, with what they have spent. */

import type { KeyRecord } from "../../../shared/keys.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { keyRecord } from "./key_record.ts";
import { type KeyRow, keyRows, scopeOfKey } from "./key_rows.ts";

/** Their records, in this order; those that were removed a moment ago are left out. */
export async function shownKeys(deps: AdminDeps, hashes: readonly string[]): Promise<KeyRecord[]> {
  const rows = keyRows(deps.store);
  const found = await Promise.all(hashes.map((hash) => rows.get(hash)));
  return await Promise.all(found.flatMap((one) => one ? [shown(deps, one.record)] : []));
}

export async function shown({ ledger }: Pick<AdminDeps, "ledger">, row: KeyRow): Promise<KeyRecord> {
  return keyRecord(row, await ledger.spendOf(scopeOfKey(row)));
}
