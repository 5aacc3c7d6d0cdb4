/** The parts of plugins that depend on the endpoint: which can serve, and what each of them is asked. */

import { applicableLimits } from "../../billing/ledger/core/reservation_attempt.ts";
import { prepareCall, type PrepareCallDeps } from "./prepare_call.ts";
import type {
  CallCost,
  CandidatePlugin,
  Handler,
  ModelResponse,
  RequestContext,
  Stage,
} from "../request_context.ts";
import type { RouteCandidate } from "../routing/selection/endpoint_order.ts";

/** Throws an ApiError where none can. */
export const candidatesForPlugins = (
  candidates: readonly RouteCandidate[],
  plugins: readonly CandidatePlugin[] | undefined,
): readonly RouteCandidate[] =>
  plugins === undefined
    ? candidates
    : plugins.reduce((left, plugin) => plugin.choose?.(left) ?? left, candidates);

export const candidatePlugins = (deps: PrepareCallDeps): Stage => (next) => (context) =>
  context.candidatePlugins === undefined
    ? next(context)
    : editRequest(context.candidatePlugins, { next, context, costOf: costAt(deps, context) });

/** As `billing` reserves it. */
const costAt = (deps: PrepareCallDeps, context: RequestContext): CallCost => (request) => {
  const { endpoint, billing } = context;
  if (endpoint === undefined || billing === undefined) return undefined;
  if (applicableLimits(billing, { byok: endpoint.byok === true }).length === 0) return undefined;
  return prepareCall(deps, { context: { ...context, request }, endpoint, billing }).reservation;
};

interface Candidate {
  readonly next: Handler;
  readonly context: RequestContext;
  readonly costOf: CallCost;
}

/** The guardrails have read the request as it was before, so they read it once more. */
async function editRequest(
  plugins: readonly CandidatePlugin[],
  { next, context, costOf }: Candidate,
): Promise<ModelResponse> {
  let { request } = context;
  for (const plugin of plugins) request = await plugin.edit({ ...context, request }, costOf);
  if (request === context.request) return await next(context);
  const guard = context.guards?.latest;
  return await next({ ...context, request: guard === undefined ? request : await guard.readCall(request) });
}
