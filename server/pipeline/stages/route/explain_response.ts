/** The answer of POST /v1/route/explain. */

import { ApiError } from "../../../../shared/errors.ts";
import { addUsd, type NanoUsd, toNanoUsd, toUsdNumber, ZERO } from "../../../../shared/money.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type {
  BillingContext,
  Ledger,
  ReservationPreview,
  ReservationRequest,
} from "../../../billing/ledger/core/ledger.ts";
import type { Caller, RequestContext } from "../../request_context.ts";
import { requestedNames } from "../../routing/selection/model_names.ts";
import { explainRoute, type ExplainRouteDeps, type RouteExplanation } from "../../routing/explain_route.ts";
import { prepareRoute } from "../../routing/route_plan.ts";
import { noCandidatesError } from "../../routing/routing_errors.ts";
import type { Clock } from "../../../runtime.ts";
import { admissionError } from "../admission.ts";
import type { OutputDefaults } from "../../../billing/pricing/reservation_request.ts";
import type { RenderDeps } from "../render_provider_request.ts";
import { type InputFilesDeps, loadInputFiles } from "../input_files.ts";
import { classifierCost, fusionCosts, mostOf, reservationAt, runCosts } from "./explain_costs.ts";
import { type ExplainedTools, explainTools } from "./explain_tools.ts";
import { routingParams } from "./record_route.ts";
import type { SpeechRenderDeps } from "../speech/render_speech.ts";
import { requestForCandidate } from "./candidate_request.ts";
import {
  choiceOfPlugins,
  explainPlugins,
  type PurchasesOfPlugins,
  purchasesOfPlugins,
} from "../../plugins/explain_plugins.ts";
import { fittedRequest } from "../../compression/fit_request.ts";
import { tooLongError } from "../../compression/too_long.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { CallerRules } from "../../caller_rules.ts";
import type { RouteCandidate } from "../../routing/selection/endpoint_order.ts";
import type { Exclusion } from "../../routing/selection/exclusion.ts";
import { requirementsOf } from "../../routing/selection/request_requirements.ts";
import { planTools } from "../../tools/tool_plan.ts";
import { planPlugins, type PlanPluginsDeps, requestWithPlugins } from "../../plugins/plan_plugins.ts";

interface ExplainResponseDeps
  extends ExplainRouteDeps, RenderDeps, SpeechRenderDeps, InputFilesDeps, Omit<PlanPluginsDeps, "limits"> {
  readonly limits: ExplainRouteDeps["limits"] & OutputDefaults & PlanPluginsDeps["limits"];
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, "preview" | "admit">;
  readonly billingOf: (caller: Caller) => BillingContext | Promise<BillingContext>;
}

interface ExplainInput {
  readonly request: ModelRequest;
  readonly caller: Caller;
  readonly fileFields?: RequestContext["fileFields"];
  /** Runs of fusion that the request is a part of. */
  readonly runDepth?: number;
}

export type ExplainResponse = (requested: ExplainInput) => Promise<JsonObject>;

/** Throws the API error (400) of a request that names no model; all others are told in the answer. */
export function createExplainer(deps: ExplainResponseDeps): ExplainResponse {
  return async (input) => {
    const loaded = await loadInputFiles(deps, input);
    const rules = await deps.rulesOf?.(input.caller);
    const defaults = rules?.defaults;
    const billing = await deps.billingOf(input.caller);
    const asked = requestWithPlugins(loaded, planPlugins(deps, { request: loaded, defaults }));
    await prepareRoute(deps, { request: asked, rules });
    const limited = billing.limits.length > 0;
    const planned = { rules, defaults, request: loaded, limited };
    const tools = await explainTools(deps, { request: asked, rules, limited, runDepth: input.runDepth });
    const explain = (passedOver: readonly Exclusion[]) =>
      explainRoute({ ...deps, rules, workspaceId: input.caller.workspaceId, passedOver }, tools.request);
    const { plan } = explain([]);
    const byPlugins = choiceOfPlugins(deps, { ...planned, candidates: plan.candidates });
    const choice = byPlugins.refusal === undefined
      ? refusedByTools(plan.candidates, tools) ?? byPlugins
      : byPlugins;
    const chosen = explain(choice.passedOver);
    const fit = await fitFirst(deps, { request: tools.request, explanation: chosen, limited });
    const explanation = explain([...choice.passedOver, ...fit.passedOver]);
    const refusal = choice.refusal ?? fit.refusal;
    return {
      ...serializeRoutePlan({ ...explanation, refusal, servers: tools.servers }),
      plugins: await explainPlugins(deps, {
        ...planned,
        candidates: explanation.candidates,
        endpoint: (explanation.first ?? chosen.first)?.profile.endpoint,
      }),
      reservation: fit.first === undefined ? null : await previewFirst(deps, {
        first: fit.first,
        ...tools,
        caller: input.caller,
        billing,
        rules,
        bought: await purchasesOfPlugins(deps, { ...planned, candidates: explanation.candidates }),
      }),
    };
  };
}

/** Passes over all candidates of a request whose tools refuse it; undefined where they do not. */
const refusedByTools = (
  candidates: readonly RouteCandidate[],
  { refusal }: Pick<ExplainedTools, "refusal">,
) =>
  refusal && ({
    passedOver: candidates.map(({ profile: { endpoint } }): Exclusion => ({
      endpoint,
      reason: "tool_kind",
      field: "tools",
      detail: refusal.message,
    })),
    refusal,
  });

interface FittedRequest {
  readonly endpoint: Endpoint;
  readonly request: ModelRequest;
}

interface Fit {
  /** Undefined where nobody is asked. */
  readonly first?: FittedRequest;
  /** Endpoints into which the request cannot be made to fit, in front of the first. */
  readonly passedOver: readonly Exclusion[];
  readonly refusal?: ApiError;
}

interface Fitting {
  readonly request: ModelRequest;
  /** The caller has a spending limit. */
  readonly limited: boolean;
  readonly explanation: RouteExplanation;
}

/** The request as the first endpoint gets it that takes it, in as many tries as a call has. */
async function fitFirst(
  deps: ExplainResponseDeps,
  { request: whole, explanation: { candidates, attempts }, limited }: Fitting,
): Promise<Fit> {
  const request = withOwnTools(deps, { request: whole, limited });
  if (request instanceof ApiError) return { passedOver: [], refusal: request };
  const passedOver: Exclusion[] = [];
  let refusal: ApiError | undefined;
  for (const candidate of candidates.slice(0, attempts)) {
    const { endpoint } = candidate.profile;
    const asked = requestForCandidate(request, candidate).request;
    const fitted = await fittedRequest(deps, { request: asked, endpoint });
    if (fitted !== undefined) return { first: { endpoint, request: fitted }, passedOver };
    const error = tooLongError({ request: asked, endpoint, requirements: requirementsOf(asked) });
    refusal ??= error;
    passedOver.push({ endpoint, reason: "context_length", field: "input", detail: error.message });
  }
  return { passedOver, refusal };
}

/** With the server tools that the gateway would run in place of a provider; an error where they cannot be used. */
function withOwnTools(
  { toolDeps }: Pick<ExplainResponseDeps, "toolDeps">,
  { request, limited }: Pick<Fitting, "request" | "limited">,
): ModelRequest | ApiError {
  try {
    return planTools(request, { deps: toolDeps, limited })?.request ?? request;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

interface SerializedRoute extends RouteExplanation {
  /** The error that the request gets although endpoints may serve it. */
  readonly refusal?: ApiError;
  /** MCP servers of the request. */
  readonly servers?: readonly JsonObject[];
}

/** The explanation that routing alone can give. */
export function serializeRoutePlan(explained: SerializedRoute): JsonObject {
  const { plan, exact, endpoints, attempts, servers = [] } = explained;
  const refusal = explained.refusal ?? (plan.candidates.length === 0 ? noCandidatesError(plan) : undefined);
  const possible = endpoints.filter(({ position }) => position !== null);
  return {
    object: "route.explanation",
    requested: requestedNames(plan.models),
    strategy: plan.strategy,
    key: plan.stickyKey.source,
    exact,
    ...(plan.decisions.length === 0 ? {} : { routers: plan.decisions.map(({ data }) => data) }),
    params: routingParams(plan),
    attempts,
    candidates: endpoints,
    order: possible.map(({ model, provider_slug }) => ({ model, provider: provider_slug })),
    ...(servers.length === 0 ? {} : { mcp_servers: servers }),
    refusal: refusal === undefined ? null : serializeRefusal(refusal),
  };
}

function serializeRefusal({ status, message, errorType, details }: ApiError): JsonObject {
  return { status, message, error_type: errorType, availability: details.availability ?? null };
}

interface Reserving extends Omit<ExplainedTools, "refusal" | "servers">, Pick<ExplainInput, "caller"> {
  readonly first: FittedRequest;
  readonly billing: BillingContext;
  readonly rules: CallerRules | undefined;
  readonly bought: PurchasesOfPlugins;
}

/** Previews the reservation at the endpoint that is called first; null where the call would pass it over. */
async function previewFirst(
  deps: ExplainResponseDeps,
  { first: { endpoint, request: fitted }, bought, fusion, runs, ...costing }: Reserving,
): Promise<JsonObject | null> {
  const { request, caller, billing } = costing;
  const made = reservationAt(deps, { request: fitted, endpoint, caller, billing });
  if (made === undefined) return null;
  const { needed } = bought;
  const optional = addUsd(bought.optional, await classifierCost(deps, costing));
  const preview = (more: NanoUsd) => deps.ledger.preview(billing, withPurchases(made, more));
  const whole = await preview(addUsd(needed, optional));
  const forecast = whole.type === "refused" && optional > 0 ? await preview(needed) : whole;
  const costs = fusion && await fusionCosts(deps, {
    ...costing,
    fusion,
    offered: fitted.tools,
    model: endpoint.model.id,
    outer: mostOf(withPurchases(made, addUsd(needed, optional))) ?? ZERO,
  });
  const started = await runCosts(deps, {
    ...costing,
    runs,
    offered: fitted.tools,
    endpoint,
    maxTokens: forecast.maxOutputTokens ?? request.maxOutputTokens,
  });
  const run = {
    ...(costs === undefined ? {} : { fusion: costs }),
    ...(started.length === 0 ? {} : { runs: started }),
  };
  if (forecast.type !== "refused") return { ...serializeReservation(forecast), ...run };
  // What is spent is told at the API, before anybody asks for a price.
  const atTheApi = await admissionError(deps, { request, caller, billing });
  return { ...serializeReservation({ ...forecast, error: atTheApi ?? forecast.error }), ...run };
}

/** The reservation with what plugins buy before; on a caller's own key other limits hold for the two. */
function withPurchases(reservation: ReservationRequest, bought: NanoUsd): ReservationRequest {
  const { costBound, byok } = reservation;
  if (costBound === undefined || byok || bought === ZERO) return reservation;
  return {
    ...reservation,
    costBound: {
      total: (tokens) => addUsd(costBound.total(tokens), bought),
      maxTokensWithin: (amount) =>
        amount < bought ? -1 : costBound.maxTokensWithin(toNanoUsd(amount - bought)),
      unpricedItem: costBound.unpricedItem,
      inputCost: addUsd(costBound.inputCost, bought),
    },
  };
}

/** Amounts in USD. */
function serializeReservation(
  { type, reserved, maxOutputTokens, lowered, limits, error }: ReservationPreview,
): JsonObject {
  return {
    would_be: type,
    reserved_usd: toUsdNumber(reserved),
    output_cap: maxOutputTokens ?? null,
    lowered,
    limits: limits.map(({ limit, spent, held }) => ({
      source: limit.source,
      name: limit.name,
      period: limit.period,
      limit_usd: toUsdNumber(limit.amount),
      spend_usd: toUsdNumber(spent),
      reserved_usd: toUsdNumber(held),
    })),
    refusal: error === undefined ? null : {
      status: error.status,
      message: error.message,
      error_type: error.errorType,
      metadata: error.details.metadata ?? {},
    },
  };
}
