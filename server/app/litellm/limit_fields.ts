/** Limits of LiteLLM's keys and teams: what they may spend, how often they may ask. */

import * as z from "zod";
import type { BudgetInterval } from "../../../shared/budget_intervals.ts";
import { limitsRate, type RateLimits } from "../../../shared/rate_limits.ts";
import type { ImportReport } from "./import_report.ts";

const count = z.int().positive().nullish().catch(undefined);

const ownShape = {
  max_budget: z.number().nonnegative().nullish(),
  budget_duration: z.string().nullish(),
  rpm_limit: count,
  tpm_limit: count,
  max_parallel_requests: count,
} as const;

/** Fields of keys and teams alike. */
export const limitShape = {
  ...ownShape,
  spend: z.number().nullish(),
  blocked: z.boolean().nullish(),
  models: z.array(z.string()).nullish(),
  /** Limits under a name, which stand in for those that a key leaves out. */
  litellm_budget_table: z.looseObject(ownShape).nullish().catch(undefined),
} as const;

const limitsSchema = z.looseObject(limitShape);
type LimitFields = z.output<typeof limitsSchema>;

interface LimitDeps {
  /** The key or team, for the report. */
  readonly place: string;
  readonly report: ImportReport;
}

/** Limit of a key, or budget of a workspace. */
interface ImportedBudget {
  readonly interval: BudgetInterval;
  readonly usd: number;
}

/** Its own value, else that of the limits under a name. */
function effective(fields: LimitFields): Pick<LimitFields, keyof typeof ownShape> {
  const { litellm_budget_table: table } = fields;
  return {
    max_budget: fields.max_budget ?? table?.max_budget,
    budget_duration: fields.budget_duration ?? table?.budget_duration,
    rpm_limit: fields.rpm_limit ?? table?.rpm_limit,
    tpm_limit: fields.tpm_limit ?? table?.tpm_limit,
    max_parallel_requests: fields.max_parallel_requests ?? table?.max_parallel_requests,
  };
}

/** A budget of a period begins anew; of any other, what is left is the limit. Undefined for none. */
export function budgetOf(fields: LimitFields, { place, report }: LimitDeps): ImportedBudget | undefined {
  const { max_budget: most, budget_duration: duration } = effective(fields);
  if (most === null || most === undefined) return undefined;
  const interval = intervalOf(duration ?? "");
  if (interval !== undefined) return { interval, usd: rounded(most) };
  const left = rounded(Math.max(0, most - (fields.spend ?? 0)));
  report.changed.push(`${place}: its limit is what is left of its budget, ${left} USD, without a reset`);
  return { interval: "lifetime", usd: left };
}

/** To nano-USD. */
const rounded = (usd: number): number => Number(usd.toFixed(9));

/** Null for none. */
export function rateLimitsOf(fields: LimitFields, { place, report }: LimitDeps): RateLimits | null {
  const { rpm_limit: rpm, tpm_limit: tpm, max_parallel_requests: parallel } = effective(fields);
  const limits: RateLimits = {
    requests_per_minute: rpm ?? null,
    tokens_per_minute: tpm ?? null,
    concurrent_streams: parallel ?? null,
  };
  if (limits.concurrent_streams !== null) {
    report.changed.push(`${place}: max_parallel_requests: concurrent_streams counts streams alone`);
  }
  return limitsRate(limits) ? limits : null;
}

const DAY = 86_400;

/** Seconds of a unit of LiteLLM's durations. */
const units: ReadonlyMap<string, number> = new Map([
  ["s", 1],
  ["m", 60],
  ["h", 3_600],
  ["d", DAY],
  ["w", 7 * DAY],
  ["mo", 30 * DAY],
]);

/** `7d` → `weekly`: budgets there begin anew with the day, the week or the month, as they do here. */
function intervalOf(duration: string): Exclude<BudgetInterval, "lifetime"> | undefined {
  const [, amount = "", unit = ""] = /^(\d+)(s|m|h|d|w|mo)$/.exec(duration) ?? [];
  const days = Number(amount) * (units.get(unit) ?? 0) / DAY;
  if (days === 1) return "daily";
  if (days === 7) return "weekly";
  return days >= 28 && days <= 31 ? "monthly" : undefined;
}
