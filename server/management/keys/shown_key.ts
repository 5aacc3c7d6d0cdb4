/** Keys as the API shows them, with what they have spent. */

import type { KeyRecord } from "../../../shared/keys.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { serializeKey } from "./key_record.ts";
import { keyCollection, type KeyRow, keyScope } from "./key_rows.ts";

/** Their records, in this order; those that were removed a moment ago are left out. */
export async function readKeyRecords(deps: ManagementDeps, hashes: readonly string[]): Promise<KeyRecord[]> {
  const rows = keyCollection(deps.store);
  const found = await Promise.all(hashes.map((hash) => rows.get(hash)));
  return await Promise.all(found.flatMap((one) => one ? [readKeyRecord(deps, one.record)] : []));
}

export async function readKeyRecord(
  { ledger }: Pick<ManagementDeps, "ledger">,
  row: KeyRow,
): Promise<KeyRecord> {
  return serializeKey(row, await ledger.readSpend(keyScope(row)));
}
