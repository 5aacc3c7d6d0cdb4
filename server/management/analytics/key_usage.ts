/** What a key may know of its own spend, and of nobody else's. */

import type { activityApi, KeyUsage } from "../../../shared/management/activity.ts";
import { Refusal } from "../../../shared/errors.ts";
import { toNanoUsd, toUsdNumber, usdFromNumber } from "../../../shared/money.ts";
import { sumUsage, type UsageGroup } from "../../ledger/usage/usage_query.ts";
import { addTotals, spans } from "../../ledger/usage/usage_rows.ts";
import { resetsAt } from "../../ledger/core/bucket_names.ts";
import type { Spend, Spent } from "../../ledger/core/ledger.ts";
import type { Asked } from "../core/operation.ts";
import { dateOf } from "./activity.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { forecastOf } from "./limit_forecast.ts";
import { shownLimit } from "../keys/key_record.ts";
import { lineOf } from "../keys/key_lineage.ts";
import { type KeyRow, keyRows, scopeOfKey } from "../keys/key_rows.ts";

const DEFAULT_DAYS = 30;
/** The forecast looks at a week, however little is asked for. */
const LEAST_DAYS = 7;

export async function keyUsage(
  deps: Pick<AdminDeps, "store" | "world" | "ledger">,
  { caller, query }: Asked<typeof activityApi["key.usage"]>,
): Promise<KeyUsage> {
  const found = await keyRows(deps.store).get(caller.keyHash);
  if (found === undefined) throw new Refusal("unauthorized", "The key was removed a moment ago.");
  const row = found.record;
  const now = deps.world.clock.now();
  const days = query.days ?? DEFAULT_DAYS;
  await deps.ledger.posted();
  const groups = await usedBy(deps, { row, now, days: Math.max(days, LEAST_DAYS) });
  const spend = await deps.ledger.spendOf(scopeOfKey(row));
  const first = startOfDay(now) - (days - 1) * spans.day;
  return {
    label: row.label,
    days: groups.filter(({ bucket }) => bucket >= first).map(dayOf).toSorted(newestFirst),
    spend: shownSpend(spend),
    resets: {
      daily: iso(resetsAt("daily", now) ?? now),
      weekly: iso(resetsAt("weekly", now) ?? now),
      monthly: iso(resetsAt("monthly", now) ?? now),
    },
    ...limitsOf({ row, spend, now, groups }),
  };
}

const startOfDay = (at: number): number => at - at % spans.day;
const iso = (at: number): string => new Date(at).toISOString();
const usd = (nano: number): number => toUsdNumber(toNanoUsd(nano));

interface Used {
  readonly row: KeyRow;
  readonly now: number;
  readonly days: number;
}

/** By day and model; of all keys of its line, as its spend is counted. */
async function usedBy(
  { store }: Pick<AdminDeps, "store">,
  { row, now, days }: Used,
): Promise<readonly UsageGroup[]> {
  const today = startOfDay(now);
  const range = { from: today - (days - 1) * spans.day, to: today + spans.day };
  const hashes = await lineOf(store, row);
  const sums = await Promise.all(
    [...hashes].map((key) =>
      sumUsage(store, { ...range, grain: "day", bucket: (at) => at, by: ["model"], key, maxRows: Infinity })
    ),
  );
  const all = new Map<string, UsageGroup>();
  for (const group of sums.flatMap(({ groups }) => groups)) {
    const name = `${group.bucket}/${group.values[0]}`;
    const known = all.get(name);
    all.set(name, known === undefined ? group : { ...known, totals: addTotals(known.totals, group.totals) });
  }
  return [...all.values()];
}

function dayOf({ bucket, values: [model = ""], totals }: UsageGroup): KeyUsage["days"][number] {
  return {
    date: dateOf(bucket),
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

function shownSpend({ daily, weekly, monthly, lifetime }: Spend): KeyUsage["spend"] {
  const shown = ({ cost, byok }: Spent) => ({ usage: toUsdNumber(cost), byok_usage: toUsdNumber(byok) });
  return { today: shown(daily), week: shown(weekly), month: shown(monthly), total: shown(lifetime) };
}

interface Limited {
  readonly row: KeyRow;
  readonly spend: Spend;
  readonly now: number;
  readonly groups: readonly UsageGroup[];
}

function limitsOf({ row, spend, now, groups }: Limited) {
  const limit = shownLimit(row, spend);
  const reset = row.limit_reset === null ? undefined : resetsAt(row.limit_reset, now);
  const spentByDay = new Map<number, number>();
  for (const { bucket, totals: { cost, byok } } of groups) {
    const counts = cost + (row.include_byok_in_limit ? byok : 0);
    spentByDay.set(bucket, (spentByDay.get(bucket) ?? 0) + counts);
  }
  const { limit_remaining: left } = limit;
  return {
    ...limit,
    limit_resets_at: limit.limit === null || reset === undefined ? null : iso(reset),
    forecast: forecastOf({
      now,
      // A successor is younger than what it goes on with.
      keyMadeAt: Math.min(Date.parse(row.created_at), ...groups.map(({ bucket }) => bucket)),
      spentByDay,
      // A rest beyond what amounts can name is as good as the most they can.
      remaining: left === null ? null : usdFromNumber(Math.min(left, 9_000_000)),
      resetsAt: limit.limit === null ? undefined : reset,
    }),
  };
}
