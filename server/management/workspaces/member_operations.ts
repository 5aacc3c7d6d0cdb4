/** Operations on the members of a workspace. Members are names of users, which the gateway knows nothing else of. */

import type { workspaceApi } from "../../../shared/management/workspaces.ts";
import type { WorkspaceMember } from "../../../shared/workspaces.ts";
import { type OperationHandlers, type OperationInput, pathParameter } from "../core/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { compareByAge, paginate, readAllRecords } from "../core/pages.ts";
import { findOpenWorkspace, findWorkspace, workspaceUnchanged } from "./workspace_lookup.ts";
import { memberCollection, toUuid } from "./workspace_rows.ts";
import { auditCaller, commitWrite, retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";

type Api = typeof workspaceApi;
type MemberOperation = "workspaces.members.list" | "workspaces.members.add" | "workspaces.members.remove";

export function memberOperations(deps: ManagementDeps): OperationHandlers<Pick<Api, MemberOperation>> {
  const { store } = deps;
  return {
    "workspaces.members.list": async (input) => {
      const { record } = await findWorkspace(store, pathParameter(input, "id"));
      return paginate(
        (await readAllRecords(memberCollection(store), [record.id])).sort(compareByAge),
        input.query,
      );
    },
    "workspaces.members.add": async (input) => {
      const data: WorkspaceMember[] = [];
      let added = 0;
      for (const userId of new Set(input.body.user_ids)) {
        const { member, isNew } = await add(deps, { input, userId });
        data.push(member);
        if (isNew) added++;
      }
      return { data, added_count: added };
    },
    "workspaces.members.remove": async (input) => {
      let removed = 0;
      for (const userId of new Set(input.body.user_ids)) {
        if (await remove(deps, { input, userId })) removed++;
      }
      return { removed_count: removed };
    },
  };
}

interface One {
  readonly input: Pick<OperationInput, "caller" | "params" | "requestId">;
  readonly userId: string;
}

function add(
  deps: ManagementDeps,
  { input, userId }: One,
): Promise<{ member: WorkspaceMember; isNew: boolean }> {
  const { store, runtime } = deps;
  const rows = memberCollection(store);
  return retryOnConflict(deps.runtime, async () => {
    const workspace = await findOpenWorkspace(store, pathParameter(input, "id"));
    const { id: workspaceId } = workspace.record;
    const found = await rows.get(workspaceId, userId);
    if (found) return { member: found.record, isNew: false };
    const member: WorkspaceMember = {
      id: toUuid(runtime.id()),
      user_id: userId,
      workspace_id: workspaceId,
      role: "member",
      created_at: new Date(runtime.clock.now()).toISOString(),
    };
    const done = await commitWrite(deps, {
      checks: [workspaceUnchanged(store, workspace), rows.check([workspaceId, userId], null)],
      puts: [rows.put([workspaceId, userId], member)],
      change: {
        ...auditCaller(input),
        operation: "workspaces.members.add",
        subject: { type: "workspace_member", id: member.id },
        before: null,
        after: member,
      },
      cacheTopic: { topic: "workspaces", id: workspaceId },
      small: true,
    });
    return done ? { member, isNew: true } : WRITE_CONFLICT;
  });
}

function remove(deps: ManagementDeps, { input, userId }: One): Promise<boolean> {
  const { store } = deps;
  const rows = memberCollection(store);
  return retryOnConflict(deps.runtime, async () => {
    const { record: { id } } = await findOpenWorkspace(store, pathParameter(input, "id"));
    const found = await rows.get(id, userId);
    if (!found) return false;
    const { record: member, version } = found;
    const done = await commitWrite(deps, {
      checks: [rows.check([id, userId], version)],
      deletes: [rows.key([id, userId])],
      change: {
        ...auditCaller(input),
        operation: "workspaces.members.remove",
        subject: { type: "workspace_member", id: member.id },
        before: member,
        after: null,
      },
      cacheTopic: { topic: "workspaces", id },
      small: true,
    });
    return done || WRITE_CONFLICT;
  });
}
