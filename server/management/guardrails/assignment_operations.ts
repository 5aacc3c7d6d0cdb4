/** Who has which guardrail: at most one a key and one a member, and giving another one takes the first away. */

import type { guardrailApi } from "../../../shared/management/guardrails.ts";
import { Refusal } from "../../../shared/errors.ts";
import type { KeyAssignment, MemberAssignment } from "../../../shared/guardrails.ts";
import type { Acts, Asked } from "../core/operation.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import {
  guardrailMembers,
  type GuardrailRow,
  guardrailRows,
  type MemberRow,
  membersOfGuardrail,
} from "./guardrail_rows.ts";
import { findGuardrail, idOf } from "./guardrail_operations.ts";
import { indexedKeys, keyDeletes, keyPuts } from "../keys/key_index.ts";
import { type KeyRow, keyRows } from "../keys/key_rows.ts";
import { everyRow, oldestFirst, paged } from "../core/pages.ts";
import { toUuid } from "../workspaces/workspace_rows.ts";
import { askedBy, CONFLICT, retried, write } from "../core/write.ts";

type Api = typeof guardrailApi;
type AssignmentOperation = Extract<keyof Api, `guardrails.assignments.${string}`>;

export function assignmentActs(deps: AdminDeps): Acts<Pick<Api, AssignmentOperation>> {
  /** One after the other, each in a commit of its own; counts those that something changed for. */
  const each = async (targets: readonly string[], change: Change): Promise<number> => {
    let changed = 0;
    for (const target of new Set(targets)) if (await retried(deps.world, () => change(target))) changed++;
    return changed;
  };
  return {
    "guardrails.assignments.keys.all": async ({ query }) => paged(await keysOf(deps), query),
    "guardrails.assignments.members.all": async ({ query }) => paged(await membersOf(deps), query),
    "guardrails.assignments.keys.list": async (asked) =>
      paged(await keysOf(deps, await existing(deps, asked)), asked.query),
    "guardrails.assignments.members.list": async (asked) =>
      paged(await membersOf(deps, await existing(deps, asked)), asked.query),
    "guardrails.assignments.keys.add": async (asked) => ({
      assigned_count: await each(asked.body.key_hashes, (target) => giveKey(deps, { asked, target })),
    }),
    "guardrails.assignments.keys.remove": async (asked) => ({
      unassigned_count: await each(asked.body.key_hashes, (target) => takeFromKey(deps, { asked, target })),
    }),
    "guardrails.assignments.members.add": async (asked) => ({
      assigned_count: await each(
        asked.body.member_user_ids,
        (target) => giveMember(deps, { asked, target }),
      ),
    }),
    "guardrails.assignments.members.remove": async (asked) => ({
      unassigned_count: await each(
        asked.body.member_user_ids,
        (target) => takeFromMember(deps, { asked, target }),
      ),
    }),
  };
}

type Change = (target: string) => Promise<boolean | typeof CONFLICT>;

async function existing({ store }: AdminDeps, asked: Pick<Asked, "params">): Promise<string> {
  return (await findGuardrail(store, idOf(asked, "list assignments"))).record.id;
}

/** Of one guardrail, or of all. */
async function keysOf({ store }: AdminDeps, id?: string): Promise<KeyAssignment[]> {
  const found: KeyAssignment[] = [];
  const rows = keyRows(store);
  const ids = id === undefined ? (await guardrailIds(store)) : [id];
  for (const of of ids) {
    for await (const { hash } of indexedKeys(store, { name: "guardrail", of })) {
      const row = (await rows.get(hash))?.record;
      if (row?.guardrail) {
        found.push({ ...row.guardrail, key_hash: hash, key_name: row.name, key_label: row.label });
      }
    }
  }
  return found.sort(oldestFirst);
}

async function guardrailIds(store: AdminDeps["store"]): Promise<string[]> {
  const ids: string[] = [];
  for await (const { record } of everyRow(guardrailRows(store))) if (!record.deleting) ids.push(record.id);
  return ids;
}

async function membersOf({ store }: AdminDeps, id?: string): Promise<MemberAssignment[]> {
  const found: MemberAssignment[] = [];
  for await (const { record } of everyRow(guardrailMembers(store))) {
    if (id === undefined || record.guardrail_id === id) found.push(toMember(record));
  }
  return found.sort(oldestFirst);
}

const toMember = (row: MemberRow): MemberAssignment => ({ ...row, organization_id: "default" });

interface One {
  readonly asked: Pick<Asked, "caller" | "params" | "requestId">;
  /** A key's hash, or a user. */
  readonly target: string;
}

function change(
  { asked, target }: One,
  { operation, id }: { readonly operation: string; readonly id: string },
) {
  return {
    ...askedBy(asked),
    operation,
    subject: { type: "guardrail", id },
    before: null,
    after: { target },
  };
}

function assignmentOf({ world }: AdminDeps, { asked }: One) {
  const created_at = new Date(world.clock.now()).toISOString();
  return { id: toUuid(world.id()), assigned_by: asked.caller.keyHash, created_at };
}

/** Throws a Refusal (400) for a hash that no API key has, or one of another workspace's. */
async function keyFor(
  { store }: AdminDeps,
  { target, guardrail }: { target: string; guardrail: GuardrailRow },
) {
  const found = await keyRows(store).get(target);
  const of = guardrail.workspace_id;
  if (found?.record.kind === "api" && (of === null || found.record.workspace_id === of)) return found;
  throw new Refusal(
    "invalid_request",
    `Cannot assign keys: key_hashes has ${target}, which is no API key${
      of === null ? "" : ` of workspace ${of}`
    }`,
    { metadata: { path: "key_hashes" } },
  );
}

async function giveKey(deps: AdminDeps, one: One): Promise<boolean | typeof CONFLICT> {
  const { store } = deps;
  const guardrail = await findGuardrail(store, idOf(one.asked, "assign keys"));
  const { id } = guardrail.record;
  const { record, version } = await keyFor(deps, { target: one.target, guardrail: guardrail.record });
  if (record.guardrail?.guardrail_id === id) return false;
  const next = { ...record, guardrail: { ...assignmentOf(deps, one), guardrail_id: id } };
  return await changeKey(deps, {
    next,
    record,
    checks: [
      keyRows(store).check([record.hash], version),
      guardrailRows(store).check([id], guardrail.version),
    ],
    change: change(one, { operation: "guardrails.assignments.keys.add", id }),
  });
}

async function takeFromKey(deps: AdminDeps, one: One): Promise<boolean | typeof CONFLICT> {
  const { store } = deps;
  const { record: { id } } = await findGuardrail(store, idOf(one.asked, "unassign keys"));
  const found = await keyRows(store).get(one.target);
  if (found?.record.guardrail?.guardrail_id !== id) return false;
  return await changeKey(deps, {
    next: { ...found.record, guardrail: null },
    record: found.record,
    checks: [keyRows(store).check([one.target], found.version)],
    change: change(one, { operation: "guardrails.assignments.keys.remove", id }),
  });
}

interface KeyChange extends Pick<Parameters<typeof write>[1], "checks" | "change"> {
  readonly record: KeyRow;
  readonly next: KeyRow;
}

async function changeKey(
  deps: AdminDeps,
  { record, next, ...rest }: KeyChange,
): Promise<true | typeof CONFLICT> {
  const puts = keyPuts(deps.store, next);
  const kept = new Set(puts.map(({ key }) => JSON.stringify(key)));
  const deletes = keyDeletes(deps.store, record).filter((key) => !kept.has(JSON.stringify(key)));
  const epoch = { topic: "keys", id: record.hash } as const;
  return await write(deps, { ...rest, puts, deletes, epoch, small: true }) || CONFLICT;
}

async function giveMember(deps: AdminDeps, one: One): Promise<boolean | typeof CONFLICT> {
  const { store } = deps;
  const guardrail = await findGuardrail(store, idOf(one.asked, "assign members"));
  const { id } = guardrail.record;
  const rows = guardrailMembers(store);
  const index = membersOfGuardrail(store);
  const found = await rows.get(one.target);
  const old = found?.record.guardrail_id;
  if (old === id) return false;
  const row: MemberRow = { ...assignmentOf(deps, one), guardrail_id: id, user_id: one.target };
  return await write(deps, {
    checks: [
      guardrailRows(store).check([id], guardrail.version),
      rows.check([one.target], found?.version ?? null),
    ],
    puts: [rows.put([one.target], row), index.put([id, one.target], {})],
    deletes: old === undefined ? [] : [index.key([old, one.target])],
    change: change(one, { operation: "guardrails.assignments.members.add", id }),
    epoch: { topic: "guardrails", id },
    small: true,
  }) || CONFLICT;
}

async function takeFromMember(deps: AdminDeps, one: One): Promise<boolean | typeof CONFLICT> {
  const { store } = deps;
  const { record: { id } } = await findGuardrail(store, idOf(one.asked, "unassign members"));
  const rows = guardrailMembers(store);
  const found = await rows.get(one.target);
  if (found?.record.guardrail_id !== id) return false;
  return await write(deps, {
    checks: [rows.check([one.target], found.version)],
    deletes: [rows.key([one.target]), membersOfGuardrail(store).key([id, one.target])],
    change: change(one, { operation: "guardrails.assignments.members.remove", id }),
    epoch: { topic: "guardrails", id },
    small: true,
  }) || CONFLICT;
}
