/** What routing leaves for the routing metadata and the receipt (specification, openrouter_metadata). */

import { truncateStart } from "../../../shared/util/text.ts";
import { omitUndefined } from "../../../shared/util/json.ts";
import type { RequestRecord, SkippedEndpoint } from "../../pipeline/request_context.ts";
import type { RoutePlan } from "../../routing/route_plan.ts";

export function recordPlan(record: RequestRecord, plan: RoutePlan): void {
  record.candidates = plan.candidates.map(({ profile }) => profile.endpoint);
  record.skipped = plan.excluded;
  record.strategy = plan.strategy;
  record.routingParams = () => routingParams(plan);
}

export function recordSkipped(record: RequestRecord, passed: SkippedEndpoint): void {
  record.skipped = [...record.skipped ?? [], passed];
}

/** The wishes that had a say, under the names that the API has for them. */
export function routingParams(
  { models, preferences, stickyKey: key }: RoutePlan,
): Readonly<Record<string, unknown>> {
  const { order, sort, partition, fallbacks, minThroughput, maxLatency } = preferences;
  const unknown = models.filter(({ endpoints }) => endpoints.length === 0).map(({ name }) =>
    truncateStart(name, 100)
  );
  const variants = [...new Set(models.flatMap((one) => [...one.variants]))];
  const sorted = sort ?? models.find((one) => one.sort !== undefined)?.sort;
  const params = {
    sticky: key.source === "request" ? undefined : key.source,
    order: order.length === 0 ? undefined : order,
    sort: sorted,
    partition: partition === "none" ? partition : undefined,
    allow_fallbacks: fallbacks ? undefined : false,
    throughput_floor: minThroughput,
    latency_ceiling: maxLatency,
    variants: variants.length === 0 ? undefined : variants,
    unknown_models: unknown.length === 0 ? undefined : unknown,
  };
  return omitUndefined(params);
}
