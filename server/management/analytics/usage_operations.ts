/** Operations that read the sums beside the receipts: activity, a key's own usage, analytics. */

import type { activityApi } from "../../../shared/management/activity.ts";
import type { analyticsApi } from "../../../shared/management/analytics.ts";
import type { OperationHandlers } from "../core/operation.ts";
import { exportFile } from "../core/export_file.ts";
import { listActivity } from "./activity.ts";
import { runAnalyticsQuery } from "./analytics_query.ts";
import { analyticsMeta } from "./analytics_metrics.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { requireKey } from "../keys/key_access.ts";
import { readKeyUsage, readOwnUsage } from "./key_usage.ts";

type UsageDeps = Pick<ManagementDeps, "store" | "runtime" | "ledger" | "cacheVersions" | "modelId" | "pause">;

export function usageOperations(
  deps: UsageDeps,
): OperationHandlers<typeof activityApi & typeof analyticsApi> {
  return {
    "activity.list": async (input) => ({ data: await listActivity(deps, input) }),
    "key.usage": async (input) => ({ data: await readOwnUsage(deps, input) }),
    "keys.usage": async (input) => {
      const { record } = await requireKey(deps, input);
      return { data: await readKeyUsage(deps, { row: record, query: input.query }) };
    },
    "analytics.meta": () => Promise.resolve({ data: analyticsMeta }),
    "analytics.export": async ({ query: { format }, body }) => {
      const { data } = await runAnalyticsQuery(deps, body);
      const dated = body.granularity === undefined ? [] : ["date"];
      const columns = [...dated, ...body.dimensions ?? [], ...body.metrics];
      const pages = async function* () {
        yield await Promise.resolve(data);
      };
      return exportFile(deps, { name: "analytics", format, columns, pages: pages() });
    },
    "analytics.query": async ({ body }) => ({ data: await runAnalyticsQuery(deps, body) }),
  };
}
