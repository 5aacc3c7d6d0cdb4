/** Moves stored provider keys to another master key, on a stopped gateway. */

import type { Store } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import { byokCollection, byokEncryptionContext } from "./byok_rows.ts";
import { iterateRecords } from "../core/pages.ts";
import { StartError } from "../core/start_error.ts";
import { openVault, otherMasterKey, type VaultOptions } from "./vault.ts";

interface ReencryptOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "randomToken" | "log">;
  /** Where the key is that they were stored with. */
  readonly from: Pick<VaultOptions, "input" | "file">;
  /** 32 bytes. */
  readonly to: Uint8Array;
}

/**
 * The number of keys that were moved. Cut off in the middle, it goes on when it is called again: what was moved already
 * is known by its key id. Throws a StartError for a wrong old key.
 */
export async function reencryptProviderKeys({ store, runtime, from, to }: ReencryptOptions): Promise<number> {
  const old = await openVault({ store, runtime, ...from });
  const next = await otherMasterKey({ store, runtime, master: to });
  const rows = byokCollection(store);
  let moved = 0;
  for await (const { record, version } of iterateRecords(rows)) {
    if (record.sealed.kid === next.kid) continue;
    const place = byokEncryptionContext(record);
    const sealed = await next.encrypt(await old.decrypt(record.sealed, place), place);
    const { type } = await store.commit({
      checks: [rows.check([record.id], version)],
      puts: [rows.put([record.id], { ...record, sealed })],
    });
    if (type === "conflict") {
      throw new StartError("Another process writes the provider keys: stop every gateway");
    }
    moved++;
  }
  // With nothing stored yet there is no canary either, and any key will do.
  if (await store.get(next.canary.key)) await store.commit({ puts: [next.canary] });
  return moved;
}
