/** The instances that share a store: who lives, by rows `["instances", id]` that each renews. */

import * as z from "zod";
import { type Store, type StoreEntry, StoreError, type StoreKey } from "../../../storage/stores/store.ts";

const INSTANCE_ROWS = "instances";
/** More than will ever run at once; those that died are removed. */
const MAX_INSTANCES = 1_000;

const instanceRowSchema = z.object({
  /** Counts up with every renewal. A caller who looks on times it by its own clock. */
  beat: z.int(),
  /** Id of the instance that closes what this one has left: this one may not write any more. */
  reaper: z.string().optional(),
});
type InstanceRow = z.output<typeof instanceRowSchema>;

export interface Instance extends InstanceRow {
  readonly id: string;
  readonly version: string;
}

export function instanceKey(id: string): StoreKey {
  return [INSTANCE_ROWS, id];
}

export async function listInstances(store: Store): Promise<readonly Instance[]> {
  return (await store.list([INSTANCE_ROWS], { limit: MAX_INSTANCES })).map(toInstance);
}

export function toInstance({ key, value, version }: StoreEntry): Instance {
  const parsed = instanceRowSchema.safeParse(value);
  if (parsed.success) return { id: String(key[1]), version, ...parsed.data };
  throw new StoreError("corrupt", `Cannot read ${key.join("/")}: it does not fit`, { cause: parsed.error });
}

/** Lists the instances that are alive, or whose open requests are not closed yet. */
export async function liveInstances(store: Store): Promise<ReadonlySet<string>> {
  return new Set((await listInstances(store)).map(({ id }) => id));
}
