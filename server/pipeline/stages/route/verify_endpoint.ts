/**
 * Whether an endpoint that was chosen may still be called: while a request waits for money or for another endpoint, a
 * guardrail may have changed or a provider key of the caller's may be gone (faults B3).
 */

import type { CallerRules } from "../../caller_rules.ts";
import type { RequestContext } from "../../request_context.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { planRoute, type RoutePlanDeps, type RoutePlanInput } from "../../routing/route_plan.ts";

/** Thrown instead of a call: by the rules of now the request is to be planned anew. */
export class RulesChanged extends Error {
  override readonly name = "RulesChanged";
  readonly rules: CallerRules | undefined;

  constructor(rules: CallerRules | undefined) {
    super("The caller's rules have changed");
    this.rules = rules;
  }
}

type PlannedContext = Pick<RequestContext, "request" | "caller" | "ids" | "preferredEndpoint">;

/** A call's route is planned alike before it and where it is checked. */
export const planInputOf = (
  { request, ids: { generation }, caller: { workspaceId }, preferredEndpoint }: PlannedContext,
  rules: CallerRules | undefined,
): RoutePlanInput => ({ request, generation, rules, workspaceId, turnModel: preferredEndpoint?.model.id });

interface ChosenEndpoint {
  readonly context: PlannedContext;
  readonly endpoint: Endpoint;
  /** By which it was chosen. */
  readonly rules: CallerRules | undefined;
}

/**
 * At once where nothing has changed. Throws, or rejects with, RulesChanged where the endpoint is out by now, and an
 * ApiError where the caller may not make any call.
 */
export function verifyEndpoint(deps: RoutePlanDeps, chosen: ChosenEndpoint): void | Promise<void> {
  const current = deps.rulesOf?.(chosen.context.caller);
  if (current instanceof Promise) return current.then((rules) => assertAllowed(deps, { ...chosen, rules }));
  if (current !== chosen.rules) assertAllowed(deps, { ...chosen, rules: current });
}

function assertAllowed(deps: RoutePlanDeps, { context, endpoint: { id }, rules }: ChosenEndpoint): void {
  const { candidates, excluded } = planRoute(deps, planInputOf(context, rules));
  if (candidates.some(({ profile }) => profile.endpoint.id === id)) return;
  // One that is only behind others now has been chosen already.
  const isFallback = excluded.some(({ endpoint, reason }) => endpoint.id === id && reason === FALLBACK);
  if (!isFallback) throw new RulesChanged(rules);
}

const FALLBACK = "allow_fallbacks";
