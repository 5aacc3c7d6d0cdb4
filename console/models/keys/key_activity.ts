/** Activity of a key: spend by day, and its last requests. */

import { type ConsoleApi, operation } from "../../api.ts";
import type { Clock } from "../../clock.ts";
import { createResource } from "../../resource.ts";
import { bucketsOf, rangeOf, seriesOf } from "../series.ts";

const queryAnalytics = operation<"analytics.query">("POST", "/analytics/query");
const listReceipts = operation<"receipts.list">("GET", "/receipts");

const LAST = 6;

interface KeyActivityDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly clock: Clock;
}

/** Spend of the last 30 days. */
export function keySpend(hash: string, { api, clock }: KeyActivityDeps) {
  return createResource(async (signal) => {
    const buckets = bucketsOf(rangeOf("30d"), clock.now());
    const body = {
      metrics: ["total_usage"],
      granularity: "day" as const,
      filters: [{ field: "api_key_id", operator: "eq" as const, value: hash }],
      time_range: {
        start: new Date(buckets[0]?.from ?? 0).toISOString(),
        end: new Date(buckets.at(-1)?.to ?? 0).toISOString(),
      },
    };
    const { data: { data } } = await api.call(queryAnalytics, { body, signal });
    const points = data.map(({ date, total_usage }) => ({
      name: "spend",
      at: Date.parse(String(date)),
      value: Number(total_usage ?? 0),
    }));
    const [series] = seriesOf(points, { buckets, others: () => "" });
    return { buckets, values: series?.values ?? buckets.map(() => 0) };
  });
}

export function lastRequests(hash: string, { api }: KeyActivityDeps) {
  return createResource(async (signal) => {
    const { data } = await api.call(listReceipts, { query: { api_key_hash: hash, limit: LAST }, signal });
    return data;
  });
}
