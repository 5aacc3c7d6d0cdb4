/**
 * Route: which endpoints may serve the request, and one after the other until one answers. The next one only
 * while nothing of the answer has reached the client (promises S2).
 */

import { Refusal } from "../../../shared/errors.ts";
import type { Failure } from "../../canonical/event.ts";
import type { CallerRules } from "../../pipeline/caller_rules.ts";
import type { Answer, Handler, Stage, Turn } from "../../pipeline/request_context.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import {
  allMisconfigured,
  noneAllowed,
  providerNames,
  shownNames,
  unknownModel,
} from "../../routing/routing_errors.ts";
import {
  exhausted,
  Fault,
  type FaultInfo,
  hurtsHealth,
  isMisconfiguration,
  mayTryNext,
} from "../../routing/upstream_error.ts";
import type { Health } from "../../routing/health/endpoint_health.ts";
import { type Plan, type PlanDeps, planFor } from "../../routing/route_plan.ts";
import type { LiveStats } from "../../routing/health/endpoint_stats.ts";
import { mayCostLess, Unpaid } from "../../routing/budget_exceeded.ts";
import type { Clock, Log } from "../../runtime.ts";
import { isFree } from "../admission.ts";
import { notePassed, notePlan } from "./record_route.ts";
import { requestAt } from "./candidate_request.ts";
import { watched } from "./observe_response.ts";

export interface RouteDeps extends PlanDeps {
  readonly health: Health;
  readonly stats: LiveStats;
  readonly clock: Clock;
  readonly log: Log;
  /** At most so many calls for one request, each to another endpoint save where a kept connection had ended (promises §3). */
  readonly limits: { readonly attempts: number };
}

export function route(deps: RouteDeps): Stage {
  return (next) => (turn) => {
    const rules = deps.rulesOf?.(turn.caller);
    return rules instanceof Promise
      ? rules.then((known) => walk({ deps, next, turn, rules: known }))
      : walk({ deps, next, turn, rules });
  };
}

/** What is wrong with a plan without candidates. */
export function nobodyFor(plan: Plan): Refusal {
  return plan.excluded.length === 0 ? unknownModel(plan.asked) : noneAllowed(plan);
}

interface Walk {
  readonly deps: RouteDeps;
  readonly next: Handler;
  readonly turn: Turn;
  readonly rules: CallerRules | undefined;
}

async function walk(way: Walk): Promise<Answer> {
  const { deps, next, turn, rules } = way;
  const plan = planFor(deps, { request: turn.request, generation: turn.ids.generation, rules });
  notePlan(turn.notes, plan);
  if (plan.candidates.length === 0) throw nobodyFor(plan);
  const faults: FaultInfo[] = [];
  const skipped = { coolingFor: Infinity, misconfigured: 0 };
  let unpaid: Unpaid | undefined;
  let first: Refusal | undefined;
  for (const candidate of plan.candidates) {
    const { endpoint } = candidate.profile;
    if (faults.length + (turn.notes.resends ?? 0) >= deps.limits.attempts || turn.hangup.gone) break;
    if (unpaid !== undefined && !mayFit(endpoint, unpaid)) continue;
    if (rests(way, { endpoint, skipped })) continue;
    const { request, dropped } = requestAt(turn.request, candidate);
    const startedAt = deps.clock.monotonic();
    try {
      const answer = await next({ ...turn, request, endpoint });
      return answered(way, { endpoint, answer, dropped, startedAt });
    } catch (error) {
      const reason = whyNot(way, { endpoint, error });
      if (reason instanceof Unpaid) {
        notePassed(turn.notes, { endpoint, by: "limit" });
        // The first is told, the latest decides who is still tried.
        first ??= reason.refusal;
        unpaid = reason;
        continue;
      }
      faults.push(reason);
      if (!mayTryNext(reason)) break;
    }
  }
  // A provider's failure passes sooner than a limit does, so it is told where there is one.
  if (first !== undefined && faults.length === 0) throw first;
  throw giveUp(plan, { faults, skipped });
}

/**
 * Who has waited for others' money once does not wait again: then only what costs nothing is tried. What has no
 * price at one endpoint may have one at any other.
 */
function mayFit(endpoint: Endpoint, { endpoint: refused, refusal }: Unpaid): boolean {
  if (refusal.kind === "not_found") return endpoint.pricing !== null;
  if (refusal.details.retryAfter === undefined) return mayCostLess(endpoint, refused);
  return endpoint.pricing !== null && isFree(endpoint.pricing);
}

interface Answered {
  readonly endpoint: Endpoint;
  readonly answer: Answer;
  readonly dropped: readonly string[];
  /** Monotonic ms. */
  readonly startedAt: number;
}

function answered({ deps, turn }: Walk, { endpoint, answer, dropped, startedAt }: Answered): Answer {
  deps.health.succeeded(endpoint.id);
  turn.notes.dropped.push(...dropped);
  return watched(answer, { deps, turn, startedAt });
}

interface Unanswered {
  readonly endpoint: Endpoint;
  readonly error: unknown;
}

/** Why the next candidate may be asked. Throws what none of them could do anything about. */
function whyNot({ deps, turn }: Walk, { endpoint, error }: Unanswered): Unpaid | FaultInfo {
  if (!(error instanceof Fault)) {
    deps.health.unproved(endpoint.id);
    if (error instanceof Unpaid) return error;
    throw error;
  }
  const { ended = turn.hangup.gone ? left : undefined } = turn.notes;
  if (ended !== undefined) {
    deps.health.unproved(endpoint.id);
    throw new Refusal(ended.kind, ended.message);
  }
  judge(deps, error.info);
  return error.info;
}

const left: Failure = { kind: "timeout", message: "The client left before the answer began." };

interface Skipped {
  coolingFor: number;
  misconfigured: number;
}

interface Considered {
  readonly endpoint: Endpoint;
  readonly skipped: Skipped;
}

/** True for an endpoint that must be left alone now; marks the one that is being probed. */
function rests({ deps: { health }, turn }: Walk, { endpoint, skipped }: Considered): boolean {
  const standing = health.standing(endpoint.id);
  switch (standing.type) {
    case "well":
      return false;
    case "probe":
      health.probing(endpoint.id);
      return false;
    case "resting":
      skipped.coolingFor = Math.min(skipped.coolingFor, standing.forSeconds);
      break;
    case "misconfigured":
      skipped.misconfigured++;
      break;
    default:
      return standing satisfies never;
  }
  notePassed(turn.notes, { endpoint, by: standing.type });
  return true;
}

function judge({ health, stats, log }: RouteDeps, info: FaultInfo): void {
  const { id } = info.endpoint;
  const fields = { endpoint: id, status: info.status, kind: info.kind, reason: info.message };
  if (!hurtsHealth(info)) {
    health.unproved(id);
    log.debug("The provider refused the request", fields);
    return;
  }
  stats.ended(id, false);
  health.failed(info);
  if (isMisconfiguration(info)) log.error("The provider refuses this gateway's credential", fields);
  else log.warn("The provider failed", fields);
}

interface Outcome {
  readonly faults: readonly FaultInfo[];
  readonly skipped: Skipped;
}

function giveUp({ asked, candidates }: Plan, { faults, skipped }: Outcome): Refusal {
  const endpoints = candidates.map(({ profile }) => profile.endpoint);
  if (faults.length === 0 && skipped.misconfigured === candidates.length) {
    return allMisconfigured(asked, endpoints);
  }
  const waits = faults.flatMap(({ kind, retryAfter }) => kind === "rate_limited" ? [retryAfter ?? 1] : []);
  const coolingFor = Math.min(skipped.coolingFor, ...waits);
  return exhausted({
    faults,
    coolingFor: Number.isFinite(coolingFor) ? coolingFor : undefined,
    requested: shownNames(asked),
    providers: providerNames(endpoints),
  });
}
