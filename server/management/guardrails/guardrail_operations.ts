/** Guardrail operations (specification, Guardrails). Assignments stand in assignment_operations.ts. */

import type { guardrailApi } from "../../../shared/management/guardrails.ts";
import type { OperationBody, OperationOutput } from "../../../shared/management/operation.ts";
import { ApiError } from "../../../shared/errors.ts";
import { type OperationHandlers, type OperationInput } from "../core/operation.ts";
import { listWarnings, withWarnings } from "../core/list_warnings.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { runWork, type Work } from "../../../shared/util/run_work.ts";
import {
  checkLists,
  checkPatterns,
  filterWarnings,
  judgePatterns,
  storedFilters,
} from "./content_filters.ts";
import { assignmentOperations } from "./assignment_operations.ts";
import { assertIfMatch } from "../core/record_tag.ts";
import { checkExternal, describeExternal, externalWarnings } from "./external_service.ts";
import { testGuardrail } from "./test_guardrail.ts";
import { removeGuardrail } from "./guardrail_deletion.ts";
import {
  emptyGuardrailSettings,
  findGuardrail,
  guardrailCollection,
  guardrailDeletions,
  type GuardrailRow,
  isDefaultGuardrail,
  requireGuardrailId,
  serializeGuardrail,
} from "./guardrail_rows.ts";
import { findTargetWorkspace } from "../workspaces/default_workspace.ts";
import { compareByAge, paginate, readAllRecords } from "../core/pages.ts";
import { toUuid } from "../workspaces/workspace_rows.ts";
import { auditCaller, commitRecord, commitWrite, retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { omitUndefined } from "../../../shared/util/json.ts";

type Api = typeof guardrailApi;

export function guardrailOperations(deps: ManagementDeps): OperationHandlers<Api> {
  return {
    "guardrails.list": async ({ query }) => {
      const { workspace_id: of } = query;
      const rows = await readAllRecords(guardrailCollection(deps.store));
      const some = rows.filter((row) => !row.deleting && (!of || row.workspace_id === of));
      const { data: page, ...rest } = paginate(some.sort(compareByAge), query);
      await judge(deps, judgePatterns(page));
      return { data: page.map((row) => shownGuardrail(deps, row)), ...rest };
    },
    "guardrails.create": (input) => retryOnConflict(deps.runtime, () => create(deps, input)),
    "guardrails.get": async (input) => {
      const { record } = await findGuardrail(deps.store, requireGuardrailId(input, "show guardrail"));
      await judge(deps, judgePatterns([record]));
      return { data: shownGuardrail(deps, record) };
    },
    "guardrails.update": (input) => retryOnConflict(deps.runtime, () => update(deps, input)),
    "guardrails.test": async (input) => {
      const { record } = await findGuardrail(deps.store, requireGuardrailId(input, "test guardrail"));
      return { data: await testGuardrail(deps, { row: record, body: input.body }) };
    },
    "guardrails.delete": (input) => retryOnConflict(deps.runtime, () => remove(deps, input)),
    ...assignmentOperations(deps),
  };
}

/** Rejects with what the work throws. */
const judge = async ({ runtime: { clock }, pause }: ManagementDeps, work: Work<void>): Promise<void> =>
  await runWork(work, { clock, pause });

/** A row and its audit row go into one commit, which must not become too large for the store. */
const ROW_BYTES = 200_000;

/** Checks what the schema cannot judge field by field. Throws an ApiError (400). */
function checkSettings(row: GuardrailRow, verb: string): GuardrailRow {
  const refuse = (path: string, why: string) => {
    throw new ApiError("invalid_request", `Cannot ${verb}: ${path} ${why}`, { metadata: { path } });
  };
  if (row.limit_usd !== null && row.reset_interval === null) {
    refuse("reset_interval", "is null; a limit_usd needs daily, weekly or monthly");
  }
  if (row.limit_usd === null && row.reset_interval !== null) {
    refuse("limit_usd", `is null; the reset_interval ${row.reset_interval} needs a limit`);
  }
  const bytes = new TextEncoder().encode(JSON.stringify(row)).length;
  if (bytes <= ROW_BYTES) return row;
  refuse("body", `makes a guardrail of ${bytes} bytes; at most ${ROW_BYTES} are allowed`);
  return row;
}

/** How the audit log names and shows a guardrail, and what a change drops from caches. */
const inAudit = { subject: "guardrail", topic: "guardrails", describe: serializeGuardrail } as const;

type SavedGuardrail = OperationOutput<Api["guardrails.create"]>;

const shownGuardrail = (deps: ManagementDeps, row: GuardrailRow) =>
  describeExternal(serializeGuardrail(row), deps);

function savedGuardrail(deps: ManagementDeps, row: GuardrailRow): SavedGuardrail {
  const data = shownGuardrail(deps, row);
  const { allowed_models, ignored_models, allowed_providers, ignored_providers } = row;
  return withWarnings(data, [
    ...filterWarnings(row),
    ...externalWarnings(row, deps),
    ...listWarnings(deps, {
      allowed_models: ["ofModel", allowed_models],
      ignored_models: ["ofModel", ignored_models],
      allowed_providers: ["ofProvider", allowed_providers],
      ignored_providers: ["ofProvider", ignored_providers],
    }),
  ]);
}

type Made = SavedGuardrail | typeof WRITE_CONFLICT;

async function create(deps: ManagementDeps, input: OperationInput<Api["guardrails.create"]>): Promise<Made> {
  const { store, runtime } = deps;
  const verb = "create guardrail";
  const { workspace_id: of, ...body } = storedFilters(input.body);
  const home = of === null ? undefined : await findTargetWorkspace(store, { id: of?.toLowerCase(), verb });
  const id = toUuid(runtime.id());
  const created_at = new Date(runtime.clock.now()).toISOString();
  const own: OperationBody<Api["guardrails.create"]> = body;
  const row = checkSettings({
    ...emptyGuardrailSettings,
    ...omitUndefined(own),
    name: own.name,
    id,
    workspace_id: home?.id ?? null,
    created_at,
    updated_at: null,
    deleting: false,
    filters_enforced: true,
  }, verb);
  checkExternal(row, { verb, settings: deps });
  await judge(deps, checkPatterns(row, { verb }));
  await judge(deps, checkLists(row, verb));
  const rows = guardrailCollection(store);
  const saved = savedGuardrail(deps, row);
  const done = await commitRecord(deps, {
    ...inAudit,
    rows,
    id,
    after: row,
    checks: home ? [home.check] : [],
    input,
    operation: "guardrails.create",
  });
  return done ? saved : WRITE_CONFLICT;
}

async function update(deps: ManagementDeps, input: OperationInput<Api["guardrails.update"]>): Promise<Made> {
  const { store, runtime } = deps;
  const verb = "update guardrail";
  const body = storedFilters(input.body);
  const found = await findGuardrail(store, requireGuardrailId(input, verb));
  const { record: before } = found;
  assertIfMatch(input, { record: shownGuardrail(deps, before), subject: "guardrail" });
  const next = checkSettings({ ...before, ...omitUndefined(body) }, verb);
  checkExternal(next, { verb, settings: deps, before });
  await judge(deps, checkPatterns(next, { verb, before }));
  await judge(deps, checkLists(body, verb));
  if (JSON.stringify(next) === JSON.stringify(before)) return savedGuardrail(deps, before);
  const after = { ...next, filters_enforced: true, updated_at: new Date(runtime.clock.now()).toISOString() };
  const rows = guardrailCollection(store);
  const done = await commitRecord(deps, {
    ...inAudit,
    rows,
    id: before.id,
    before: found,
    after,
    input,
    operation: "guardrails.update",
  });
  return done ? savedGuardrail(deps, after) : WRITE_CONFLICT;
}

async function remove(
  deps: ManagementDeps,
  input: OperationInput<Api["guardrails.delete"]>,
): Promise<{ readonly deleted: true } | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const verb = "delete guardrail";
  const { record, version } = await findGuardrail(store, requireGuardrailId(input, verb));
  if (isDefaultGuardrail(record)) {
    throw new ApiError(
      "invalid_request",
      `Cannot ${verb}: it is the default one of its workspace. Set its fields to null to ask for nothing`,
      { metadata: { path: "id" } },
    );
  }
  const { id } = record;
  const rows = guardrailCollection(store);
  const at = new Date(runtime.clock.now()).toISOString();
  const done = await commitWrite(deps, {
    checks: [rows.check([id], version)],
    puts: [
      rows.put([id], { ...record, deleting: true }),
      guardrailDeletions(store).put([id], { id, at }),
    ],
    change: {
      ...auditCaller(input),
      operation: "guardrails.delete",
      subject: { type: "guardrail", id },
      before: serializeGuardrail(record),
      after: null,
    },
    cacheTopic: { topic: "guardrails", id },
  });
  if (!done) return WRITE_CONFLICT;
  await removeGuardrail(deps, id);
  return { deleted: true };
}
