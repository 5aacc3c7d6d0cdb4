/** Who belongs to a workspace. Members are names of users, which the gateway knows nothing else of. */

import type { workspaceApi } from "../../../shared/management/workspaces.ts";
import type { Member } from "../../../shared/workspaces.ts";
import { type Acts, type Asked, param } from "../core/operation.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { allRows, oldestFirst, paged } from "../core/pages.ts";
import { findWorkspace, openWorkspace, stillThere } from "./workspace_lookup.ts";
import { memberRows, toUuid } from "./workspace_rows.ts";
import { askedBy, CONFLICT, retried, write } from "../core/write.ts";

type Api = typeof workspaceApi;
type MemberOperation = "workspaces.members.list" | "workspaces.members.add" | "workspaces.members.remove";

export function memberActs(deps: AdminDeps): Acts<Pick<Api, MemberOperation>> {
  const { store } = deps;
  return {
    "workspaces.members.list": async (asked) => {
      const { record } = await findWorkspace(store, param(asked, "id"));
      return paged((await allRows(memberRows(store), [record.id])).sort(oldestFirst), asked.query);
    },
    "workspaces.members.add": async (asked) => {
      const data: Member[] = [];
      let added = 0;
      for (const userId of new Set(asked.body.user_ids)) {
        const { member, isNew } = await add(deps, { asked, userId });
        data.push(member);
        if (isNew) added++;
      }
      return { data, added_count: added };
    },
    "workspaces.members.remove": async (asked) => {
      let removed = 0;
      for (const userId of new Set(asked.body.user_ids)) {
        if (await remove(deps, { asked, userId })) removed++;
      }
      return { removed_count: removed };
    },
  };
}

interface One {
  readonly asked: Pick<Asked, "caller" | "params" | "requestId">;
  readonly userId: string;
}

function add(deps: AdminDeps, { asked, userId }: One): Promise<{ member: Member; isNew: boolean }> {
  const { store, world } = deps;
  const rows = memberRows(store);
  return retried(deps.world, async () => {
    const workspace = await openWorkspace(store, param(asked, "id"));
    const { id: workspaceId } = workspace.record;
    const found = await rows.get(workspaceId, userId);
    if (found) return { member: found.record, isNew: false };
    const member: Member = {
      id: toUuid(world.id()),
      user_id: userId,
      workspace_id: workspaceId,
      role: "member",
      created_at: new Date(world.clock.now()).toISOString(),
    };
    const done = await write(deps, {
      checks: [stillThere(store, workspace), rows.check([workspaceId, userId], null)],
      puts: [rows.put([workspaceId, userId], member)],
      change: {
        ...askedBy(asked),
        operation: "workspaces.members.add",
        subject: { type: "workspace_member", id: member.id },
        before: null,
        after: member,
      },
      epoch: { topic: "workspaces", id: workspaceId },
      small: true,
    });
    return done ? { member, isNew: true } : CONFLICT;
  });
}

function remove(deps: AdminDeps, { asked, userId }: One): Promise<boolean> {
  const { store } = deps;
  const rows = memberRows(store);
  return retried(deps.world, async () => {
    const { record: { id } } = await openWorkspace(store, param(asked, "id"));
    const found = await rows.get(id, userId);
    if (!found) return false;
    const { record: member, version } = found;
    const done = await write(deps, {
      checks: [rows.check([id, userId], version)],
      deletes: [rows.key([id, userId])],
      change: {
        ...askedBy(asked),
        operation: "workspaces.members.remove",
        subject: { type: "workspace_member", id: member.id },
        before: member,
        after: null,
      },
      epoch: { topic: "workspaces", id },
      small: true,
    });
    return done || CONFLICT;
  });
}
