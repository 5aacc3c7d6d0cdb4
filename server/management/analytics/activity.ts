/**
 * Lists usage by day, model and endpoint (specification, Credits, generations, activity, analytics), from rows of
 * whole days.
 */

import { ACTIVITY_DAYS, type activityApi, type ActivityItem } from "../../../shared/management/activity.ts";
import { ApiError } from "../../../shared/errors.ts";
import { toNanoUsd, toUsdNumber } from "../../../shared/money.ts";
import { queryUsage, type UsageGroup } from "../../billing/ledger/usage/usage_query.ts";
import {
  addUsageTotals,
  timeSpans,
  type UsageCombination,
  type UsageDimension,
  usageDimensions,
  type UsageTotals,
} from "../../billing/ledger/usage/usage_rows.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { OperationInput } from "../core/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { keyCollection } from "../keys/key_rows.ts";

const DAY = timeSpans.day;

/** `2026-11-21`, of a moment in ms. */
export const utcDate = (at: number): string => new Date(at).toISOString().slice(0, 10);

type List = typeof activityApi["activity.list"];

interface Days {
  readonly from: number;
  readonly to: number;
}

export async function listActivity(
  { store, runtime, ledger, modelId }: Pick<ManagementDeps, "store" | "runtime" | "ledger" | "modelId">,
  { query }: Pick<OperationInput<List>, "query">,
): Promise<ActivityItem[]> {
  const { user_id, workspace_id, api_key_hash: key } = query;
  const byWorkspace = query.group_by === "workspace";
  const by: readonly UsageDimension[] = [
    "model",
    "provider",
    ...(byWorkspace ? ["workspace"] as const : []),
    ...(user_id === undefined ? [] : ["key"] as const),
  ];
  await ledger.caughtUp();
  const { groups } = await queryUsage(store, {
    ...daysOf(query.date, runtime.clock.now()),
    grain: "day",
    bucket: (at) => at,
    by,
    key,
    modelId,
    filter: workspace_id === undefined ? undefined : ofWorkspace(workspace_id),
    maxRows: Infinity,
  });
  const theirs = user_id === undefined
    ? groups
    : await activityOfUser(store, { groups, by, userId: user_id });
  const items = mergeActivity(theirs, by.length - (user_id === undefined ? 0 : 1));
  return items.flatMap((group) => itemOf(group, byWorkspace)).toSorted(newestFirst);
}

/** Throws an ApiError (400) for a day outside of the last 30 whole ones. */
function daysOf(date: string | undefined, now: number): Days {
  const today = now - now % DAY;
  const all = { from: today - ACTIVITY_DAYS * DAY, to: today };
  if (date === undefined) return all;
  const from = Date.parse(date);
  if (from >= all.from && from < all.to) return { from, to: from + DAY };
  throw new ApiError(
    "invalid_request",
    `Cannot list activity: date is ${date}, allowed is ${utcDate(all.from)} to ${utcDate(all.to - DAY)}`,
    { metadata: { path: "date" } },
  );
}

const workspaceAt = usageDimensions.indexOf("workspace");

const ofWorkspace = (id: string) => ({
  looksAt: new Set<UsageDimension>(["workspace"]),
  takes: (combination: UsageCombination) => combination[workspaceAt] === id.toLowerCase(),
});

interface UserActivity {
  readonly groups: readonly UsageGroup[];
  readonly by: readonly UsageDimension[];
  readonly userId: string;
}

/** Usage of the keys that one user has made; deleted keys no longer say whose they were. */
async function activityOfUser(
  store: Store,
  { groups, by, userId }: UserActivity,
): Promise<readonly UsageGroup[]> {
  const keyAt = by.indexOf("key");
  const hashes = [...new Set(groups.map(({ values }) => values[keyAt] ?? ""))];
  const rows = keyCollection(store);
  const known = await Promise.all(hashes.map((hash) => rows.get(hash)));
  const theirs = new Set(
    known.flatMap((one) => one?.record.creator_user_id === userId ? [one.record.hash] : []),
  );
  return groups.filter(({ values }) => theirs.has(values[keyAt] ?? ""));
}

interface Merged {
  readonly bucket: number;
  readonly values: readonly string[];
  readonly endpoint: string | null;
  totals: UsageTotals;
}

/** Groups that are alike in their first `kept` values, as one. */
function mergeActivity(groups: readonly UsageGroup[], kept: number): readonly Merged[] {
  const all = new Map<string, Merged>();
  for (const { bucket, values, endpoint, totals } of groups) {
    const name = [bucket, ...values.slice(0, kept)].join("\0");
    const known = all.get(name);
    if (known === undefined) all.set(name, { bucket, values, endpoint, totals });
    else known.totals = addUsageTotals(known.totals, totals);
  }
  return [...all.values()];
}

/** Nothing of requests that were refused before a model was asked: there is no model to name. */
function itemOf({ bucket, values, totals, endpoint }: Merged, byWorkspace: boolean): ActivityItem[] {
  const [model = "", provider = "", workspace] = values;
  if (model === "") return [];
  return [{
    date: utcDate(bucket),
    model,
    model_permaslug: model,
    endpoint_id: endpoint ?? "",
    provider_name: provider,
    usage: toUsdNumber(toNanoUsd(totals.cost)),
    byok_usage_inference: toUsdNumber(toNanoUsd(totals.byok)),
    requests: totals.requests,
    prompt_tokens: totals.prompt,
    completion_tokens: totals.completion,
    reasoning_tokens: totals.reasoning,
    ...(byWorkspace ? { workspace_id: workspace } : {}),
  }];
}

function newestFirst(a: ActivityItem, b: ActivityItem): number {
  if (a.date !== b.date) return a.date < b.date ? 1 : -1;
  return b.usage - a.usage || (a.model < b.model ? -1 : 1);
}
