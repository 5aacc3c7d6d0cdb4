/** Moves stored secrets, provider keys and those of destinations, to another master key, on a stopped gateway. */

import type * as z from "zod";
import type { Collection } from "../../storage/stores/collection.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import { byokCollection, byokEncryptionContext } from "./byok_rows.ts";
import { iterateRecords } from "../core/pages.ts";
import { StartError } from "../core/start_error.ts";
import { configContext, destinationCollection } from "../destinations/destination_rows.ts";
import { type ciphertextSchema, openVault, otherMasterKey, type Vault, type VaultOptions } from "./vault.ts";

interface ReencryptOptions {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "randomToken" | "log">;
  /** Where the key is that they were stored with. */
  readonly from: Pick<VaultOptions, "input" | "file">;
  /** 32 bytes. */
  readonly to: Uint8Array;
}

/** Records with a secret, as far as their move needs it. */
interface SealedRows<S extends z.ZodType<SealedRecord>> {
  readonly rows: Collection<S>;
  readonly contextOf: (record: z.output<S>) => string;
}

type SealedRecord = { readonly id: string; readonly sealed: z.output<typeof ciphertextSchema> };

/**
 * The number of secrets that were moved. Cut off in the middle, it goes on when it is called again: what was moved
 * already is known by its key id. Throws a StartError for a wrong old key.
 */
export async function reencryptSecrets({ store, runtime, from, to }: ReencryptOptions): Promise<number> {
  const old = await openVault({ store, runtime, ...from });
  const next = await otherMasterKey({ store, runtime, master: to });
  const move = { store, old, next };
  const moved = await moveAll(move, { rows: byokCollection(store), contextOf: byokEncryptionContext }) +
    await moveAll(move, { rows: destinationCollection(store), contextOf: configContext });
  // With nothing stored yet there is no canary either, and any key will do.
  if (await store.get(next.canary.key)) await store.commit({ puts: [next.canary] });
  return moved;
}

interface Move {
  readonly store: Store;
  readonly old: Vault;
  readonly next: Awaited<ReturnType<typeof otherMasterKey>>;
}

async function moveAll<S extends z.ZodType<SealedRecord>>(
  { store, old, next }: Move,
  { rows, contextOf }: SealedRows<S>,
): Promise<number> {
  let moved = 0;
  for await (const { record, version } of iterateRecords(rows)) {
    if (record.sealed.kid === next.kid) continue;
    const place = contextOf(record);
    const sealed = await next.encrypt(await old.decrypt(record.sealed, place), place);
    const { type } = await store.commit({
      checks: [rows.check([record.id], version)],
      puts: [rows.put([record.id], toInput<S>({ ...record, sealed }))],
    });
    if (type === "conflict") {
      throw new StartError("Another process writes the stored secrets: stop every gateway");
    }
    moved++;
  }
  return moved;
}

/** Casts a stored record, which its schema takes as it gives it. */
function toInput<S extends z.ZodType>(record: z.output<S>): z.input<S> {
  return record as z.input<S>;
}
