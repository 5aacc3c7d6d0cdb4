/** Moves stored provider keys to another master key, on a stopped gateway. */

import type { Store } from "../../stores/store.ts";
import type { World } from "../../runtime.ts";
import { byokRows, placeOf } from "./byok_rows.ts";
import { everyRow } from "../core/pages.ts";
import { StartError } from "../core/start_error.ts";
import { anotherKey, openVault, type VaultOptions } from "./vault.ts";

export interface ReencryptOptions {
  readonly store: Store;
  readonly world: Pick<World, "randomToken" | "log">;
  /** Where the key is that they were stored with. */
  readonly from: Pick<VaultOptions, "given" | "file">;
  /** 32 bytes. */
  readonly to: Uint8Array;
}

/**
 * The number of keys that were moved. Cut off in the middle, it goes on when it is called again: what was moved already
 * is known by its key id. Throws a StartError for a wrong old key.
 */
export async function reencrypt({ store, world, from, to }: ReencryptOptions): Promise<number> {
  const old = await openVault({ store, world, ...from });
  const next = await anotherKey({ store, world, master: to });
  const rows = byokRows(store);
  let moved = 0;
  for await (const { record, version } of everyRow(rows)) {
    if (record.sealed.kid === next.kid) continue;
    const place = placeOf(record);
    const sealed = await next.seal(await old.open(record.sealed, place), place);
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
