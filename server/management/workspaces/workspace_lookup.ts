/** Which workspace a path means, by UUID or slug. */

import * as z from "zod";
import { Refusal } from "../../../shared/errors.ts";
import { shown } from "../../../shared/validation/validate.ts";
import type { Found } from "../../stores/collection.ts";
import type { Check, Store } from "../../stores/store.ts";
import { type WorkspaceRow, workspaceRows, workspaceSlugs } from "./workspace_rows.ts";

export type FoundWorkspace = Found<WorkspaceRow>;

const uuid = z.uuid();

export const isUuid = (text: string): boolean => uuid.safeParse(text).success;

/** The row under a UUID or a slug, whatever its state. */
export async function lookUpWorkspace(store: Store, ref: string): Promise<FoundWorkspace | undefined> {
  const rows = workspaceRows(store);
  if (isUuid(ref)) return await rows.get(ref.toLowerCase());
  // A key part that no slug can be would be refused by the store.
  if (!/^[a-z0-9-]{1,50}$/.test(ref)) return undefined;
  const slug = await workspaceSlugs(store).get(ref);
  return slug && await rows.get(slug.record.id);
}

/** Throws a Refusal (404) for one that is not there, or is being deleted. */
export async function findWorkspace(store: Store, ref: string): Promise<FoundWorkspace> {
  const found = await lookUpWorkspace(store, ref);
  if (found === undefined || found.record.state === "deleting") throw noWorkspace(ref);
  return found;
}

/** The same for a change, which no deletion may be in the middle of (409). */
export async function openWorkspace(store: Store, ref: string): Promise<FoundWorkspace> {
  const found = await findWorkspace(store, ref);
  if (found.record.state === "active") return found;
  throw new Refusal("conflict", `Cannot change workspace ${shown(ref)}: it is about to be deleted`);
}

export function noWorkspace(ref: string): Refusal {
  return new Refusal("not_found", `There is no workspace ${shown(ref)}.`);
}

/** Belongs into every commit that makes or changes something in a workspace: its deletion has not begun. */
export function stillThere(store: Store, { record, version }: FoundWorkspace): Check {
  return workspaceRows(store).check([record.id], version);
}
