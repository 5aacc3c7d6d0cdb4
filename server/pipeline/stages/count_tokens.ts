/**
 * How many tokens a request is as input, without an answer: by the provider's own count where its wire has one, else
 * by our tokenizer. Nothing is charged and nothing is written down; how endpoints stand is looked at and not changed,
 * because providers limit counts apart from answers.
 */

import { tryParseJson } from "../../../shared/util/json.ts";
import type { CallerRules } from "../caller_rules.ts";
import type { RequestContext } from "../request_context.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import {
  aliasSentences,
  listedModelNames,
  listedProviderNames,
  noCandidatesError,
} from "../routing/routing_errors.ts";
import {
  allAttemptsFailed,
  isRetryable,
  UpstreamError,
  type UpstreamErrorInfo,
} from "../routing/upstream_error.ts";
import type { RouteCandidate } from "../routing/selection/endpoint_order.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { ToolDeps } from "../tools/tool_definition.ts";
import { planTools } from "../tools/tool_plan.ts";
import type { EndpointRefusal } from "../routing/account_refusal.ts";
import type { EndpointHealth } from "../routing/health/endpoint_health.ts";
import { planRoute, prepareRoute, type RoutePlan, type RoutePlanDeps } from "../routing/route_plan.ts";
import { withRouterNamed } from "../routing/routers/router_settings.ts";
import {
  attemptError,
  providerErrorResponse,
  recordAttempt,
  sendRequest,
  startAttempt,
  type UpstreamAttemptDeps,
} from "./upstream_attempt.ts";
import { passRequest, type RateLimitDeps } from "./rate_limit.ts";
import { renderCountFor, type RenderDeps } from "./render_provider_request.ts";
import { type InputFilesDeps, loadInputFiles } from "./input_files.ts";
import { type InputGuardrailsDeps, readInput } from "./guardrails/input_guardrails.ts";
import { requestForCandidate } from "./route/candidate_request.ts";
import { RulesChanged, verifyEndpoint } from "./route/verify_endpoint.ts";
import { tokenTexts } from "../../billing/pricing/token_texts.ts";

interface CountTokensDeps
  extends RoutePlanDeps, RenderDeps, RateLimitDeps, InputFilesDeps, InputGuardrailsDeps {
  readonly health: Pick<EndpointHealth, "stateOf">;
  readonly clock: UpstreamAttemptDeps["clock"];
  readonly transport: UpstreamAttemptDeps["transport"];
  readonly credentials: UpstreamAttemptDeps["credentials"];
  readonly stop: UpstreamAttemptDeps["stop"];
  readonly limits: UpstreamAttemptDeps["limits"] & { readonly attempts: number };
  readonly toolDeps: ToolDeps;
  /** Tokens of all texts together by the gateway's own tokenizer. */
  readonly countTexts: (texts: readonly string[]) => Promise<number>;
}

export type TokenCounter = (context: RequestContext) => Promise<number>;

/** Throws ApiErrors: for a model that nobody serves, for a rate limit, and the provider's own. */
export function tokenCounter(deps: CountTokensDeps): TokenCounter {
  return async (counted) => {
    await passRequest(deps, counted);
    const read = await readInput(deps, counted);
    const loaded = await loadInputFiles(deps, read);
    const guard = read.guards?.latest;
    const whole = guard === undefined ? loaded : await guard.readCall(loaded);
    const rules = await deps.rulesOf?.(read.caller);
    const request = withOwnTools(deps, withRouterNamed(whole, rules?.defaults?.plugins));
    const context = { ...read, request };
    await prepareRoute(deps, { request, rules });
    const { ids: { generation }, caller: { workspaceId } } = context;
    const plan = planRoute(deps, { request, generation, rules, workspaceId });
    if (plan.candidates.length === 0) throw noCandidatesError(plan);
    const [first] = plan.candidates;
    if (isModerated(context, rules)) return await countHere(deps, offeredTo(first, request));
    return await countAlong(deps, { context, plan, rules });
  };
}

interface Counting {
  readonly context: RequestContext;
  readonly plan: RoutePlan;
  readonly rules: CallerRules | undefined;
}

/** Nothing goes to a model's provider before a moderation has judged it, and for a count none is asked. */
const isModerated = ({ request: { plugins } }: RequestContext, rules: CallerRules | undefined): boolean =>
  [...plugins, ...rules?.defaults?.plugins ?? []].some(({ id }) => id === "moderation");

/** By the first candidate whose provider counts and answers, in the order in which they would be called. */
async function countAlong(deps: CountTokensDeps, { context, plan, rules }: Counting): Promise<number> {
  const faults: UpstreamErrorInfo[] = [];
  const refusals: EndpointRefusal[] = [];
  let coolingFor = Infinity;
  for (const candidate of plan.candidates) {
    const { endpoint } = candidate.profile;
    if (faults.length >= deps.limits.attempts || context.clientDisconnect.fired) break;
    const requested = {
      ...context,
      request: offeredTo(candidate, context.request),
      endpoint,
    };
    try {
      const rendered = renderCountFor(deps, { context: requested, endpoint });
      if (rendered === undefined) return await countHere(deps, requested.request);
      const standing = deps.health.stateOf(endpoint.id);
      if (standing.type === "resting") coolingFor = Math.min(coolingFor, standing.forSeconds);
      if (standing.type === "misconfigured") refusals.push({ endpoint, ...standing.refusal });
      if (standing.type === "resting" || standing.type === "misconfigured") continue;
      await verifyEndpoint(deps, { context, endpoint, rules });
      return await askProvider(deps, { context: requested, endpoint, rendered }) ??
        await countHere(deps, requested.request);
    } catch (error) {
      if (error instanceof RulesChanged) continue;
      if (!(error instanceof UpstreamError)) throw error;
      faults.push(error.info);
      if (!isRetryable(error.info)) break;
    }
  }
  throw allAttemptsFailed({
    faults,
    refusals,
    coolingFor: Number.isFinite(coolingFor) ? coolingFor : undefined,
    requested: listedModelNames(plan.models),
    aliases: aliasSentences(plan.models),
    providers: listedProviderNames(plan.candidates.map(({ profile }) => profile.endpoint)),
  });
}

/** With the server tools that the gateway would run in place of a provider. Throws an ApiError as an answer would. */
const withOwnTools = ({ toolDeps }: CountTokensDeps, request: ModelRequest): ModelRequest =>
  planTools(request, { deps: toolDeps, limited: false })?.request ?? request;

const offeredTo = (candidate: RouteCandidate | undefined, request: ModelRequest): ModelRequest =>
  candidate === undefined ? request : requestForCandidate(request, candidate).request;

async function countHere({ countTexts }: CountTokensDeps, request: ModelRequest): Promise<number> {
  const { texts, besides } = tokenTexts(request);
  return await countTexts(texts) + besides;
}

interface Asking {
  readonly context: RequestContext;
  readonly endpoint: Endpoint;
  readonly rendered: NonNullable<ReturnType<typeof renderCountFor>>;
}

/** Undefined for a server that speaks the wire and does not count: compatible ones may have no such path. */
async function askProvider(
  deps: CountTokensDeps,
  { context, endpoint, rendered }: Asking,
): Promise<number | undefined> {
  const attempt = startAttempt(deps, { context, endpoint });
  try {
    const { parseError, parseCount } = deps.outbound(endpoint.provider.wire, context.request);
    const reply = await sendRequest(attempt, {
      providerRequest: rendered,
      accept: "application/json",
      counts: true,
    });
    if (reply.status < 200 || reply.status > 299) {
      const error = await providerErrorResponse(attempt, { reply, parseError });
      if (!lacksPath(error.info)) throw error;
      attempt.call.end();
      recordAttempt(attempt, { status: reply.status });
      return undefined;
    }
    attempt.call.stopIdleTimer();
    const text = await reply.text(ANSWER_BYTES);
    attempt.call.end();
    recordAttempt(attempt, { status: reply.status });
    return parseCount?.(tryParseJson(text));
  } catch (error) {
    throw attemptError(attempt, error);
  }
}

/** A 404 that names the model is about the model: calling it would fail as well. */
const lacksPath = ({ status, message }: UpstreamErrorInfo) =>
  status === 405 || status === 501 || (status === 404 && !/\bmodel\b/i.test(message));

/** A count is a few bytes. */
const ANSWER_BYTES = 64 * 1024;
