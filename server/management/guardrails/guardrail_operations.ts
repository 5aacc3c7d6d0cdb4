/** What the guardrail operations do (wire-reference §9.7). Assignments stand in guardrail_assignments.ts. */

import type { guardrailApi } from "../../../shared/management/guardrails.ts";
import type { Body } from "../../../shared/management/operation.ts";
import { Refusal } from "../../../shared/errors.ts";
import { shown } from "../../../shared/validation/validate.ts";
import type { Found } from "../../stores/collection.ts";
import type { Store } from "../../stores/store.ts";
import { type Acts, type Asked, param } from "../core/operation.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { assertNoContentFilters } from "./content_filters.ts";
import { assignmentActs } from "./assignment_operations.ts";
import { removeGuardrail } from "./guardrail_deletion.ts";
import {
  blankSettings,
  guardrailDeletions,
  guardrailRecord,
  type GuardrailRow,
  guardrailRows,
  isDefaultGuardrail,
} from "./guardrail_rows.ts";
import { homeWorkspace } from "../workspaces/default_workspace.ts";
import { allRows, oldestFirst, paged } from "../core/pages.ts";
import { isUuid } from "../workspaces/workspace_lookup.ts";
import { toUuid } from "../workspaces/workspace_rows.ts";
import { askedBy, CONFLICT, retried, write } from "../core/write.ts";

type Api = typeof guardrailApi;

export function guardrailActs(deps: AdminDeps): Acts<Api> {
  return {
    "guardrails.list": async ({ query }) => {
      const { workspace_id: of } = query;
      const rows = await allRows(guardrailRows(deps.store));
      const some = rows.filter((row) => !row.deleting && (!of || row.workspace_id === of));
      return paged(some.sort(oldestFirst).map(guardrailRecord), query);
    },
    "guardrails.create": (asked) => retried(deps.world, () => create(deps, asked)),
    "guardrails.get": async (asked) => ({
      data: guardrailRecord((await findGuardrail(deps.store, idOf(asked, "show guardrail"))).record),
    }),
    "guardrails.update": (asked) => retried(deps.world, () => update(deps, asked)),
    "guardrails.delete": (asked) => retried(deps.world, () => remove(deps, asked)),
    ...assignmentActs(deps),
  };
}

/** Throws a Refusal (400) for what is no UUID. */
export function idOf(asked: Pick<Asked, "params">, verb: string): string {
  const id = param(asked, "id");
  if (isUuid(id)) return id.toLowerCase();
  throw new Refusal("invalid_request", `Cannot ${verb}: id is ${shown(id)}; a UUID is needed`, {
    metadata: { path: "id" },
  });
}

/** Throws a Refusal (404). */
export async function findGuardrail(store: Store, id: string): Promise<Found<GuardrailRow>> {
  const found = await guardrailRows(store).get(id);
  if (found && !found.record.deleting) return found;
  throw new Refusal("not_found", `There is no guardrail ${shown(id)}.`);
}

/** A row and its audit row go into one commit, which must not become too large for the store. */
const ROW_BYTES = 200_000;

/** What the schema cannot judge field by field. Throws a Refusal (400). */
function judged(row: GuardrailRow, verb: string): GuardrailRow {
  const refuse = (path: string, why: string) => {
    throw new Refusal("invalid_request", `Cannot ${verb}: ${path} ${why}`, { metadata: { path } });
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

/** Without what is undefined. */
function given<T extends object>(fields: T): Partial<T> {
  const kept: Partial<T> = { ...fields };
  for (const name in kept) if (kept[name] === undefined) delete kept[name];
  return kept;
}

type Made = { readonly data: ReturnType<typeof guardrailRecord> } | typeof CONFLICT;

async function create(deps: AdminDeps, asked: Asked<Api["guardrails.create"]>): Promise<Made> {
  const { store, world } = deps;
  const { workspace_id: of, ...body } = asked.body;
  const verb = "create guardrail";
  assertNoContentFilters(body, verb);
  const home = of === null ? undefined : await homeWorkspace(store, { id: of?.toLowerCase(), verb });
  const id = toUuid(world.id());
  const created_at = new Date(world.clock.now()).toISOString();
  const own: Body<Api["guardrails.create"]> = body;
  const row = judged({
    ...blankSettings,
    ...given(own),
    name: own.name,
    id,
    workspace_id: home?.id ?? null,
    created_at,
    updated_at: null,
    deleting: false,
  }, verb);
  const rows = guardrailRows(store);
  const data = guardrailRecord(row);
  const done = await write(deps, {
    checks: [rows.check([id], null), ...(home ? [home.check] : [])],
    puts: [rows.put([id], row)],
    change: {
      ...askedBy(asked),
      operation: "guardrails.create",
      subject: { type: "guardrail", id },
      before: null,
      after: data,
    },
    epoch: { topic: "guardrails", id },
  });
  return done ? { data } : CONFLICT;
}

async function update(deps: AdminDeps, asked: Asked<Api["guardrails.update"]>): Promise<Made> {
  const { store, world } = deps;
  const verb = "update guardrail";
  assertNoContentFilters(asked.body, verb);
  const { record: before, version } = await findGuardrail(store, idOf(asked, verb));
  const next = judged({ ...before, ...given(asked.body) }, verb);
  if (JSON.stringify(next) === JSON.stringify(before)) return { data: guardrailRecord(before) };
  const after = { ...next, updated_at: new Date(world.clock.now()).toISOString() };
  const rows = guardrailRows(store);
  const done = await write(deps, {
    checks: [rows.check([before.id], version)],
    puts: [rows.put([before.id], after)],
    change: {
      ...askedBy(asked),
      operation: "guardrails.update",
      subject: { type: "guardrail", id: before.id },
      before: guardrailRecord(before),
      after: guardrailRecord(after),
    },
    epoch: { topic: "guardrails", id: before.id },
  });
  return done ? { data: guardrailRecord(after) } : CONFLICT;
}

async function remove(
  deps: AdminDeps,
  asked: Asked<Api["guardrails.delete"]>,
): Promise<{ readonly deleted: true } | typeof CONFLICT> {
  const { store, world } = deps;
  const verb = "delete guardrail";
  const { record, version } = await findGuardrail(store, idOf(asked, verb));
  if (isDefaultGuardrail(record)) {
    throw new Refusal(
      "invalid_request",
      `Cannot ${verb}: it is the default one of its workspace. Set its fields to null to ask for nothing`,
      { metadata: { path: "id" } },
    );
  }
  const { id } = record;
  const rows = guardrailRows(store);
  const at = new Date(world.clock.now()).toISOString();
  const done = await write(deps, {
    checks: [rows.check([id], version)],
    puts: [
      rows.put([id], { ...record, deleting: true }),
      guardrailDeletions(store).put([id], { id, at }),
    ],
    change: {
      ...askedBy(asked),
      operation: "guardrails.delete",
      subject: { type: "guardrail", id },
      before: guardrailRecord(record),
      after: null,
    },
    epoch: { topic: "guardrails", id },
  });
  if (!done) return CONFLICT;
  await removeGuardrail(deps, id);
  return { deleted: true };
}
