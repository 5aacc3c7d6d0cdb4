/** What is read from the sums beside the receipts: activity, a key's own usage, analytics. */

import type { activityApi } from "../../../shared/management/activity.ts";
import type { analyticsApi } from "../../../shared/management/analytics.ts";
import type { Acts } from "../core/operation.ts";
import { listActivity } from "./activity.ts";
import { queryAnalytics } from "./analytics_query.ts";
import { analyticsMeta } from "./analytics_metrics.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { keyUsage } from "./key_usage.ts";

type UsageDeps = Pick<AdminDeps, "store" | "world" | "ledger">;

export function usageActs(deps: UsageDeps): Acts<typeof activityApi & typeof analyticsApi> {
  return {
    "activity.list": async (asked) => ({ data: await listActivity(deps, asked) }),
    "key.usage": async (asked) => ({ data: await keyUsage(deps, asked) }),
    "analytics.meta": () => Promise.resolve({ data: analyticsMeta }),
    "analytics.query": async ({ body }) => ({ data: await queryAnalytics(deps, body) }),
  };
}
