/** The routing metadata object (gateway-api.md; wire-reference §3.10): what was asked, tried and chosen. */

import type { Json } from "../hub/item.ts";
import type { Attempt, Turn } from "../pipeline/turn.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import type { MetadataWish } from "./exchange.ts";

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

/** The whole object: a partial one makes strict clients reject the answer (wire-reference §1, 8). */
function metadataOf(turn: Turn, { winner, region }: { winner: Endpoint | undefined; region: string }): Json {
  const { notes, request } = turn;
  const dropped = [...request.dropped, ...notes.dropped];
  return {
    attempt: winner === undefined ? 0 : notes.attempts.length,
    ...(notes.attempts.length > 1 ? { attempts: notes.attempts.map(shownAttempt) } : {}),
    endpoints: { available: available(notes.candidates, winner), total: notes.candidates.length },
    is_byok: false,
    pipeline: notes.stages,
    region,
    requested: request.model ?? request.models[0] ?? "",
    strategy: notes.strategy,
    summary: `available=${notes.candidates.length}, selected=${winner?.provider.name ?? "none"}`,
    ...(dropped.length === 0 ? {} : { params: { dropped } }),
  };
}

export interface MetadataOptions {
  readonly wish: MetadataWish;
  /** The endpoint that answered, if any. */
  readonly winner: Endpoint | undefined;
  readonly region: string;
}

/** The object under each key that the caller's headers asked for; nothing when it was not asked for. */
export function routingMetadata(turn: Turn, { wish, winner, region }: MetadataOptions): Json {
  if (!wish.enabled) return {};
  const metadata = metadataOf(turn, { winner, region });
  return Object.fromEntries(wish.keys.map((key) => [key, metadata]));
}
