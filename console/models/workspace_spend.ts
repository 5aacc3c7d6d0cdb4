/** Spend of workspaces this month, this week and today. */

import { type ConsoleApi, operation } from "../api.ts";
import type { Clock } from "../clock.ts";
import { createResource } from "../resource.ts";

const queryAnalytics = operation<"analytics.query">("POST", "/analytics/query");
const DAY_MS = 86_400_000;

export interface WorkspaceSpend {
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
  /** Number of requests this month. */
  readonly requests: number;
}

const nothing: WorkspaceSpend = { daily: 0, weekly: 0, monthly: 0, requests: 0 };

interface WorkspaceSpendDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly clock: Clock;
}

/** When the day, the week and the month began, ms since the epoch. */
export function periodStarts(now: number) {
  const day = Math.floor(now / DAY_MS) * DAY_MS;
  const date = new Date(now);
  // Monday is the first day of the week.
  const week = day - (date.getUTCDay() + 6) % 7 * DAY_MS;
  return { day, week, month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) };
}

/** By workspace id. */
export function workspaceSpend({ api, clock }: WorkspaceSpendDeps) {
  return createResource(async (signal) => {
    const { day, week, month } = periodStarts(clock.now());
    const start = Math.min(week, month);
    const body = {
      metrics: ["total_usage", "request_count"],
      dimensions: ["workspace"],
      granularity: "day" as const,
      time_range: { start: new Date(start).toISOString(), end: new Date(day + DAY_MS).toISOString() },
    };
    const { data: { data } } = await api.call(queryAnalytics, { body, signal });
    const sums = new Map<string, WorkspaceSpend>();
    for (const { workspace, date, total_usage, request_count } of data) {
      const [id, at, usd] = [String(workspace), Date.parse(String(date)), Number(total_usage ?? 0)];
      const sum = sums.get(id) ?? nothing;
      sums.set(id, {
        daily: sum.daily + (at >= day ? usd : 0),
        weekly: sum.weekly + (at >= week ? usd : 0),
        monthly: sum.monthly + (at >= month ? usd : 0),
        requests: sum.requests + (at >= month ? Number(request_count ?? 0) : 0),
      });
    }
    return sums;
  });
}

export const spendOf = (sums: ReadonlyMap<string, WorkspaceSpend> | undefined, id: string): WorkspaceSpend =>
  sums?.get(id) ?? nothing;
