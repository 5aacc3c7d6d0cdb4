/** Which workspace a path means, by UUID or slug. */

import * as z from "zod";
import { ApiError } from "../../../shared/errors.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { Store, VersionCheck } from "../../storage/stores/store.ts";
import { workspaceCollection, type WorkspaceRow, workspaceSlugs } from "./workspace_rows.ts";

export type FoundWorkspace = StoredRecord<WorkspaceRow>;

const uuid = z.uuid();

export const isUuid = (text: string): boolean => uuid.safeParse(text).success;

/** The row under a UUID or a slug, whatever its state. */
export async function lookUpWorkspace(store: Store, ref: string): Promise<FoundWorkspace | undefined> {
  const rows = workspaceCollection(store);
  if (isUuid(ref)) return await rows.get(ref.toLowerCase());
  // A key part that no slug can be would be refused by the store.
  if (!/^[a-z0-9-]{1,50}$/.test(ref)) return undefined;
  const slug = await workspaceSlugs(store).get(ref);
  return slug && await rows.get(slug.record.id);
}

/** Throws an ApiError (404) for one that is not there, or is being deleted. */
export async function findWorkspace(store: Store, ref: string): Promise<FoundWorkspace> {
  const found = await lookUpWorkspace(store, ref);
  if (found === undefined || found.record.state === "deleting") throw workspaceNotFound(ref);
  return found;
}

/** The same for a change, which no deletion may be in the middle of (409). */
export async function findOpenWorkspace(store: Store, ref: string): Promise<FoundWorkspace> {
  const found = await findWorkspace(store, ref);
  if (found.record.state === "active") return found;
  throw new ApiError("conflict", `Cannot change workspace ${formatValue(ref)}: it is about to be deleted`);
}

export function workspaceNotFound(ref: string): ApiError {
  return new ApiError("not_found", `There is no workspace ${formatValue(ref)}.`);
}

/** Belongs into every commit that makes or changes something in a workspace: its deletion has not begun. */
export function workspaceUnchanged(store: Store, { record, version }: FoundWorkspace): VersionCheck {
  return workspaceCollection(store).check([record.id], version);
}
