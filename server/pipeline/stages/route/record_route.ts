/** Records what routing leaves for the routing metadata and the receipt (specification, openrouter_metadata). */

import { truncateStart } from "../../../../shared/util/text.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { CallRecord } from "../../request_context.ts";
import type { SkippedEndpoint } from "../../request_record.ts";
import { routeInputOf } from "../../routing/route_input.ts";
import type { RoutePlan } from "../../routing/route_plan.ts";

interface PlannedRequest {
  readonly plan: RoutePlan;
  readonly request: ModelRequest;
}

export function recordPlan(call: CallRecord, { plan, request }: PlannedRequest): void {
  call.candidates = plan.candidates.map(({ profile }) => profile.endpoint);
  call.skipped = plan.excluded;
  call.strategy = plan.strategy;
  call.routingParams = () => routingParams(plan);
  call.routeInput = () => routeInputOf(plan, request);
}

export function recordSkipped(call: CallRecord, passed: SkippedEndpoint): void {
  call.skipped = [...call.skipped ?? [], passed];
}

/** The preferences that decided, under the names that the API has for them. */
export function routingParams(
  { models, preferences, stickyKey }: RoutePlan,
): Readonly<Record<string, unknown>> {
  const { order, sort, partition, fallbacks, minThroughput, maxLatency } = preferences;
  const unknown = models.filter(({ endpoints }) => endpoints.length === 0).map(({ name }) =>
    truncateStart(name, 100)
  );
  const variants = [...new Set(models.flatMap((one) => [...one.variants]))];
  const sorted = sort ?? models.find((one) => one.sort !== undefined)?.sort;
  const params = {
    sticky: stickyKey.source === "request" ? undefined : stickyKey.source,
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
