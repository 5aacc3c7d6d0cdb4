/** How the processes that share a store share a limit: what each has taken of it, and what is its due. */

import * as z from "zod";
import { eachRateLimit, type RateLimitName, rateLimitNames } from "../../../shared/rate_limits.ts";
import type { RateAmounts } from "./rate_limit_scope.ts";

const amountSchema = z.int().nonnegative();
const amountsSchema = z.object(eachRateLimit(() => amountSchema.default(0)));

/** Record that one process has written of itself. */
const holdingSchema = z.object({
  /** Changes with every write: a holding that stays the same is that of a process that is gone. */
  beat: z.int(),
  /** The process never uses more than this of a limit; it covers what it has used already. */
  held: amountsSchema,
  /** Amounts that were requested of it lately; null when it has stopped and takes no more requests. */
  asked: amountsSchema.nullable(),
});
export type InstanceHolding = z.infer<typeof holdingSchema>;

/** A scope's record: one for all processes, so that nobody takes what somebody else is just taking. */
export const rateQuotaRowSchema = z.object({ holders: z.record(z.string(), holdingSchema) });
export type RateQuotaRow = z.infer<typeof rateQuotaRowSchema>;

interface OwnUsage {
  readonly id: string;
  readonly limits: RateAmounts;
  readonly used: RateAmounts;
  readonly requested: RateAmounts;
}

/**
 * Computes what this process may hold: its part of the limit by what is requested of it, as far as the others have
 * left it, and at least what it has used. As everybody holds at least what it used, and takes only what nobody holds,
 * all of them together never use more than the limit.
 */
export function rateQuotaFor(
  { id, limits, used, requested }: OwnUsage,
  others: RateQuotaRow["holders"],
): RateAmounts {
  return eachRateLimit((name) => {
    const due = fairQuotaOf(name, {
      limit: limits[name],
      holders: { ...others, [id]: { asked: requested } },
      id,
    });
    const taken = Object.values(others).reduce((sum, { held }) => sum + held[name], 0);
    return Math.max(used[name], Math.min(due, Math.max(0, limits[name] - taken)));
  });
}

interface FairQuota {
  readonly limit: number;
  readonly holders: Readonly<Record<string, Pick<InstanceHolding, "asked">>>;
  readonly id: string;
}

/** In proportion to what is asked of each; what cannot be divided goes one each to the first by name. */
function fairQuotaOf(name: RateLimitName, { limit, holders, id }: FairQuota): number {
  const ids = Object.keys(holders).sort();
  const weight = (holder: string) => {
    const requested = holders[holder]?.asked;
    return requested ? 1 + requested[name] : 0;
  };
  const all = ids.reduce((sum, holder) => sum + weight(holder), 0);
  const part = (holder: string) => Math.floor(limit * (weight(holder) / all));
  const rest = limit - ids.reduce((sum, holder) => sum + part(holder), 0);
  return part(id) + (ids.indexOf(id) < rest ? 1 : 0);
}

/** True when nothing is asked any more. */
export const isIdleDemand = (requested: RateAmounts) => rateLimitNames.every((name) => requested[name] === 0);
