/**
 * How many tokens a request is as input, without an answer: by the provider's own count where its wire has one, else
 * by our tokenizer. Nothing is charged and nothing is written down; how endpoints stand is looked at and not changed,
 * because providers limit counts apart from answers.
 */

import type { Turn } from "../pipeline/request_context.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import { providerNames, shownNames } from "../routing/routing_errors.ts";
import { exhausted, Fault, type FaultInfo, mayTryNext } from "../routing/upstream_error.ts";
import type { Health } from "../routing/health/endpoint_health.ts";
import { type Plan, type PlanDeps, planFor } from "../routing/route_plan.ts";
import { type AttemptDeps, attemptOf, came, note, refused, send } from "./upstream_attempt.ts";
import { passRequest, type RateLimitDeps } from "./rate_limit.ts";
import { renderCountFor, type RenderDeps } from "./render_provider_request.ts";
import { nobodyFor } from "./route/route.ts";
import { requestAt } from "./route/candidate_request.ts";
import { tokenTexts } from "../pricing/token_texts.ts";

export interface CountTokensDeps extends PlanDeps, RenderDeps, RateLimitDeps {
  readonly health: Pick<Health, "standing">;
  readonly clock: AttemptDeps["clock"];
  readonly transport: AttemptDeps["transport"];
  readonly credentials: AttemptDeps["credentials"];
  readonly stop: AttemptDeps["stop"];
  readonly limits: AttemptDeps["limits"] & { readonly attempts: number };
  /** Tokens of all texts together by the gateway's own tokenizer. */
  readonly countTexts: (texts: readonly string[]) => Promise<number>;
}

export type TokenCounter = (turn: Turn) => Promise<number>;

/** Throws refusals: for a model that nobody serves, for a rate limit, and the provider's own. */
export function tokenCounter(deps: CountTokensDeps): TokenCounter {
  return async (turn) => {
    await passRequest(deps, turn);
    const rules = await deps.rulesOf?.(turn.caller);
    const plan = planFor(deps, { request: turn.request, generation: turn.ids.generation, rules });
    if (plan.candidates.length === 0) throw nobodyFor(plan);
    return await countAlong(deps, { turn, plan });
  };
}

interface Counting {
  readonly turn: Turn;
  readonly plan: Plan;
}

/** By the first candidate whose provider counts and answers, in the order in which they would be called. */
async function countAlong(deps: CountTokensDeps, { turn, plan }: Counting): Promise<number> {
  const faults: FaultInfo[] = [];
  let coolingFor = Infinity;
  for (const candidate of plan.candidates) {
    const { endpoint } = candidate.profile;
    if (faults.length >= deps.limits.attempts || turn.hangup.gone) break;
    const asked = { ...turn, request: requestAt(turn.request, candidate).request, endpoint };
    try {
      const rendered = renderCountFor(deps, { turn: asked, endpoint });
      if (rendered === undefined) return await countHere(deps, turn);
      const standing = deps.health.standing(endpoint.id);
      if (standing.type === "resting") coolingFor = Math.min(coolingFor, standing.forSeconds);
      if (standing.type === "resting" || standing.type === "misconfigured") continue;
      return await askProvider(deps, { turn: asked, endpoint, rendered }) ?? await countHere(deps, turn);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push(error.info);
      if (!mayTryNext(error.info)) break;
    }
  }
  throw exhausted({
    faults,
    coolingFor: Number.isFinite(coolingFor) ? coolingFor : undefined,
    requested: shownNames(plan.asked),
    providers: providerNames(plan.candidates.map(({ profile }) => profile.endpoint)),
  });
}

async function countHere({ countTexts }: CountTokensDeps, { request }: Turn): Promise<number> {
  const { texts, besides } = tokenTexts(request);
  return await countTexts(texts) + besides;
}

interface Asking {
  readonly turn: Turn;
  readonly endpoint: Endpoint;
  readonly rendered: NonNullable<ReturnType<typeof renderCountFor>>;
}

/** Undefined for a server that speaks the wire and does not count: compatible ones may have no such path. */
async function askProvider(
  deps: CountTokensDeps,
  { turn, endpoint, rendered }: Asking,
): Promise<number | undefined> {
  const attempt = attemptOf(deps, { turn, endpoint });
  try {
    const { parseError, parseCount } = deps.outbound(endpoint.provider.wire);
    const reply = await send(attempt, { rendered, accept: "application/json", counts: true });
    if (reply.status < 200 || reply.status > 299) {
      const fault = await refused(attempt, { reply, parseError });
      if (!lacksPath(fault.info)) throw fault;
      attempt.line.end();
      note(attempt, { status: reply.status });
      return undefined;
    }
    attempt.line.heard();
    const text = await reply.text(ANSWER_BYTES);
    attempt.line.end();
    note(attempt, { status: reply.status });
    return parseCount?.(parsed(text));
  } catch (error) {
    throw came(attempt, error);
  }
}

/** A 404 that names the model is about the model: calling it would fail as well. */
const lacksPath = ({ status, message }: FaultInfo) =>
  status === 405 || status === 501 || (status === 404 && !/\bmodel\b/i.test(message));

/** A count is a few bytes. */
const ANSWER_BYTES = 64 * 1024;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
