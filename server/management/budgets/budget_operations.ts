/** Budget operations (specification, Workspaces and budgets), and the limits that the ledger holds by them. */

import type { workspaceApi } from "../../../shared/management/workspaces.ts";
import { ApiError } from "../../../shared/errors.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { type BudgetInterval, budgetIntervals } from "../../../shared/budget_intervals.ts";
import type { BudgetRecord } from "../../../shared/workspaces.ts";
import { type OperationHandlers, type OperationInput, pathParameter } from "../core/operation.ts";
import { budgetCollection, type BudgetRow, type WorkspaceBudgets } from "./budget_rows.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { findOpenWorkspace, findWorkspace, type FoundWorkspace } from "../workspaces/workspace_lookup.ts";
import { toUuid, workspaceCollection } from "../workspaces/workspace_rows.ts";
import { auditCaller, commitWrite, retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";

type Api = typeof workspaceApi;
type BudgetOperation = "budgets.list" | "budgets.get" | "budgets.set" | "budgets.delete";

export function budgetOperations(deps: ManagementDeps): OperationHandlers<Pick<Api, BudgetOperation>> {
  const { store } = deps;
  return {
    "budgets.list": async (input) => {
      const { record } = await findWorkspace(store, pathParameter(input, "id"));
      const budgets = await stored(deps, record.id);
      return {
        data: budgetIntervals.flatMap((interval) => serializeBudget(record.id, { interval, budgets }) ?? []),
        include_byok_in_budgets: record.include_byok_in_budgets,
      };
    },
    "budgets.get": async (input) => {
      const interval = intervalOf(input, "show budget");
      const { record } = await findWorkspace(store, pathParameter(input, "id"));
      const data = serializeBudget(record.id, { interval, budgets: await stored(deps, record.id) });
      if (data === undefined) throw noBudget(record.slug, interval);
      return { data, include_byok_in_budgets: record.include_byok_in_budgets };
    },
    "budgets.set": (input) => set(deps, input),
    "budgets.delete": async (input) => {
      await remove(deps, input);
      return { deleted: true };
    },
  };
}

async function stored({ store }: ManagementDeps, workspaceId: string): Promise<WorkspaceBudgets> {
  return (await budgetCollection(store).get(workspaceId))?.record ?? {};
}

interface SerializeBudgetInput {
  readonly interval: BudgetInterval;
  readonly budgets: WorkspaceBudgets;
}

function serializeBudget(
  workspaceId: string,
  { interval, budgets }: SerializeBudgetInput,
): BudgetRecord | undefined {
  const row = budgets[interval];
  if (row === undefined) return undefined;
  const { id, limit_usd, created_at, updated_at } = row;
  const reset_interval = interval === "lifetime" ? null : interval;
  return { id, workspace_id: workspaceId, limit_usd, reset_interval, created_at, updated_at };
}

/** Throws an ApiError (400) for an interval that there is none of. */
function intervalOf(input: Pick<OperationInput, "params">, verb: string): BudgetInterval {
  const given = pathParameter(input, "interval");
  const found = budgetIntervals.find((one) => one === given);
  if (found !== undefined) return found;
  const message = `Cannot ${verb}: interval is ${formatValue(given)}; allowed: ${budgetIntervals.join(", ")}`;
  throw new ApiError("invalid_request", message, { metadata: { path: "interval" } });
}

function noBudget(slug: string, interval: BudgetInterval): ApiError {
  return new ApiError("not_found", `Workspace ${slug} has no ${interval} budget.`);
}

/** Limits rise strictly from the narrowest interval to the broadest. Throws an ApiError (400) that names the neighbour. */
function requireIncreasingLimits(budgets: WorkspaceBudgets, interval: BudgetInterval): void {
  const limit = budgets[interval]?.limit_usd ?? 0;
  const at = budgetIntervals.indexOf(interval);
  for (const [other, name] of budgetIntervals.entries()) {
    const theirs = budgets[name]?.limit_usd;
    if (theirs === undefined || other === at) continue;
    const fits = other < at ? theirs < limit : theirs > limit;
    if (fits) continue;
    const bound = other < at ? "more" : "less";
    throw new ApiError(
      "invalid_request",
      `Cannot set budget: limit_usd is ${limit}; allowed is ${bound} than the ${name} budget, ${theirs}`,
      { metadata: { path: "limit_usd" } },
    );
  }
}

function set(deps: ManagementDeps, input: OperationInput<Api["budgets.set"]>) {
  const { store, runtime } = deps;
  const interval = intervalOf(input, "set budget");
  const { limit_usd, include_byok_in_budgets: flag } = input.body;
  return retryOnConflict(deps.runtime, async () => {
    const workspace = await findOpenWorkspace(store, pathParameter(input, "id"));
    const { record } = workspace;
    const before = await budgetCollection(store).get(record.id);
    const now = new Date(runtime.clock.now()).toISOString();
    const old = before?.record[interval];
    const row: BudgetRow = old?.limit_usd === limit_usd ? old : {
      id: old?.id ?? toUuid(runtime.id()),
      limit_usd,
      created_at: old?.created_at ?? now,
      updated_at: now,
    };
    const budgets = { ...before?.record, [interval]: row };
    requireIncreasingLimits(budgets, interval);
    const include_byok_in_budgets = flag ?? record.include_byok_in_budgets;
    const changed: FoundWorkspace = { ...workspace, record: { ...record, include_byok_in_budgets } };
    const change = { input, operation: "budgets.set", workspace: changed, before, budgets };
    if (!await written(deps, change)) return WRITE_CONFLICT;
    const data = serializeBudget(record.id, { interval, budgets });
    if (data === undefined) throw new Error("Cannot show the budget that was set");
    return { data, include_byok_in_budgets };
  });
}

function remove(deps: ManagementDeps, input: OperationInput<Api["budgets.delete"]>): Promise<true> {
  const { store } = deps;
  const interval = intervalOf(input, "remove budget");
  return retryOnConflict(deps.runtime, async () => {
    const workspace = await findOpenWorkspace(store, pathParameter(input, "id"));
    const before = await budgetCollection(store).get(workspace.record.id);
    if (before?.record[interval] === undefined) return true;
    const budgets = { ...before.record, [interval]: undefined };
    const change = { input, operation: "budgets.delete", workspace, before, budgets };
    return await written(deps, change) || WRITE_CONFLICT;
  });
}

interface Written {
  readonly input: Pick<OperationInput, "caller" | "requestId">;
  readonly operation: string;
  /** As it was found, with the record that it is to have. */
  readonly workspace: FoundWorkspace;
  readonly before: { readonly record: WorkspaceBudgets; readonly version: string } | undefined;
  readonly budgets: WorkspaceBudgets;
}

/** Both rows in one commit, which the workspace's deletion cannot come into. False when somebody else wrote one. */
async function written(
  deps: ManagementDeps,
  { input, operation, workspace, ...change }: Written,
): Promise<boolean> {
  const { store, cacheVersions } = deps;
  const { record, version } = workspace;
  const { before, budgets } = change;
  const workspaces = workspaceCollection(store);
  const rows = budgetCollection(store);
  const done = await commitWrite(deps, {
    checks: [workspaces.check([record.id], version), rows.check([record.id], before?.version ?? null)],
    puts: [
      rows.put([record.id], budgets),
      workspaces.put([record.id], record),
      cacheVersions.put("workspaces"),
    ],
    change: {
      ...auditCaller(input),
      operation,
      subject: { type: "workspace_budgets", id: record.id },
      before: before?.record ?? null,
      after: budgets,
    },
    cacheTopic: { topic: "budgets", id: record.id },
    small: true,
  });
  if (done) cacheVersions.changed("workspaces", record.id);
  return done;
}
