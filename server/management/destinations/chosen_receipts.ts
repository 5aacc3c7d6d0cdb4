/** The receipts that a destination is sent, among those of a journal. */

import type { Receipt } from "../../../shared/receipts.ts";
import type { Store } from "../../storage/stores/store.ts";
import { readLineage } from "../keys/key_lineage.ts";
import { keyCollection } from "../keys/key_rows.ts";
import type { DestinationRow } from "./destination_rows.ts";
import { asksForNames, compileReceiptFilter, type KeyNames } from "./receipt_filter.ts";

/** The ones that are its workspace's and pass its settings as they are now. Throws a StoreError. */
export async function chooseReceipts(
  store: Store,
  { row, receipts }: { readonly row: DestinationRow; readonly receipts: readonly Receipt[] },
): Promise<readonly Receipt[]> {
  const own = receipts.filter(({ workspace_id }) => workspace_id === row.workspace_id);
  if (own.length === 0) return [];
  const names = asksForNames(row) ? await namesOf(store, own) : new Map<string, string>();
  return compileReceiptFilter(row)(own, { keys: await keysOf(store, row), names });
}

async function namesOf(store: Store, receipts: readonly Receipt[]): Promise<KeyNames> {
  const rows = keyCollection(store);
  const hashes = [...new Set(receipts.map(({ key_hash }) => key_hash))];
  const found = await Promise.all(hashes.map(async (hash) => [hash, await rows.get(hash)] as const));
  return new Map(found.flatMap(([hash, key]) => key === undefined ? [] : [[hash, key.record.name]]));
}

/** The listed keys and those that are one key with them by rotation; undefined: all. */
async function keysOf(
  store: Store,
  { api_key_hashes: listed }: DestinationRow,
): Promise<ReadonlySet<string> | undefined> {
  if (listed === null) return undefined;
  const lines = await Promise.all(listed.map(async (hash) => {
    const found = await keyCollection(store).get(hash);
    return await readLineage(store, found?.record ?? { hash, ledger_id: null });
  }));
  return new Set(lines.flatMap((line) => [...line]));
}
