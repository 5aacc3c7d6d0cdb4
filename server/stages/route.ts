/**
 * Route: which endpoints may serve the request, and one after the other until one answers. The next one only
 * while nothing of the answer has reached the client (promises S2).
 */

import { Refusal } from "../../shared/errors.ts";
import type { Handler, Stage, Turn } from "../pipeline/turn.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import {
  exhausted,
  Fault,
  type FaultInfo,
  hurtsHealth,
  isMisconfiguration,
  mayTryNext,
} from "../routing/fault.ts";
import type { Health } from "../routing/health.ts";
import type { Log } from "../world.ts";

export interface RouteDeps {
  /** Endpoints that serve a model id, best first; empty for an unknown model. */
  readonly resolve: (model: string) => readonly Endpoint[];
  readonly defaultModel?: string;
  readonly health: Health;
  readonly log: Log;
  /** At most so many calls for one request, each to another endpoint (promises §3). */
  readonly limits: { readonly attempts: number };
}

export function route(deps: RouteDeps): Stage {
  return (next) => (turn) => attempt({ deps, next, turn, candidates: candidatesFor(deps, turn) });
}

/** The named models in their order, each with its endpoints. */
function candidatesFor(deps: RouteDeps, turn: Turn): readonly Endpoint[] {
  const { model, models } = turn.request;
  const named = [...new Set(model === undefined ? models : [model, ...models])];
  const asked = named.length > 0 ? named : deps.defaultModel === undefined ? [] : [deps.defaultModel];
  if (asked.length === 0) {
    throw new Refusal("invalid_request", "model is missing, and this gateway has no default model.", {
      metadata: { path: "model" },
    });
  }
  const found = asked.flatMap((id) => deps.resolve(id));
  if (found.length === 0) throw unknownModel(asked);
  turn.notes.candidates = found;
  turn.notes.strategy = asked.length > 1 ? "fallback" : "direct";
  return found;
}

function unknownModel(asked: readonly string[]): Refusal {
  const names = asked.map((id) => `"${id.slice(0, 100)}"`).slice(0, 5).join(", ");
  const message = `No model named ${names} is configured here. GET /v1/models lists those that are.`;
  return new Refusal("not_found", message, {
    availability: {
      code: "model_not_found",
      retryable: false,
      requested_models: asked.slice(0, 5).map((id) => id.slice(0, 100)),
      docs_url: "/v1/models",
    },
  });
}

interface Walk {
  readonly deps: RouteDeps;
  readonly next: Handler;
  readonly turn: Turn;
  readonly candidates: readonly Endpoint[];
}

async function attempt({ deps, next, turn, candidates }: Walk) {
  const faults: FaultInfo[] = [];
  const skipped = { coolingFor: Infinity, misconfigured: 0 };
  for (const endpoint of candidates) {
    if (faults.length >= deps.limits.attempts || turn.hangup.gone) break;
    if (rests(deps.health, { endpoint, skipped })) continue;
    try {
      const answer = await next({ ...turn, endpoint });
      deps.health.succeeded(endpoint.id);
      return answer;
    } catch (error) {
      if (!(error instanceof Fault)) {
        deps.health.unproved(endpoint.id);
        throw error;
      }
      if (turn.hangup.gone) {
        deps.health.unproved(endpoint.id);
        throw new Refusal("timeout", "The client left before the answer began.");
      }
      faults.push(error.info);
      judge(deps, error.info);
      if (!mayTryNext(error.info)) break;
    }
  }
  throw giveUp({ candidates, faults, skipped });
}

interface Skipped {
  coolingFor: number;
  misconfigured: number;
}

/** True for an endpoint that must be left alone now; marks the one that is being probed. */
function rests(health: Health, { endpoint, skipped }: { endpoint: Endpoint; skipped: Skipped }): boolean {
  const standing = health.standing(endpoint.id);
  switch (standing.type) {
    case "well":
      return false;
    case "probe":
      health.probing(endpoint.id);
      return false;
    case "resting":
      skipped.coolingFor = Math.min(skipped.coolingFor, standing.forSeconds);
      return true;
    case "misconfigured":
      skipped.misconfigured++;
      return true;
    default:
      return standing satisfies never;
  }
}

function judge({ health, log }: RouteDeps, info: FaultInfo): void {
  const fields = { endpoint: info.endpoint.id, status: info.status, kind: info.kind, reason: info.message };
  if (!hurtsHealth(info)) {
    health.unproved(info.endpoint.id);
    log.debug("The provider refused the request", fields);
    return;
  }
  health.failed(info);
  if (isMisconfiguration(info)) log.error("The provider refuses this gateway's credential", fields);
  else log.warn("The provider failed", fields);
}

interface Outcome {
  readonly candidates: readonly Endpoint[];
  readonly faults: readonly FaultInfo[];
  readonly skipped: Skipped;
}

function giveUp({ candidates, faults, skipped }: Outcome): Refusal {
  if (faults.length === 0 && skipped.misconfigured === candidates.length) return noEndpoints(candidates);
  const waits = faults.flatMap(({ kind, retryAfter }) => kind === "rate_limited" ? [retryAfter ?? 1] : []);
  const coolingFor = Math.min(skipped.coolingFor, ...waits);
  return exhausted({ faults, coolingFor: Number.isFinite(coolingFor) ? coolingFor : undefined });
}

/** A permanent fault must not be a 5xx: some clients retry those for an hour (wire-reference §2.6). */
function noEndpoints(candidates: readonly Endpoint[]): Refusal {
  const providers = [...new Set(candidates.map(({ provider }) => provider.name))];
  return new Refusal(
    "not_found",
    `No endpoint is usable: ${providers.join(", ")} refused the gateway's credential.`,
    {
      availability: { code: "no_endpoints", retryable: false, affected_providers: providers },
    },
  );
}
