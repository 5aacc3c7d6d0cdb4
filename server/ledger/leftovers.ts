/** What an earlier run has left: requests it never closed, and receipts that it could only put into the spool. */

import type { Store } from "../stores/store.ts";
import type { World } from "../world.ts";
import { RECEIPT } from "./block_builder.ts";
import type { CloseEntry } from "./entries.ts";
import { interruptedEntry, Orphan } from "./orphan.ts";
import { readLeft } from "./recovery.ts";
import type { Scopes } from "./scopes.ts";
import type { Spool } from "./spool.ts";

export interface LeftoversOptions {
  readonly store: Store;
  readonly world: Pick<World, "clock" | "log">;
  readonly instance: string;
  readonly spool: Spool | undefined;
  readonly scopes: Scopes;
}

export interface Leftovers {
  /** The block that comes next. */
  readonly seq: number;
  /** Receipts to be written before anything is admitted. */
  readonly orphans: readonly Orphan[];
}

/** Throws a StoreError. */
export async function closeLeftovers(options: LeftoversOptions): Promise<Leftovers> {
  const { store, world, instance, spool, scopes } = options;
  const { seq, open } = await readLeft(store, instance);
  const spooled = new Map((spool?.read() ?? []).map((entry) => [entry.receipt.id, entry]));
  const entries: CloseEntry[] = [];
  for (const request of open) {
    entries.push(spooled.get(request.id) ?? interruptedEntry(request, world.clock.now()));
    spooled.delete(request.id);
  }
  entries.push(...await unwritten(store, [...spooled.values()]));
  if (entries.length > 0) {
    world.log.warn("Requests that an earlier run has left open are closed", { count: entries.length });
  }
  return { seq, orphans: entries.map((entry) => new Orphan(entry, scopes)) };
}

/** Spooled receipts may have reached the store before the process ended. */
async function unwritten(store: Store, entries: readonly CloseEntry[]): Promise<readonly CloseEntry[]> {
  if (entries.length === 0) return [];
  const rows = await store.getMany(entries.map(({ receipt }) => [RECEIPT, receipt.id]));
  return entries.filter((_, at) => rows[at] === undefined);
}
