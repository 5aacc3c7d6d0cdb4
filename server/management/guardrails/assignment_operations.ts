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
import { auditCaller, commitWrite, retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";

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
        targets: input.body.key_hashes,
        change: assignToKey,
      }),
    }),
    "guardrails.assignments.keys.remove": async (input) => ({
      unassigned_count: await countChanged(deps, {
        input,
        targets: input.body.key_hashes,
        change: unassignFromKey,
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
        targets: input.body.member_user_ids,
        change: assignToMember,
      }),
    }),
    "guardrails.assignments.members.remove": async (input) => ({
      unassigned_count: await countChanged(deps, {
        input,
        targets: input.body.member_user_ids,
        change: unassignFromMember,
      }),
    }),
  };
}

interface Changes {
  readonly input: One["input"];
  readonly targets: readonly string[];
  readonly change: (deps: ManagementDeps, one: One) => Promise<boolean | typeof WRITE_CONFLICT>;
}

/** One after the other, each in a commit of its own; counts those that something changed for. */
async function countChanged(deps: ManagementDeps, { input, targets, change }: Changes): Promise<number> {
  let changed = 0;
  for (const target of new Set(targets)) {
    if (await retryOnConflict(deps.runtime, () => change(deps, { input, target }))) changed++;
  }
  return changed;
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

interface One {
  readonly input: Pick<OperationInput, "caller" | "params" | "requestId">;
  /** A key's hash, or a user. */
  readonly target: string;
}

function change(
  { input, target }: One,
  { operation, id }: { readonly operation: string; readonly id: string },
) {
  return {
    ...auditCaller(input),
    operation,
    subject: { type: "guardrail", id },
    before: null,
    after: { target },
  };
}

function assignmentOf({ runtime }: ManagementDeps, { input }: One) {
  const created_at = new Date(runtime.clock.now()).toISOString();
  return { id: toUuid(runtime.id()), assigned_by: input.caller.keyHash, created_at };
}

/** Throws an ApiError (400) for a hash that no API key has, or one of another workspace's. */
async function keyFor(
  { store }: ManagementDeps,
  { target, guardrail }: { target: string; guardrail: GuardrailRow },
) {
  const found = await keyCollection(store).get(target);
  const of = guardrail.workspace_id;
  if (found?.record.kind === "api" && (of === null || found.record.workspace_id === of)) return found;
  throw new ApiError(
    "invalid_request",
    `Cannot assign keys: key_hashes has ${target}, which is no API key${
      of === null ? "" : ` of workspace ${of}`
    }`,
    { metadata: { path: "key_hashes" } },
  );
}

async function assignToKey(deps: ManagementDeps, one: One): Promise<boolean | typeof WRITE_CONFLICT> {
  const { store } = deps;
  const guardrail = await findGuardrail(store, requireGuardrailId(one.input, "assign keys"));
  const { id } = guardrail.record;
  const { record, version } = await keyFor(deps, { target: one.target, guardrail: guardrail.record });
  if (record.guardrail?.guardrail_id === id) return false;
  const next = { ...record, guardrail: { ...assignmentOf(deps, one), guardrail_id: id } };
  return await changeKey(deps, {
    next,
    record,
    checks: [
      keyCollection(store).check([record.hash], version),
      guardrailCollection(store).check([id], guardrail.version),
    ],
    change: change(one, { operation: "guardrails.assignments.keys.add", id }),
  });
}

async function unassignFromKey(deps: ManagementDeps, one: One): Promise<boolean | typeof WRITE_CONFLICT> {
  const { store } = deps;
  const { record: { id } } = await findGuardrail(store, requireGuardrailId(one.input, "unassign keys"));
  const found = await keyCollection(store).get(one.target);
  if (found?.record.guardrail?.guardrail_id !== id) return false;
  return await changeKey(deps, {
    next: { ...found.record, guardrail: null },
    record: found.record,
    checks: [keyCollection(store).check([one.target], found.version)],
    change: change(one, { operation: "guardrails.assignments.keys.remove", id }),
  });
}

interface KeyChange extends Pick<Parameters<typeof commitWrite>[1], "checks" | "change"> {
  readonly record: KeyRow;
  readonly next: KeyRow;
}

async function changeKey(
  deps: ManagementDeps,
  { record, next, ...rest }: KeyChange,
): Promise<true | typeof WRITE_CONFLICT> {
  const puts = keyPuts(deps.store, next);
  const kept = new Set(puts.map(({ key }) => JSON.stringify(key)));
  const deletes = keyDeletes(deps.store, record).filter((key) => !kept.has(JSON.stringify(key)));
  const version = { topic: "keys", id: record.hash } as const;
  return await commitWrite(deps, { ...rest, puts, deletes, cacheTopic: version, small: true }) ||
    WRITE_CONFLICT;
}

async function assignToMember(deps: ManagementDeps, one: One): Promise<boolean | typeof WRITE_CONFLICT> {
  const { store } = deps;
  const guardrail = await findGuardrail(store, requireGuardrailId(one.input, "assign members"));
  const { id } = guardrail.record;
  const rows = guardrailMembers(store);
  const index = membersOfGuardrail(store);
  const found = await rows.get(one.target);
  const old = found?.record.guardrail_id;
  if (old === id) return false;
  const row: GuardrailMemberRow = { ...assignmentOf(deps, one), guardrail_id: id, user_id: one.target };
  return await commitWrite(deps, {
    checks: [
      guardrailCollection(store).check([id], guardrail.version),
      rows.check([one.target], found?.version ?? null),
    ],
    puts: [rows.put([one.target], row), index.put([id, one.target], {})],
    deletes: old === undefined ? [] : [index.key([old, one.target])],
    change: change(one, { operation: "guardrails.assignments.members.add", id }),
    cacheTopic: { topic: "guardrails", id },
    small: true,
  }) || WRITE_CONFLICT;
}

async function unassignFromMember(deps: ManagementDeps, one: One): Promise<boolean | typeof WRITE_CONFLICT> {
  const { store } = deps;
  const { record: { id } } = await findGuardrail(store, requireGuardrailId(one.input, "unassign members"));
  const rows = guardrailMembers(store);
  const found = await rows.get(one.target);
  if (found?.record.guardrail_id !== id) return false;
  return await commitWrite(deps, {
    checks: [rows.check([one.target], found.version)],
    deletes: [rows.key([one.target]), membersOfGuardrail(store).key([id, one.target])],
    change: change(one, { operation: "guardrails.assignments.members.remove", id }),
    cacheTopic: { topic: "guardrails", id },
    small: true,
  }) || WRITE_CONFLICT;
}
