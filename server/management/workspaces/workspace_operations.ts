/** Workspace operations (specification, DELETE /workspaces/{id}, §9.2). */

import type { workspaceApi } from "../../../shared/management/workspaces.ts";
import { ApiError } from "../../../shared/errors.ts";
import { noRateLimits, type RateLimits } from "../../../shared/rate_limits.ts";
import { DEFAULT_WORKSPACE_SLUG } from "../../../shared/workspaces.ts";
import { type OperationHandlers, type OperationInput, pathParameter } from "../core/operation.ts";
import { budgetOperations } from "../budgets/budget_operations.ts";
import { listWarnings, pluginWarnings, withWarnings } from "../core/list_warnings.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { defaultGuardrailPut } from "../guardrails/guardrail_rows.ts";
import { defaultWorkspaceId } from "./default_workspace.ts";
import { compareByAge, paginate, readAllRecords } from "../core/pages.ts";
import { deleteWorkspace } from "./workspace_deletion.ts";
import {
  findOpenWorkspace,
  findWorkspace,
  isUuid,
  lookUpWorkspace,
  workspaceNotFound,
} from "./workspace_lookup.ts";
import { memberOperations } from "./member_operations.ts";
import {
  serializeWorkspace,
  toUuid,
  workspaceCollection,
  type WorkspaceRow,
  workspaceSlugs,
} from "./workspace_rows.ts";
import { assertIfMatch } from "../core/record_tag.ts";
import { auditCaller, commitRecord, retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";

type Api = typeof workspaceApi;
type Of<K extends keyof Api> = OperationInput<Api[K]>;

export function workspaceOperations(deps: ManagementDeps): OperationHandlers<Api> {
  return {
    "workspaces.list": async ({ query }) => paginate(await listed(deps), query),
    "workspaces.create": async (input) =>
      savedWorkspace(deps, await retryOnConflict(deps.runtime, () => create(deps, input))),
    "workspaces.get": async (input) => ({
      data: serializeWorkspace((await findWorkspace(deps.store, pathParameter(input, "id"))).record),
    }),
    "workspaces.update": async (input) => savedWorkspace(deps, await update(deps, input)),
    "workspaces.delete": async (input) => {
      await remove(deps, input);
      return { deleted: true };
    },
    "workspaces.rate_limits.get": async (input) => ({
      data: (await findWorkspace(deps.store, pathParameter(input, "id"))).record.rate_limits ?? noRateLimits,
    }),
    "workspaces.rate_limits.set": async (input) => ({ data: await setRateLimits(deps, input) }),
    ...memberOperations(deps),
    ...budgetOperations(deps),
  };
}

const savedWorkspace = (deps: ManagementDeps, row: WorkspaceRow) =>
  withWarnings(
    serializeWorkspace(row),
    [
      ...listWarnings(deps, {
        default_text_model: ["ofDefaultModel", row.default_text_model],
        default_image_model: ["ofDefaultModel", row.default_image_model],
      }),
      ...pluginWarnings(deps, row.default_plugins),
    ],
  );

async function listed({ store }: ManagementDeps) {
  const rows = await readAllRecords(workspaceCollection(store));
  return rows.filter(({ state }) => state !== "deleting").sort(compareByAge).map(serializeWorkspace);
}

async function create(
  deps: ManagementDeps,
  requested: Of<"workspaces.create">,
): Promise<WorkspaceRow | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const { body, idempotency } = requested;
  requireFreeForm(body.slug, "create workspace");
  const id = toUuid(runtime.id());
  const at = new Date(runtime.clock.now()).toISOString();
  const rows = workspaceCollection(store);
  const slugs = workspaceSlugs(store);
  const put = rows.put([id], { ...body, id, created_by: null, created_at: at, updated_at: null });
  const row = toRow(put.value);
  const kept = idempotency?.kept(savedWorkspace(deps, row));
  const done = await commitRecord(deps, {
    rows,
    id,
    after: row,
    checks: [slugs.check([row.slug], null), ...(kept?.checks ?? [])],
    puts: [slugs.put([row.slug], { id }), defaultGuardrailPut(store, row), ...(kept?.puts ?? [])],
    input: requested,
    operation: "workspaces.create",
    subject: "workspace",
    describe: serializeWorkspace,
    topic: "workspaces",
  });
  if (done) return row;
  if (await slugs.get(row.slug)) throw slugTaken(row.slug, "create workspace");
  return WRITE_CONFLICT;
}

/** Casts a value that the collection has parsed to store it. */
function toRow(value: unknown): WorkspaceRow {
  return value as WorkspaceRow;
}

/** `default` stays with the workspace of the first start, and what looks like an id names no other workspace. */
function requireFreeForm(slug: string, verb: string): void {
  if (slug === DEFAULT_WORKSPACE_SLUG) {
    throw new ApiError(
      "invalid_request",
      `Cannot ${verb}: slug is ${slug}, which only the first workspace may have, also after its deletion`,
      { metadata: { path: "slug" } },
    );
  }
  if (!isUuid(slug)) return;
  throw new ApiError("invalid_request", `Cannot ${verb}: slug is ${slug}; a UUID is not allowed`, {
    metadata: { path: "slug" },
  });
}

function slugTaken(slug: string, verb: string): ApiError {
  return new ApiError("invalid_request", `Cannot ${verb}: slug is ${slug}, which another workspace has`, {
    metadata: { path: "slug" },
  });
}

/** Changed rows of one workspace, told in the audit log. */
interface Changing {
  readonly input: Pick<OperationInput, "caller" | "params" | "requestId">;
  readonly operation: string;
  readonly change: (row: WorkspaceRow) => Partial<WorkspaceRow>;
  /** Under which the other workspaces must not be. */
  readonly slug?: string;
}

/** `updated_at` moves only where something changes. */
function changeRow(
  deps: ManagementDeps,
  { input, operation, change, slug }: Changing,
): Promise<WorkspaceRow> {
  const { store, cacheVersions, runtime } = deps;
  const rows = workspaceCollection(store);
  const slugs = workspaceSlugs(store);
  return retryOnConflict(deps.runtime, async () => {
    const found = await findOpenWorkspace(store, pathParameter(input, "id"));
    const { record } = found;
    const next = { ...record, ...change(record) };
    if (JSON.stringify(next) === JSON.stringify(record)) return record;
    const after = { ...next, updated_at: new Date(runtime.clock.now()).toISOString() };
    const moves = slug !== undefined && slug !== record.slug;
    if (moves) await requireFree(deps, { slug, id: record.id });
    const done = await commitRecord(deps, {
      rows,
      id: record.id,
      before: found,
      after,
      checks: moves ? [slugs.check([slug], null)] : [],
      puts: [
        ...(moves ? [slugs.put([slug], { id: record.id })] : []),
        // Whether calls on one's own provider keys count is asked of the workspace.
        cacheVersions.put("budgets"),
      ],
      deletes: moves ? [slugs.key([record.slug])] : [],
      input,
      operation,
      subject: "workspace",
      describe: (row) => ({ ...serializeWorkspace(row), rate_limits: row.rate_limits }),
      topic: "workspaces",
    });
    if (!done) return WRITE_CONFLICT;
    cacheVersions.changed("budgets", record.id);
    return after;
  });
}

interface UpdateInput {
  readonly slug: string;
  readonly id: string;
}

async function requireFree({ store }: ManagementDeps, { slug, id }: UpdateInput): Promise<void> {
  const verb = "update workspace";
  if (id === await defaultWorkspaceId(store)) {
    throw new ApiError(
      "invalid_request",
      `Cannot ${verb}: slug is ${slug}; that of the default workspace stays default`,
      { metadata: { path: "slug" } },
    );
  }
  requireFreeForm(slug, verb);
  if (await workspaceSlugs(store).get(slug)) throw slugTaken(slug, verb);
}

function update(deps: ManagementDeps, requested: Of<"workspaces.update">): Promise<WorkspaceRow> {
  const { body } = requested;
  return changeRow(deps, {
    input: requested,
    operation: "workspaces.update",
    change: (before) => {
      assertIfMatch(requested, { record: serializeWorkspace(before), subject: "workspace" });
      return body;
    },
    slug: body.slug,
  });
}

async function setRateLimits(
  deps: ManagementDeps,
  requested: Of<"workspaces.rate_limits.set">,
): Promise<RateLimits> {
  const limits = { ...noRateLimits, ...requested.body };
  const off = Object.values(limits).every((limit) => limit === null);
  const change = () => ({ rate_limits: off ? null : limits });
  const row = await changeRow(deps, { input: requested, operation: "workspaces.rate_limits.set", change });
  return row.rate_limits ?? noRateLimits;
}

/** The first of several calls has deleted it, and the others find nothing (404). */
function remove(deps: ManagementDeps, requested: Of<"workspaces.delete">): Promise<true> {
  const { store } = deps;
  const ref = pathParameter(requested, "id");
  const confirmed = requested.query.confirm_default_workspace_deletion === "true";
  return retryOnConflict(deps.runtime, async () => {
    // One that is being deleted is found too: anyone who asks again after a failure finishes the work.
    const found = await lookUpWorkspace(store, ref);
    if (found === undefined) throw workspaceNotFound(ref);
    if (!confirmed && found.record.id === await defaultWorkspaceId(store)) throw unconfirmed();
    const { type } = await deleteWorkspace(deps, { found, ...auditCaller(requested) });
    if (type === "gone") throw workspaceNotFound(ref);
    return type === "deleted" || WRITE_CONFLICT;
  });
}

function unconfirmed(): ApiError {
  const name = "confirm_default_workspace_deletion";
  return new ApiError(
    "invalid_request",
    `Cannot delete workspace: it is the default one, and ${name} is not true`,
    { metadata: { path: name } },
  );
}
