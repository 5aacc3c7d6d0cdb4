/** The workspaces by id, for names and choices on every page. Read once, and again after changes. */

import { computed } from "@preact/signals";
import type { WorkspaceRecord } from "../shared/workspaces.ts";
import { operation } from "./api.ts";
import { app } from "./app.ts";
import { createResource } from "./resource.ts";

const listWorkspaces = operation<"workspaces.list">("GET", "/workspaces");
const PAGE = 100;
/** More than these are found by the palette's search, not in a choice. */
const MOST = 1_000;

async function readAll(signal: AbortSignal): Promise<readonly WorkspaceRecord[]> {
  const found: WorkspaceRecord[] = [];
  let total = Infinity;
  while (found.length < Math.min(total, MOST)) {
    const { data, total_count } = await app.api.call(listWorkspaces, {
      query: { offset: found.length, limit: PAGE },
      signal,
    });
    if (data.length === 0) break;
    found.push(...data);
    total = total_count;
  }
  return found;
}

export const workspaces = createResource(readAll);

const byId = computed(() => new Map((workspaces.data.value ?? []).map((one) => [one.id, one])));

/** What a workspace is called; its id in short until the names were read. */
export function workspaceName(id: string): string {
  return byId.value.get(id)?.name ?? id.slice(0, 8);
}

/** The workspace that the switcher narrows every page to; undefined for all. */
export const chosenWorkspace = computed(() => {
  const slug = app.router.query.value.get("workspace");
  if (slug === undefined) return undefined;
  return (workspaces.data.value ?? []).find((one) => one.slug === slug || one.id === slug);
});
