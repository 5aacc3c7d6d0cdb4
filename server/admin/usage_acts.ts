/** What is read from the sums beside the receipts: activity, a key's own usage, analytics. */

import type { activityApi } from "../../shared/api/activity.ts";
import type { analyticsApi } from "../../shared/api/analytics.ts";
import type { Acts } from "./act.ts";
import { listActivity } from "./activity.ts";
import { queryAnalytics } from "./analytics.ts";
import { analyticsMeta } from "./analytics_metrics.ts";
import type { AdminDeps } from "./deps.ts";
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
