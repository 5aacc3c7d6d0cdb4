/** What the budget operations do (wire-reference §9.2), and the limits that the ledger holds by them. */

import type { workspaceApi } from "../../../shared/management/workspaces.ts";
import { Refusal } from "../../../shared/errors.ts";
import { shown } from "../../../shared/validation/validate.ts";
import { type BudgetInterval, budgetIntervals, type BudgetRecord } from "../../../shared/workspaces.ts";
import { type Acts, type Asked, param } from "../core/operation.ts";
import { type BudgetRow, budgetRows, type Budgets } from "./budget_rows.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { findWorkspace, type FoundWorkspace, openWorkspace } from "../workspaces/workspace_lookup.ts";
import { toUuid, workspaceRows } from "../workspaces/workspace_rows.ts";
import { askedBy, CONFLICT, retried, write } from "../core/write.ts";

type Api = typeof workspaceApi;
type BudgetOperation = "budgets.list" | "budgets.get" | "budgets.set" | "budgets.delete";

export function budgetActs(deps: AdminDeps): Acts<Pick<Api, BudgetOperation>> {
  const { store } = deps;
  return {
    "budgets.list": async (asked) => {
      const { record } = await findWorkspace(store, param(asked, "id"));
      const budgets = await stored(deps, record.id);
      return {
        data: budgetIntervals.flatMap((interval) => shownBudget(record.id, { interval, budgets }) ?? []),
        include_byok_in_budgets: record.include_byok_in_budgets,
      };
    },
    "budgets.get": async (asked) => {
      const interval = intervalOf(asked, "show budget");
      const { record } = await findWorkspace(store, param(asked, "id"));
      const data = shownBudget(record.id, { interval, budgets: await stored(deps, record.id) });
      if (data === undefined) throw noBudget(record.slug, interval);
      return { data, include_byok_in_budgets: record.include_byok_in_budgets };
    },
    "budgets.set": (asked) => set(deps, asked),
    "budgets.delete": async (asked) => {
      await remove(deps, asked);
      return { deleted: true };
    },
  };
}

async function stored({ store }: AdminDeps, workspaceId: string): Promise<Budgets> {
  return (await budgetRows(store).get(workspaceId))?.record ?? {};
}

interface Shown {
  readonly interval: BudgetInterval;
  readonly budgets: Budgets;
}

function shownBudget(workspaceId: string, { interval, budgets }: Shown): BudgetRecord | undefined {
  const row = budgets[interval];
  if (row === undefined) return undefined;
  const { id, limit_usd, created_at, updated_at } = row;
  const reset_interval = interval === "lifetime" ? null : interval;
  return { id, workspace_id: workspaceId, limit_usd, reset_interval, created_at, updated_at };
}

/** Throws a Refusal (400) for an interval that there is none of. */
function intervalOf(asked: Pick<Asked, "params">, verb: string): BudgetInterval {
  const given = param(asked, "interval");
  const found = budgetIntervals.find((one) => one === given);
  if (found !== undefined) return found;
  const message = `Cannot ${verb}: interval is ${shown(given)}; allowed: ${budgetIntervals.join(", ")}`;
  throw new Refusal("invalid_request", message, { metadata: { path: "interval" } });
}

function noBudget(slug: string, interval: BudgetInterval): Refusal {
  return new Refusal("not_found", `Workspace ${slug} has no ${interval} budget.`);
}

/** Limits rise strictly from the narrowest interval to the broadest. Throws a Refusal (400) that names the neighbour. */
function requireRising(budgets: Budgets, interval: BudgetInterval): void {
  const limit = budgets[interval]?.limit_usd ?? 0;
  const at = budgetIntervals.indexOf(interval);
  for (const [other, name] of budgetIntervals.entries()) {
    const theirs = budgets[name]?.limit_usd;
    if (theirs === undefined || other === at) continue;
    const fits = other < at ? theirs < limit : theirs > limit;
    if (fits) continue;
    const bound = other < at ? "more" : "less";
    throw new Refusal(
      "invalid_request",
      `Cannot set budget: limit_usd is ${limit}; allowed is ${bound} than the ${name} budget, ${theirs}`,
      { metadata: { path: "limit_usd" } },
    );
  }
}

function set(deps: AdminDeps, asked: Asked<Api["budgets.set"]>) {
  const { store, world } = deps;
  const interval = intervalOf(asked, "set budget");
  const { limit_usd, include_byok_in_budgets: flag } = asked.body;
  return retried(deps.world, async () => {
    const workspace = await openWorkspace(store, param(asked, "id"));
    const { record } = workspace;
    const before = await budgetRows(store).get(record.id);
    const now = new Date(world.clock.now()).toISOString();
    const old = before?.record[interval];
    const row: BudgetRow = old?.limit_usd === limit_usd
      ? old
      : { id: old?.id ?? toUuid(world.id()), limit_usd, created_at: old?.created_at ?? now, updated_at: now };
    const budgets = { ...before?.record, [interval]: row };
    requireRising(budgets, interval);
    const include_byok_in_budgets = flag ?? record.include_byok_in_budgets;
    const changed: FoundWorkspace = { ...workspace, record: { ...record, include_byok_in_budgets } };
    const change = { asked, operation: "budgets.set", workspace: changed, before, budgets };
    if (!await written(deps, change)) return CONFLICT;
    const data = shownBudget(record.id, { interval, budgets });
    if (data === undefined) throw new Error("Cannot show the budget that was set");
    return { data, include_byok_in_budgets };
  });
}

function remove(deps: AdminDeps, asked: Asked<Api["budgets.delete"]>): Promise<true> {
  const { store } = deps;
  const interval = intervalOf(asked, "remove budget");
  return retried(deps.world, async () => {
    const workspace = await openWorkspace(store, param(asked, "id"));
    const before = await budgetRows(store).get(workspace.record.id);
    if (before?.record[interval] === undefined) return true;
    const budgets = { ...before.record, [interval]: undefined };
    const change = { asked, operation: "budgets.delete", workspace, before, budgets };
    return await written(deps, change) || CONFLICT;
  });
}

interface Written {
  readonly asked: Pick<Asked, "caller" | "requestId">;
  readonly operation: string;
  /** As it was found, with the record that it is to have. */
  readonly workspace: FoundWorkspace;
  readonly before: { readonly record: Budgets; readonly version: string } | undefined;
  readonly budgets: Budgets;
}

/** Both rows in one commit, which the workspace's deletion cannot come into. False when somebody else wrote one. */
async function written(
  deps: AdminDeps,
  { asked, operation, workspace, ...change }: Written,
): Promise<boolean> {
  const { store, epochs } = deps;
  const { record, version } = workspace;
  const { before, budgets } = change;
  const workspaces = workspaceRows(store);
  const rows = budgetRows(store);
  const done = await write(deps, {
    checks: [workspaces.check([record.id], version), rows.check([record.id], before?.version ?? null)],
    puts: [rows.put([record.id], budgets), workspaces.put([record.id], record), epochs.put("workspaces")],
    change: {
      ...askedBy(asked),
      operation,
      subject: { type: "workspace_budgets", id: record.id },
      before: before?.record ?? null,
      after: budgets,
    },
    epoch: { topic: "budgets", id: record.id },
    small: true,
  });
  if (done) epochs.changed("workspaces", record.id);
  return done;
}
