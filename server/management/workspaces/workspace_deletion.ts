/**
 * Deleting a workspace (specification, Delete a workspace). It closes first, so that no key can come into it or
 * be enabled while its active keys are counted; then it is gone for everybody; then what belongs to it is removed,
 * and its row last. A record of the deletion stands beside it from the first commit to the last, by which any
 * instance finishes what a crash has cut off.
 */

import { ApiError } from "../../../shared/errors.ts";
import type { Caller } from "../../../shared/keys.ts";
import type { Store, StoreCommit } from "../../storage/stores/store.ts";
import type { AuditWriter } from "../audit/audit_log.ts";
import { isActive, listIndexedKeys } from "../keys/lists/key_index.ts";
import type { FoundWorkspace } from "./workspace_lookup.ts";
import { type WorkspaceContent, type WorkspaceContentDeps, workspaceContents } from "./workspace_contents.ts";
import {
  serializeWorkspace,
  workspaceCollection,
  workspaceDeletions,
  type WorkspaceRow,
  workspaceSlugs,
} from "./workspace_rows.ts";

export interface WorkspaceDeletionDeps extends WorkspaceContentDeps {
  readonly audit: AuditWriter;
  /** Other than the default ones, in tests. */
  readonly contents?: readonly WorkspaceContent[];
}

/** Caller that asked for the deletion; absent where the gateway finishes what it finds. */
interface DeletionRequester {
  readonly caller?: Caller;
  readonly requestId?: string;
}

/** `deleted`: by this call. `gone`: somebody else was first. `kept`: it has so many active keys. */
type DeletionResult =
  | { readonly type: "deleted" }
  | { readonly type: "gone" }
  | { readonly type: "kept"; readonly active: number };

/** Begins and ends a deletion. Throws an ApiError (400) when there are active keys. */
export async function deleteWorkspace(
  deps: WorkspaceDeletionDeps,
  { found, ...asker }: DeletionRequester & { readonly found: FoundWorkspace },
): Promise<DeletionResult> {
  // Most API errors end here, before anything is closed.
  if (found.record.state === "active") refuseActive(await activeKeys(deps, found.record.id), found.record);
  if (found.record.state === "active") await close(deps, found);
  const ending = await finishDeletion(deps, { id: found.record.id, ...asker });
  if (ending.type === "kept") refuseActive(ending.active, found.record);
  return ending;
}

/** Walks the deletion on from wherever it stands. Harmless to call at any time, from any instance, and twice at once. */
export async function finishDeletion(
  deps: WorkspaceDeletionDeps,
  { id, ...asker }: DeletionRequester & { readonly id: string },
): Promise<DeletionResult> {
  const rows = workspaceCollection(deps.store);
  for (;;) {
    const found = await rows.get(id);
    if (found === undefined) return { type: "gone" };
    if (found.record.state === "active") return await withoutRequester(deps, found);
    const ending = found.record.state === "closing"
      ? await decide(deps, { found, ...asker })
      : await remove(deps, found);
    if (ending !== undefined) return ending;
  }
}

type DeletionStep = DeletionRequester & { readonly found: FoundWorkspace };

/** Nothing can come in from here on, and nobody is shut out yet. */
async function close(
  { store, cacheVersions, runtime }: WorkspaceDeletionDeps,
  found: FoundWorkspace,
): Promise<void> {
  const { record } = found;
  const rows = workspaceCollection(store);
  const at = new Date(runtime.clock.now()).toISOString();
  await store.commit({
    checks: [rows.check([record.id], found.version)],
    puts: [
      rows.put([record.id], { ...record, state: "closing" }),
      workspaceDeletions(store).put([record.id], { id: record.id, at }),
      cacheVersions.put("workspaces"),
    ],
  });
  cacheVersions.changed("workspaces", record.id);
}

/** With no active key the workspace is gone for everybody; with one it opens again. */
async function decide(
  deps: WorkspaceDeletionDeps,
  { found, ...asker }: DeletionStep,
): Promise<DeletionResult | undefined> {
  const { record: { id } } = found;
  const active = await activeKeys(deps, id);
  const decided = active > 0 ? await reopen(deps, found) : await closeWorkspace(deps, { found, ...asker });
  return decided && active > 0 ? { type: "kept", active } : undefined;
}

function reopen(
  { store, cacheVersions }: WorkspaceDeletionDeps,
  { record, version }: FoundWorkspace,
): Promise<boolean> {
  const rows = workspaceCollection(store);
  return committed(store, {
    checks: [rows.check([record.id], version)],
    puts: [rows.put([record.id], { ...record, state: "active" }), cacheVersions.put("workspaces")],
    deletes: [workspaceDeletions(store).key([record.id])],
  });
}

async function committed(store: Store, commit: StoreCommit): Promise<boolean> {
  const { type } = await store.commit(commit);
  return type === "ok";
}

async function closeWorkspace(
  deps: WorkspaceDeletionDeps,
  { found: { record, version }, ...asker }: DeletionStep,
): Promise<boolean> {
  const { store, cacheVersions, audit } = deps;
  const rows = workspaceCollection(store);
  const done = await committed(store, {
    checks: [rows.check([record.id], version)],
    puts: [
      rows.put([record.id], { ...record, state: "deleting" }),
      audit.put({
        ...asker,
        operation: "workspaces.delete",
        subject: { type: "workspace", id: record.id },
        before: serializeWorkspace(record),
        after: null,
      }),
      cacheVersions.put("workspaces"),
      cacheVersions.put("keys"),
    ],
  });
  cacheVersions.changed("workspaces", record.id);
  // Whatever is remembered of any of its keys is forgotten: they are refused from now on.
  cacheVersions.changed("keys");
  return done;
}

async function remove(
  deps: WorkspaceDeletionDeps,
  { record, version }: FoundWorkspace,
): Promise<DeletionResult | undefined> {
  const { store, cacheVersions, contents = workspaceContents } = deps;
  for (const part of contents) await part.remove(deps, record.id);
  const rows = workspaceCollection(store);
  const done = await committed(store, {
    checks: [rows.check([record.id], version)],
    puts: [cacheVersions.put("workspaces")],
    deletes: [
      rows.key([record.id]),
      workspaceSlugs(store).key([record.slug]),
      workspaceDeletions(store).key([record.id]),
    ],
  });
  cacheVersions.changed("workspaces", record.id);
  return done ? { type: "deleted" } : undefined;
}

/** Somebody else has found active keys: what is left of their deletion, if anything, goes too. */
async function withoutRequester(deps: WorkspaceDeletionDeps, found: FoundWorkspace): Promise<DeletionResult> {
  const { record: { id }, version } = found;
  const { store } = deps;
  const checks = [workspaceCollection(store).check([id], version)];
  await store.commit({ checks, deletes: [workspaceDeletions(store).key([id])] });
  return { type: "kept", active: await activeKeys(deps, id) };
}

async function activeKeys(
  { store, runtime: { clock } }: WorkspaceDeletionDeps,
  workspaceId: string,
): Promise<number> {
  let active = 0;
  for await (const key of listIndexedKeys(store, { name: "workspace", of: workspaceId })) {
    if (isActive(key, clock.now())) active++;
  }
  return active;
}

function refuseActive(active: number, { slug }: Pick<WorkspaceRow, "slug">): void {
  if (active === 0) return;
  const keys = active === 1 ? "1 active API key" : `${active} active API keys`;
  throw new ApiError(
    "invalid_request",
    `Cannot delete workspace ${slug}: it has ${keys}. Delete or disable ${
      active === 1 ? "it" : "them"
    } first.`,
    { metadata: { path: "id", active_keys: active } },
  );
}
