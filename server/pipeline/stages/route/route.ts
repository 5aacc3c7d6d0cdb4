/**
 * Route: which endpoints may serve the request, and one after the other until one answers. The next one only
 * while nothing of the answer has reached the client (promises S2).
 */

import { ApiError } from "../../../../shared/errors.ts";
import type { Failure } from "../../../protocols/canonical/event.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { withContextCounts } from "../../compression/too_long.ts";
import type { CallerRules } from "../../caller_rules.ts";
import type { CallRecord, Handler, ModelResponse, RequestContext, Stage } from "../../request_context.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import {
  aliasSentences,
  listedModelNames,
  listedProviderNames,
  noCandidatesError,
} from "../../routing/routing_errors.ts";
import {
  allAttemptsFailed,
  countsAgainstHealth,
  isKeyFailure,
  isMisconfiguration,
  isRetryable,
  UpstreamError,
  type UpstreamErrorInfo,
} from "../../routing/upstream_error.ts";
import { eachKeyOf } from "../../../providers/keyed_endpoints.ts";
import type { EndpointHealth } from "../../routing/health/endpoint_health.ts";
import { planRoute, prepareRoute, type RoutePlan, type RoutePlanDeps } from "../../routing/route_plan.ts";
import type { RouteCandidate } from "../../routing/selection/endpoint_order.ts";
import type { LiveStats } from "../../routing/health/endpoint_stats.ts";
import type { EndpointRefusal } from "../../routing/account_refusal.ts";
import { BudgetExceeded, mayBeCheaper } from "../../routing/budget_exceeded.ts";
import type { Clock, Logger } from "../../../runtime.ts";
import { isAlwaysFree } from "../admission.ts";
import { recordCandidate, recordPlan, recordSkipped, remembererOf } from "./record_route.ts";
import { candidatesForPlugins } from "../candidate_plugins.ts";
import { candidatesForTools, preferredFirst, requestForCandidate } from "./candidate_request.ts";
import { keptAnswer } from "./kept_answer.ts";
import { observeResponse } from "./observe_response.ts";
import { planInputOf, RulesChanged, verifyEndpoint } from "./verify_endpoint.ts";

export interface RouteDeps extends RoutePlanDeps {
  readonly health: EndpointHealth;
  readonly stats: LiveStats;
  readonly clock: Clock;
  readonly log: Logger;
  /** At most so many calls for one request, each to another endpoint save where a kept connection had ended (promises §3). */
  readonly limits: { readonly attempts: number };
}

export function route(deps: RouteDeps): Stage {
  return (next) => (context) => {
    const rules = deps.rulesOf?.(context.caller);
    return rules instanceof Promise
      ? rules.then((known) => tryCandidates({ deps, next, context, rules: known }))
      : tryCandidates({ deps, next, context, rules });
  };
}

interface CandidateLoop {
  readonly deps: RouteDeps;
  readonly next: Handler;
  readonly context: RequestContext;
  readonly rules: CallerRules | undefined;
}

/** The results of earlier calls of the request. */
interface EarlierCalls {
  readonly faults: UpstreamErrorInfo[];
  /** Ids of endpoints that are not asked again. */
  readonly called: Set<string>;
  /** The first is told, the latest decides who is still tried. */
  firstUnpaid?: BudgetExceeded;
  unpaid?: BudgetExceeded;
}

/** Plans anew whenever the caller's rules have put an endpoint out that was about to be called (faults B3). */
async function tryCandidates(way: CandidateLoop): Promise<ModelResponse> {
  const earlier: EarlierCalls = { faults: [], called: new Set() };
  for (let { rules } = way;;) {
    const outcome = await tryPlan({ ...way, rules }, earlier);
    if (!(outcome instanceof RulesChanged)) return outcome;
    rules = outcome.rules;
  }
}

async function tryPlan(way: CandidateLoop, earlier: EarlierCalls): Promise<ModelResponse | RulesChanged> {
  const { deps, next, context, rules } = way;
  const preparing = prepareRoute(deps, { request: context.request, rules });
  if (preparing !== undefined) await preparing;
  const plan = planRoute(deps, planInputOf(context, rules));
  recordPlan(context, plan);
  const skipped = { coolingFor: Infinity, refusals: [] };
  const candidates = candidatesOf(plan, { context, earlier });
  const kept = keptAnswer(context, candidates);
  if (kept !== undefined) return kept;
  for (const [at, candidate] of candidates.entries()) {
    const { endpoint } = candidate.profile;
    const calls = earlier.faults.length + context.call.resends;
    if (calls >= deps.limits.attempts || context.clientDisconnect.fired) break;
    if (earlier.unpaid !== undefined && !mayFitBudget(endpoint, earlier.unpaid)) continue;
    if (earlier.called.has(endpoint.id) || isCoolingDown(way, { endpoint, skipped })) continue;
    const { request, dropped } = requestForCandidate(context.request, candidate);
    const { model: { variants } } = candidate;
    recordCandidate(context, candidate);
    const startedAt = deps.clock.monotonic();
    const verify = () => verifyEndpoint(deps, { context, endpoint, rules });
    const hasFallback = at + 1 < candidates.length && calls + 1 < deps.limits.attempts;
    try {
      const response = await next({ ...context, request, endpoint, variants, verify, hasFallback });
      const remember = remembererOf(deps, { plan, candidate });
      return recordResponse(way, { endpoint, response, dropped, startedAt, remember });
    } catch (error) {
      const reason = recordFailure(way, { endpoint, error });
      if (reason instanceof RulesChanged) return reason;
      if (!noteFailure(earlier, { endpoint, reason, call: context.call })) break;
    }
  }
  throw finalError(plan, { request: context.request, earlier, skipped });
}

/** The candidates that were not asked yet, the one of the turn before first. Throws an ApiError where there is none. */
function candidatesOf(
  plan: RoutePlan,
  { context: { request, preferredEndpoint, candidatePlugins }, earlier: { faults, called } }:
    & Pick<CandidateLoop, "context">
    & {
      readonly earlier: EarlierCalls;
    },
): readonly RouteCandidate[] {
  if (plan.candidates.length === 0) {
    if (faults.length === 0) throw noCandidatesError(plan);
    return [];
  }
  const able = candidatesForPlugins(candidatesForTools(request, plan.candidates), candidatePlugins);
  const left = called.size === 0
    ? able
    : able.filter(({ profile: { endpoint } }) => !called.has(endpoint.id));
  return preferredFirst(left, preferredEndpoint);
}

interface NotedFailure {
  readonly endpoint: Endpoint;
  readonly reason: BudgetExceeded | UpstreamErrorInfo;
  readonly call: CallRecord;
}

/** Whether the next candidate may be asked. */
function noteFailure(earlier: EarlierCalls, { endpoint, reason, call }: NotedFailure): boolean {
  earlier.called.add(endpoint.id);
  const isSame = reason instanceof BudgetExceeded || !isKeyFailure(reason);
  if (isSame) eachKeyOf(endpoint).forEach((id) => earlier.called.add(id));
  if (reason instanceof BudgetExceeded) {
    recordSkipped(call, { endpoint, reason: "limit" });
    earlier.firstUnpaid ??= reason;
    earlier.unpaid = reason;
    return true;
  }
  earlier.faults.push(reason);
  return isRetryable(reason);
}

/**
 * Says whether an endpoint may fit into a budget that another one exceeded. A request that has waited for others'
 * reservations once does not wait again: only what costs nothing is tried. What has no price at one endpoint may have
 * one at any other.
 */
function mayFitBudget(endpoint: Endpoint, { endpoint: refused, error }: BudgetExceeded): boolean {
  if (error.kind === "not_found") return endpoint.pricing !== null;
  if (error.details.retryAfter === undefined) return mayBeCheaper(endpoint, refused);
  return endpoint.pricing !== null && isAlwaysFree(endpoint.pricing);
}

interface AttemptResult {
  readonly endpoint: Endpoint;
  readonly response: ModelResponse;
  readonly dropped: readonly string[];
  /** Monotonic ms. */
  readonly startedAt: number;
  /** Told when the answer has come whole. */
  readonly remember?: () => void;
}

function recordResponse(
  { deps, context }: CandidateLoop,
  { endpoint, response, dropped, startedAt, remember }: AttemptResult,
): ModelResponse {
  deps.health.recordSuccess(endpoint);
  context.call.dropped.push(...dropped);
  return observeResponse(response, { deps, context, startedAt, remember });
}

interface FailedAttempt {
  readonly endpoint: Endpoint;
  readonly error: unknown;
}

/** Why the next candidate may be asked. Throws what none of them could do anything about. */
function recordFailure(
  { deps, context }: CandidateLoop,
  { endpoint, error }: FailedAttempt,
): BudgetExceeded | RulesChanged | UpstreamErrorInfo {
  if (!(error instanceof UpstreamError)) {
    deps.health.cancelProbe(endpoint.id);
    if (error instanceof BudgetExceeded || error instanceof RulesChanged) return error;
    throw error;
  }
  const { abortReason = context.clientDisconnect.fired ? left : undefined } = context.record;
  if (abortReason !== undefined) {
    deps.health.cancelProbe(endpoint.id);
    throw new ApiError(abortReason.kind, abortReason.message);
  }
  shouldTry(deps, error.info);
  return error.info;
}

const left: Failure = { kind: "timeout", message: "Client disconnected before the response started." };

interface SkippedCandidate {
  coolingFor: number;
  readonly refusals: EndpointRefusal[];
}

interface CandidateInput {
  readonly endpoint: Endpoint;
  readonly skipped: SkippedCandidate;
}

/** True for an endpoint that must be left alone now; marks the one that is being probed. */
function isCoolingDown(
  { deps: { health }, context }: CandidateLoop,
  { endpoint, skipped }: CandidateInput,
): boolean {
  const standing = health.stateOf(endpoint.id);
  switch (standing.type) {
    case "well":
      return false;
    case "probe":
      health.startProbe(endpoint.id);
      return false;
    case "resting":
      skipped.coolingFor = Math.min(skipped.coolingFor, standing.forSeconds);
      break;
    case "misconfigured":
      skipped.refusals.push({ endpoint, ...standing.refusal });
      break;
    default:
      return standing satisfies never;
  }
  recordSkipped(context.call, { endpoint, reason: standing.type });
  return true;
}

function shouldTry({ health, stats, log }: RouteDeps, info: UpstreamErrorInfo): void {
  const { id, byok } = info.endpoint;
  const fields = { endpoint: id, status: info.status, kind: info.kind, reason: info.message };
  if (!countsAgainstHealth(info)) {
    health.cancelProbe(id);
    return log.debug("Provider rejected the request", fields);
  }
  stats.recordResult(id, false);
  health.recordFailure(info);
  if (!isMisconfiguration(info)) log.warn("Provider call failed", fields);
  else if (byok === true) log.warn("Provider rejects a workspace's own key", fields);
  else log.error("Provider rejects the gateway's key", fields);
}

interface Outcome {
  readonly request: ModelRequest;
  readonly earlier: EarlierCalls;
  readonly skipped: SkippedCandidate;
}

/** A provider's failure passes sooner than a limit does, so it is told where there is one. */
function finalError(
  { models, candidates, requirements }: RoutePlan,
  { request, earlier, skipped }: Outcome,
): ApiError {
  const { faults, firstUnpaid } = earlier;
  if (firstUnpaid !== undefined && faults.length === 0) return firstUnpaid.error;
  const planned = candidates.map(({ profile }) => profile.endpoint);
  const endpoints = planned.length === 0 ? faults.map(({ endpoint }) => endpoint) : planned;
  const waits = faults.flatMap(({ kind, retryAfter }) => kind === "rate_limited" ? [retryAfter ?? 1] : []);
  const coolingFor = Math.min(skipped.coolingFor, ...waits);
  const error = allAttemptsFailed({
    faults,
    refusals: skipped.refusals,
    coolingFor: Number.isFinite(coolingFor) ? coolingFor : undefined,
    requested: listedModelNames(models),
    aliases: aliasSentences(models),
    providers: listedProviderNames(endpoints),
  });
  const last = faults.at(-1);
  return last === undefined
    ? error
    : withContextCounts(error, { request, endpoint: last.endpoint, requirements });
}
