/** The key that a path names, if the caller may reach it. */

import { Refusal } from "../../../shared/errors.ts";
import { type Caller, keyHashSchema } from "../../../shared/keys.ts";
import type { Found } from "../../stores/collection.ts";
import { type Asked, param } from "../core/operation.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { type KeyRow, keyRows } from "./key_rows.ts";

/** A client secret reaches what its client made; keys of other kinds are reached by nobody here. */
function isReached(caller: Caller, { kind, client_id }: KeyRow): boolean {
  if (kind !== "api") return false;
  return caller.kind !== "client" || caller.clientId === client_id;
}

/** The key of the path. Absent and out of reach are one answer, after one look at the store (security.md 3.1, API1). */
export async function reach(
  { store, epochs }: Pick<AdminDeps, "store" | "epochs">,
  asked: Pick<Asked, "caller" | "params">,
): Promise<Found<KeyRow>> {
  const hash = param(asked, "hash");
  const found = keyHashSchema.safeParse(hash).success ? await keyRows(store).get(hash) : undefined;
  if (found && isReached(asked.caller, found.record)) return found;
  // An earlier commit whose reply was lost may have removed it without telling the caches.
  epochs.changed("keys", hash);
  throw new Refusal("not_found", "There is no key with this hash.");
}
