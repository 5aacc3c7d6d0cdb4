/** The routing metadata object (gateway-api.md; wire-reference §3.10): what was asked, tried and chosen. */

import type { Json } from "../../canonical/item.ts";
import type { Attempt, Passed, Turn } from "../../pipeline/request_context.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { MetadataWish } from "../http_exchange.ts";

const SHOWN_ENDPOINTS = 50;

function available(candidates: readonly Endpoint[], winner: Endpoint | undefined) {
  return candidates.slice(0, SHOWN_ENDPOINTS).map((endpoint) => ({
    model: endpoint.model.id,
    provider: endpoint.provider.name,
    selected: endpoint === winner,
  }));
}

const shownAttempt = ({ endpoint, status }: Attempt) => ({
  model: endpoint.model.id,
  provider: endpoint.provider.name,
  status,
});

const shownPassed = ({ endpoint, by }: Passed) => ({
  model: endpoint.model.id,
  provider: endpoint.provider.name,
  excluded_by: by,
});

/** What decided, what could not be said to the provider, and who was not asked. */
function paramsOf({ notes, request }: Turn): Json {
  const dropped = [...request.dropped, ...notes.dropped];
  const passed = notes.passed ?? [];
  const params: Json = {
    ...notes.params?.(),
    ...(notes.outputCap === undefined ? {} : { output_cap: notes.outputCap }),
    ...(dropped.length === 0 ? {} : { dropped }),
    ...(passed.length === 0 ? {} : { excluded: passed.slice(0, SHOWN_ENDPOINTS).map(shownPassed) }),
  };
  return Object.keys(params).length === 0 ? {} : { params };
}

/** Endpoints of the named models: those that may serve, and those that a filter removed. */
function totalOf({ candidates, passed = [] }: Turn["notes"]): number {
  return new Set([...candidates, ...passed.map(({ endpoint }) => endpoint)]).size;
}

/** The whole object: a partial one makes strict clients reject the answer (wire-reference §1, 8). */
function metadataOf(turn: Turn, { winner, region, ms }: Omit<MetadataOptions, "wish">): Json {
  const { notes, request } = turn;
  const { attempts, candidates } = notes;
  // One attempt that answered goes without saying; one that failed does not.
  const shown = attempts.length > (winner === undefined ? 0 : 1);
  return {
    attempt: winner === undefined ? 0 : attempts.length,
    ...(shown ? { attempts: attempts.map(shownAttempt) } : {}),
    endpoints: { available: available(candidates, winner), total: totalOf(notes) },
    generation_time: Math.round(ms),
    is_byok: winner?.byok === true,
    pipeline: notes.stages,
    region,
    requested: request.model ?? request.models[0] ?? "",
    strategy: notes.strategy,
    summary: `available=${candidates.length}, selected=${winner?.provider.name ?? "none"}`,
    ...paramsOf(turn),
  };
}

export interface MetadataOptions {
  readonly wish: MetadataWish;
  /** The endpoint that answered, if any. */
  readonly winner: Endpoint | undefined;
  readonly region: string;
  /** Since the request came in. */
  readonly ms: number;
}

/** The object under each key that the caller's headers asked for; nothing when it was not asked for. */
export function routingMetadata(turn: Turn, { wish, ...options }: MetadataOptions): Json {
  if (!wish.enabled) return {};
  const metadata = metadataOf(turn, options);
  return Object.fromEntries(wish.keys.map((key) => [key, metadata]));
}
