/** Assigns guardrails: a key and a member have at most one each, and assigning another one takes the first away. */

import type { guardrailApi } from "../../../shared/management/guardrails.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { KeyAssignment, MemberAssignment } from "../../../shared/guardrails.ts";
import type { OperationHandlers, OperationInput } from "../core/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import {
  findGuardrail,
  guardrailCollection,
  type GuardrailMemberRow,
  guardrailMembers,
  type GuardrailRow,
  membersOfGuardrail,
  requireGuardrailId,
} from "./guardrail_rows.ts";
import { keyDeletes, keyPuts, listIndexedKeys } from "../keys/lists/key_index.ts";
import { keyCollection, type KeyRow } from "../keys/key_rows.ts";
import { compareByAge, iterateRecords, paginate } from "../core/pages.ts";
import { toUuid } from "../workspaces/workspace_rows.ts";
import {
  auditCaller,
  commitWrite,
  type ManagementWrite,
  retryOnConflict,
  WRITE_CONFLICT,
} from "../core/write.ts";
import type { StoredRecord } from "../../storage/stores/collection.ts";
import type { Store, VersionCheck } from "../../storage/stores/store.ts";

type Api = typeof guardrailApi;
type KeyOperation = Extract<keyof Api, `guardrails.assignments.keys.${string}`>;
type MemberOperation = Extract<keyof Api, `guardrails.assignments.members.${string}`>;

export function assignmentOperations(
  deps: ManagementDeps,
): OperationHandlers<Pick<Api, KeyOperation | MemberOperation>> {
  return { ...keyOperations(deps), ...memberOperations(deps) };
}

function keyOperations(deps: ManagementDeps): OperationHandlers<Pick<Api, KeyOperation>> {
  return {
    "guardrails.assignments.keys.all": async ({ query }) =>
      paginate(await allKeys(deps, query.key_hash), query),
    "guardrails.assignments.keys.list": async (input) =>
      paginate(await keysOf(deps, await existing(deps, input)), input.query),
    "guardrails.assignments.keys.add": async (input) => ({
      assigned_count: await countChanged(deps, {
        input,
        kind: keys,
        operation: "add",
        targets: input.body.key_hashes,
      }),
    }),
    "guardrails.assignments.keys.remove": async (input) => ({
      unassigned_count: await countChanged(deps, {
        input,
        kind: keys,
        operation: "remove",
        targets: input.body.key_hashes,
      }),
    }),
  };
}

function memberOperations(deps: ManagementDeps): OperationHandlers<Pick<Api, MemberOperation>> {
  return {
    "guardrails.assignments.members.all": async ({ query }) => paginate(await membersOf(deps), query),
    "guardrails.assignments.members.list": async (input) =>
      paginate(await membersOf(deps, await existing(deps, input)), input.query),
    "guardrails.assignments.members.add": async (input) => ({
      assigned_count: await countChanged(deps, {
        input,
        kind: members,
        operation: "add",
        targets: input.body.member_user_ids,
      }),
    }),
    "guardrails.assignments.members.remove": async (input) => ({
      unassigned_count: await countChanged(deps, {
        input,
        kind: members,
        operation: "remove",
        targets: input.body.member_user_ids,
      }),
    }),
  };
}

async function existing({ store }: ManagementDeps, input: Pick<OperationInput, "params">): Promise<string> {
  return (await findGuardrail(store, requireGuardrailId(input, "list assignments"))).record.id;
}

/** Lists the assignment of one key (none or one), or of all. */
async function allKeys(deps: ManagementDeps, hash: string | undefined): Promise<KeyAssignment[]> {
  if (hash === undefined) return await keysOf(deps);
  const row = (await keyCollection(deps.store).get(hash))?.record;
  return row?.guardrail ? [toKeyAssignment(row, row.guardrail)] : [];
}

const toKeyAssignment = (
  { hash, name, label }: KeyRow,
  guardrail: NonNullable<KeyRow["guardrail"]>,
): KeyAssignment => ({ ...guardrail, key_hash: hash, key_name: name, key_label: label });

/** Lists the assignments of one guardrail, or of all. */
async function keysOf({ store }: ManagementDeps, id?: string): Promise<KeyAssignment[]> {
  const found: KeyAssignment[] = [];
  const rows = keyCollection(store);
  const ids = id === undefined ? (await guardrailIds(store)) : [id];
  for (const of of ids) {
    for await (const { hash } of listIndexedKeys(store, { name: "guardrail", of })) {
      const row = (await rows.get(hash))?.record;
      if (row?.guardrail) found.push(toKeyAssignment(row, row.guardrail));
    }
  }
  return found.sort(compareByAge);
}

async function guardrailIds(store: ManagementDeps["store"]): Promise<string[]> {
  const ids: string[] = [];
  for await (const { record } of iterateRecords(guardrailCollection(store))) {
    if (!record.deleting) ids.push(record.id);
  }
  return ids;
}

async function membersOf({ store }: ManagementDeps, id?: string): Promise<MemberAssignment[]> {
  const found: MemberAssignment[] = [];
  for await (const { record } of iterateRecords(guardrailMembers(store))) {
    if (id === undefined || record.guardrail_id === id) found.push(toMember(record));
  }
  return found.sort(compareByAge);
}

const toMember = (row: GuardrailMemberRow): MemberAssignment => ({ ...row, organization_id: "default" });

export interface Assigning {
  readonly input: Pick<OperationInput, "caller" | "params" | "requestId">;
  readonly kind: AssigneeKind;
  readonly operation: "add" | "remove";
}

/** Changes one target after the other, each in a commit of its own; counts those that something changed for. */
async function countChanged(
  deps: ManagementDeps,
  { targets, ...assigning }: Assigning & { readonly targets: readonly string[] },
): Promise<number> {
  let changed = 0;
  for (const target of new Set(targets)) {
    if (await retryOnConflict(deps.runtime, () => assignOne(deps, { ...assigning, target }))) changed++;
  }
  return changed;
}

/** False where the target has the guardrail already, or has none to give up. */
export async function assignOne(
  deps: ManagementDeps,
  { input, kind, operation, target }: Assigning & { readonly target: string },
): Promise<boolean | typeof WRITE_CONFLICT> {
  const { store } = deps;
  const adds = operation === "add";
  const verb = `${adds ? "assign" : "unassign"} ${kind.name}`;
  const { record: guardrail, version } = await findGuardrail(store, requireGuardrailId(input, verb));
  const { id } = guardrail;
  const assignee = adds ? await kind.require(store, { target, guardrail }) : await kind.find(store, target);
  if (assignee === undefined || (assignee.guardrailId === id) === adds) return false;
  const { check, ...rows } = assignee.rows({ id, next: adds ? newAssignment(deps, { input, id }) : null });
  return await commitWrite(deps, {
    ...rows,
    checks: adds ? [check, guardrailCollection(store).check([id], version)] : [check],
    change: {
      ...auditCaller(input),
      operation: `guardrails.assignments.${kind.name}.${operation}`,
      subject: { type: "guardrail", id },
      before: null,
      after: { target },
    },
    small: true,
  }) || WRITE_CONFLICT;
}

type Assignment = NonNullable<KeyRow["guardrail"]>;

const newAssignment = (
  { runtime }: ManagementDeps,
  { input, id }: Pick<Assigning, "input"> & { readonly id: string },
): Assignment => ({
  id: toUuid(runtime.id()),
  guardrail_id: id,
  assigned_by: input.caller.keyHash,
  created_at: new Date(runtime.clock.now()).toISOString(),
});

/** Key or member, as it was read. */
interface Assignee {
  readonly guardrailId: string | undefined;
  /** Rows that give it the guardrail `id`, or take that one away. */
  readonly rows: (
    change: { readonly id: string; readonly next: Assignment | null },
  ) => Pick<ManagementWrite, "puts" | "deletes" | "cacheTopic"> & { readonly check: VersionCheck };
}

interface AssigneeKind {
  readonly name: "keys" | "members";
  readonly find: (store: Store, target: string) => Promise<Assignee | undefined>;
  /** Throws an ApiError (400) for a target that cannot have the guardrail. */
  readonly require: (
    store: Store,
    assignment: { readonly target: string; readonly guardrail: GuardrailRow },
  ) => Promise<Assignee>;
}

export const keys: AssigneeKind = {
  name: "keys",
  find: async (store, target) => {
    const found = await keyCollection(store).get(target);
    return found && keyAssignee(store, found);
  },
  require: async (store, { target, guardrail: { workspace_id: of } }) => {
    const found = await keyCollection(store).get(target);
    const fits = found?.record.kind === "api" && (of === null || found.record.workspace_id === of);
    if (fits) return keyAssignee(store, found);
    throw new ApiError(
      "invalid_request",
      `Cannot assign keys: key_hashes has ${target}, which is no API key${
        of === null ? "" : ` of workspace ${of}`
      }`,
      { metadata: { path: "key_hashes" } },
    );
  },
};

function keyAssignee(store: Store, { record, version }: StoredRecord<KeyRow>): Assignee {
  return {
    guardrailId: record.guardrail?.guardrail_id,
    rows: ({ next }) => {
      const puts = keyPuts(store, { ...record, guardrail: next });
      const kept = new Set(puts.map(({ key }) => JSON.stringify(key)));
      return {
        check: keyCollection(store).check([record.hash], version),
        puts,
        deletes: keyDeletes(store, record).filter((key) => !kept.has(JSON.stringify(key))),
        cacheTopic: { topic: "keys", id: record.hash },
      };
    },
  };
}

const members: AssigneeKind = {
  name: "members",
  find: memberAssignee,
  require: (store, { target }) => memberAssignee(store, target),
};

async function memberAssignee(store: Store, user_id: string): Promise<Assignee> {
  const rows = guardrailMembers(store);
  const index = membersOfGuardrail(store);
  const found = await rows.get(user_id);
  const old = found?.record.guardrail_id;
  return {
    guardrailId: old,
    rows: ({ id, next }) => ({
      check: rows.check([user_id], found?.version ?? null),
      puts: next ? [rows.put([user_id], { ...next, user_id }), index.put([id, user_id], {})] : [],
      deletes: [
        ...(next ? [] : [rows.key([user_id])]),
        ...(old === undefined ? [] : [index.key([old, user_id])]),
      ],
      cacheTopic: { topic: "guardrails", id },
    }),
  };
}
