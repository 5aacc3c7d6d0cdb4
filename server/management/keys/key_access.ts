/** The key that a path names, if the caller may reach it. */

import { ApiError } from "../../../shared/errors.ts";
import { type Caller, keyHashSchema } from "../../../shared/keys.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import { type OperationInput, pathParameter } from "../core/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { keyCollection, type KeyRow } from "./key_rows.ts";

/** A client secret reaches what its client made; keys of other kinds are reached by nobody here. */
function canAccess(caller: Caller, { kind, client_id }: KeyRow): boolean {
  if (kind !== "api") return false;
  return caller.kind !== "client" || caller.clientId === client_id;
}

/**
 * The key of the path. Absent and out of reach are one answer, after one look at the store (SECURITY.md, API1).
 */
export async function requireKey(
  { store, cacheVersions }: Pick<ManagementDeps, "store" | "cacheVersions">,
  input: Pick<OperationInput, "caller" | "params">,
): Promise<StoredRecord<KeyRow>> {
  const hash = pathParameter(input, "hash");
  const found = keyHashSchema.safeParse(hash).success ? await keyCollection(store).get(hash) : undefined;
  if (found && canAccess(input.caller, found.record)) return found;
  // An earlier commit whose reply was lost may have removed it without telling the caches.
  cacheVersions.changed("keys", hash);
  throw new ApiError("not_found", "There is no key with this hash.");
}
