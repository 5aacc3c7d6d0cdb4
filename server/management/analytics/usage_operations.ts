/** Operations that read the sums beside the receipts: activity, a key's own usage, analytics. */

import type { activityApi } from "../../../shared/management/activity.ts";
import type { analyticsApi, AnalyticsRow } from "../../../shared/management/analytics.ts";
import type { OperationHandlers } from "../core/operation.ts";
import { MAX_EXPORT_ROWS } from "../../../shared/management/exports.ts";
import { exportFile } from "../core/export_file.ts";
import { readKeyNames } from "../keys/key_rows.ts";
import { listActivity } from "./activity.ts";
import { runAnalyticsQuery } from "./analytics_query.ts";
import { analyticsMeta } from "./analytics_metrics.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { requireKey } from "../keys/key_access.ts";
import { readKeyUsage, readOwnUsage } from "./key_usage.ts";

type UsageDeps = Pick<ManagementDeps, "store" | "runtime" | "ledger" | "cacheVersions" | "modelId" | "pause">;

/** Dimension of keys, by their hashes, and the column of a file that has their names. */
const KEY = "api_key_id";
const KEY_NAME = "api_key_name";
/** Rows between which requests have their turn. */
const EXPORT_PAGE = 500;

/** The rows with the names of their keys; null where a key is deleted. */
async function withKeyNames({ store }: Pick<UsageDeps, "store">, rows: readonly AnalyticsRow[]) {
  const hashes = rows.map((row) => String(row[KEY]));
  const names = new Map(Object.entries(await readKeyNames(store, hashes)));
  return rows.map((row, at) => ({ ...row, [KEY_NAME]: names.get(hashes[at] ?? "") ?? null }));
}

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
      const { data } = await runAnalyticsQuery(deps, { ...body, limit: body.limit ?? MAX_EXPORT_ROWS + 1 });
      const { dimensions = [], granularity, metrics } = body;
      const dated = granularity === undefined ? [] : ["date"];
      const named = dimensions.includes(KEY) ? [KEY_NAME] : [];
      const columns = [...dated, ...dimensions, ...named, ...metrics];
      const pages = async function* () {
        for (let at = 0; at < data.length; at += EXPORT_PAGE) {
          const rows = data.slice(at, at + EXPORT_PAGE);
          yield named.length === 0 ? rows : await withKeyNames(deps, rows);
        }
      };
      return exportFile(deps, { name: "analytics", format, columns, pages: pages() });
    },
    "analytics.query": async ({ body }) => ({ data: await runAnalyticsQuery(deps, body) }),
  };
}
