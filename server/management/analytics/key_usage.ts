/** The usage of one key: for its holder, who may know of no other, and for managers. */

import type { activityApi, KeyUsage } from "../../../shared/management/activity.ts";
import { ApiError } from "../../../shared/errors.ts";
import { toNanoUsd, toUsdNumber, usdFromNumber } from "../../../shared/money.ts";
import { queryUsage, type UsageGroup } from "../../billing/ledger/usage/usage_query.ts";
import { addUsageTotals, timeSpans } from "../../billing/ledger/usage/usage_rows.ts";
import { bucketEndsAt } from "../../billing/ledger/core/counters/bucket_names.ts";
import type { BucketSpend, SpendByPeriod } from "../../billing/ledger/core/ledger.ts";
import type { OperationInput } from "../core/operation.ts";
import { utcDate } from "./activity.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { forecastLimit } from "./limit_forecast.ts";
import { serializeLimit } from "../keys/key_record.ts";
import { readLineage } from "../keys/key_lineage.ts";
import { keyCollection, type KeyRow, keyScope } from "../keys/key_rows.ts";

const DAY = 86_400_000;
const DEFAULT_DAYS = 30;
/** The forecast looks at a week, however little is asked for. */
const LEAST_DAYS = 7;

type UsageDeps = Pick<ManagementDeps, "store" | "runtime" | "ledger" | "modelId">;

/** Reads the usage of the key that calls. */
export async function readOwnUsage(
  deps: UsageDeps,
  { caller, query }: OperationInput<typeof activityApi["key.usage"]>,
): Promise<KeyUsage> {
  const found = await keyCollection(deps.store).get(caller.keyHash);
  if (found === undefined) throw new ApiError("unauthorized", "The key was removed a moment ago.");
  return await readKeyUsage(deps, { row: found.record, query });
}

interface KeyUsageInput {
  readonly row: KeyRow;
  readonly query: OperationInput<typeof activityApi["key.usage"]>["query"];
}

export async function readKeyUsage(deps: UsageDeps, { row, query }: KeyUsageInput): Promise<KeyUsage> {
  const now = deps.runtime.clock.now();
  const days = query.days ?? DEFAULT_DAYS;
  await deps.ledger.caughtUp();
  const groups = await usedBy(deps, { row, now, days: Math.max(days, LEAST_DAYS) });
  const spend = await deps.ledger.readSpend(keyScope(row));
  const first = startOfDay(now) - (days - 1) * timeSpans.day;
  return {
    label: row.label,
    days: groups.filter(({ bucket }) => bucket >= first).map(dayOf).toSorted(newestFirst),
    spend: serializeDaySpend(spend),
    resets: {
      daily: iso(bucketEndsAt("daily", now) ?? now),
      weekly: iso(bucketEndsAt("weekly", now) ?? now),
      monthly: iso(bucketEndsAt("monthly", now) ?? now),
    },
    ...limitsOf({ row, spend, now, groups }),
  };
}

const startOfDay = (at: number): number => at - at % timeSpans.day;
const iso = (at: number): string => new Date(at).toISOString();
const usd = (nano: number): number => toUsdNumber(toNanoUsd(nano));

interface UsageByDay {
  readonly row: KeyRow;
  readonly now: number;
  readonly days: number;
}

/** By day and model; of all keys of its line, as its spend is counted. */
async function usedBy(
  { store, modelId }: Pick<ManagementDeps, "store" | "modelId">,
  { row, now, days }: UsageByDay,
): Promise<readonly UsageGroup[]> {
  const today = startOfDay(now);
  const range = { from: today - (days - 1) * timeSpans.day, to: today + timeSpans.day };
  const hashes = await readLineage(store, row);
  const sums = await Promise.all(
    [...hashes].map((key) =>
      queryUsage(store, {
        ...range,
        grain: "day",
        bucket: (at) => at,
        by: ["model"],
        key,
        modelId,
        maxRows: Infinity,
      })
    ),
  );
  const all = new Map<string, UsageGroup>();
  for (const group of sums.flatMap(({ groups }) => groups)) {
    const name = `${group.bucket}/${group.values[0]}`;
    const known = all.get(name);
    all.set(
      name,
      known === undefined ? group : { ...known, totals: addUsageTotals(known.totals, group.totals) },
    );
  }
  return [...all.values()];
}

function dayOf({ bucket, values: [model = ""], totals }: UsageGroup): KeyUsage["days"][number] {
  return {
    date: utcDate(bucket),
    model: model === "" ? null : model,
    requests: totals.requests,
    prompt_tokens: totals.prompt,
    completion_tokens: totals.completion,
    reasoning_tokens: totals.reasoning,
    cached_tokens: totals.cached,
    usage: usd(totals.cost),
    byok_usage: usd(totals.byok),
  };
}

type Day = KeyUsage["days"][number];

function newestFirst(a: Day, b: Day): number {
  if (a.date !== b.date) return a.date < b.date ? 1 : -1;
  return b.usage - a.usage || ((a.model ?? "") < (b.model ?? "") ? -1 : 1);
}

function serializeDaySpend({ daily, weekly, monthly, lifetime }: SpendByPeriod): KeyUsage["spend"] {
  const shown = ({ cost, byok }: BucketSpend) => ({
    usage: toUsdNumber(cost),
    byok_usage: toUsdNumber(byok),
  });
  return { today: shown(daily), week: shown(weekly), month: shown(monthly), total: shown(lifetime) };
}

interface KeyLimits {
  readonly row: KeyRow;
  readonly spend: SpendByPeriod;
  readonly now: number;
  readonly groups: readonly UsageGroup[];
}

/** When a key was made, or what it goes on with: a successor is younger than the days of its predecessor. */
function spendBegan(madeAt: number, groups: readonly UsageGroup[]): number {
  const earlier = groups.map(({ bucket }) => bucket).filter((bucket) => bucket + DAY <= madeAt);
  return Math.min(madeAt, ...earlier);
}

function limitsOf({ row, spend, now, groups }: KeyLimits) {
  const limit = serializeLimit(row, spend);
  const reset = row.limit_reset === null ? undefined : bucketEndsAt(row.limit_reset, now);
  const spentByDay = new Map<number, number>();
  for (const { bucket, totals: { cost, byok } } of groups) {
    const counts = cost + (row.include_byok_in_limit ? byok : 0);
    spentByDay.set(bucket, (spentByDay.get(bucket) ?? 0) + counts);
  }
  const { limit_remaining: left } = limit;
  return {
    ...limit,
    limit_resets_at: limit.limit === null || reset === undefined ? null : iso(reset),
    forecast: forecastLimit({
      now,
      keyMadeAt: spendBegan(Date.parse(row.created_at), groups),
      spentByDay,
      // A rest beyond what amounts can name is as good as the most they can.
      remaining: left === null ? null : usdFromNumber(Math.min(left, 9_000_000)),
      resetsAt: limit.limit === null ? undefined : reset,
    }),
  };
}
