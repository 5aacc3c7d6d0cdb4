/** The workspaces by id, for names and choices on every page. Read once, and again after changes. */

import { computed } from "@preact/signals";
import { operation } from "./api.ts";
import { app } from "./app.ts";
import { readAll } from "./read_all.ts";
import { createResource } from "./resource.ts";

const listWorkspaces = operation<"workspaces.list">("GET", "/workspaces");

export const workspaces = createResource((signal) =>
  readAll((query) => app.api.call(listWorkspaces, { query, signal }))
);

const byId = computed(() => new Map((workspaces.data.value ?? []).map((one) => [one.id, one])));

/** Name of a workspace; its id in short until the names were read. */
export function workspaceName(id: string): string {
  return byId.value.get(id)?.name ?? id.slice(0, 8);
}

/** Whether they were read, or cannot be. */
export const workspacesKnown = computed(() =>
  workspaces.data.value !== undefined || workspaces.failure.value !== undefined
);

/** The workspace that the switcher narrows every page to; undefined for all. */
export const chosenWorkspace = computed(() => {
  const slug = app.router.query.value.get("workspace");
  if (slug === undefined) return undefined;
  return (workspaces.data.value ?? []).find((one) => one.slug === slug || one.id === slug);
});

/** The chosen workspace, or the first where a page needs one; undefined for holders of API keys. */
export const shownWorkspace = computed(() =>
  app.session.isManager.value ? chosenWorkspace.value ?? workspaces.data.value?.[0] : undefined
);
