/** Records what routing leaves for the routing metadata and the receipt (specification, openrouter_metadata). */

import { truncateStart } from "../../../../shared/util/text.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { CallRecord, RequestContext, RequestRecord } from "../../request_context.ts";
import type { SkippedEndpoint } from "../../request_record.ts";
import type { RouterDecision } from "../../routing/routers/choose_models.ts";
import { nameOfRouter } from "../../routing/routers/router_slugs.ts";
import { routeInputOf } from "../../routing/route_input.ts";
import type { RoutePlan, RoutePlanDeps } from "../../routing/route_plan.ts";
import { isFusion } from "../../tools/fusion/fusion_options.ts";
import type { RouteCandidate } from "../../routing/selection/endpoint_order.ts";
import type { RequestedModel } from "../../routing/selection/model_names.ts";

/** A router acts once a request: later turns of a loop stay with what it chose. */
export function recordPlan(context: RecordedRequest, plan: RoutePlan): void {
  const { call, record, request } = context;
  if (call.purpose === "model") {
    call.dropped.push(...idleRouters(context, plan));
    for (const decision of plan.decisions) recordDecision(record, decision);
    if (plan.models.every(({ router }) => router !== undefined)) record.router ??= plan.decisions[0]?.router;
  }
  call.candidates = plan.candidates.map(({ profile }) => profile.endpoint);
  call.skipped = plan.excluded;
  call.strategy = plan.strategy;
  call.routingParams = () => routingParams(plan);
  call.routeInput = () => routeInputOf(plan, request);
}

type RecordedRequest = Pick<RequestContext, "call" | "record" | "request" | "plugins">;

/** Words for the plugins of routers that the request names for nothing. */
function idleRouters(
  { plugins = [], request }: RecordedRequest,
  { decisions }: Pick<RoutePlan, "decisions">,
): readonly string[] {
  return plugins.flatMap(({ options: { id }, origin }) => {
    const name = nameOfRouter(id);
    const isForTool = id === "fusion" && request.tools.some(isFusion);
    const isIdle = !isForTool && origin === "request" && decisions.every(({ plugin }) => plugin !== id);
    return name === undefined || !isIdle ? [] : [`plugin ${id}: no model of the request is ${name}`];
  });
}

/** A model that is named beside a router's is no choice of the router's. */
export function recordCandidate({ call, record }: RecordedRequest, { model }: RouteCandidate): void {
  if (call.purpose === "model") record.router = model.router?.name;
}

function recordDecision(record: RequestRecord, { stage, task, data }: RouterDecision): void {
  if (record.stages.some(({ type, name }) => type === "plugin" && name === stage)) return;
  record.addStage({ type: "plugin", name: stage, data });
  record.task ??= task;
}

interface RoutedAnswer {
  readonly plan: RoutePlan;
  readonly candidate: RouteCandidate;
}

/** A conversation stays with the model that a router has chosen for it, once it has answered. */
export function remembererOf(
  { sessions }: Pick<RoutePlanDeps, "sessions">,
  { plan: { decisions }, candidate: { model: { router }, profile } }: RoutedAnswer,
): (() => void) | undefined {
  const decision = router && decisions.find((one) => one.router === router.name);
  return decision && (() => sessions.remember(decision.session, profile.endpoint.model.id));
}

export function recordSkipped(call: CallRecord, passed: SkippedEndpoint): void {
  call.skipped = [...call.skipped ?? [], passed];
}

/** The preferences that decided, under the names that the API has for them. */
export function routingParams(
  { models, preferences, stickyKey }: RoutePlan,
): Readonly<Record<string, unknown>> {
  const { order, sort, partition, fallbacks, minThroughput, maxLatency } = preferences;
  const unknown = models.filter(isUnknown).map(({ name, listed = name }) => truncateStart(listed, 100));
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

const isUnknown = ({ endpoints, router }: RequestedModel): boolean =>
  endpoints.length === 0 && router === undefined;
