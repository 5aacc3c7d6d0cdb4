/**
 * The routing metadata object (specification; specification, openrouter_metadata): what was asked, tried and
 * chosen.
 */

import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { RequestContext } from "../../pipeline/request_context.ts";
import type { AttemptRecord, SkippedEndpoint } from "../../pipeline/request_record.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { MetadataPreference } from "../http_exchange.ts";

const SHOWN_ENDPOINTS = 50;

function available(candidates: readonly Endpoint[], winner: Endpoint | undefined) {
  return candidates.slice(0, SHOWN_ENDPOINTS).map((endpoint) => ({
    model: endpoint.model.id,
    provider: endpoint.provider.name,
    selected: endpoint === winner,
  }));
}

const shownAttempt = ({ endpoint, status }: AttemptRecord) => ({
  model: endpoint.model.id,
  provider: endpoint.provider.name,
  status,
});

const shownPassed = ({ endpoint, reason }: SkippedEndpoint) => ({
  model: endpoint.model.id,
  provider: endpoint.provider.name,
  excluded_by: reason,
});

/** Lists what decided, what could not be sent to the provider, and which endpoints were skipped. */
function paramsOf({ record, request }: RequestContext): JsonObject {
  const dropped = [...request.dropped, ...record.dropped];
  const { skipped = [], routingParams } = record.lastTurn;
  const params: JsonObject = {
    ...routingParams?.(),
    ...(record.loweredMaxTokens === undefined ? {} : { output_cap: record.loweredMaxTokens }),
    ...(dropped.length === 0 ? {} : { dropped }),
    ...(record.notes.length === 0 ? {} : { notes: record.notes }),
    ...(skipped.length === 0 ? {} : { excluded: skipped.slice(0, SHOWN_ENDPOINTS).map(shownPassed) }),
  };
  return Object.keys(params).length === 0 ? {} : { params };
}

/** Endpoints of the named models: those that may serve, and those that a filter removed. */
function totalOf({ candidates, skipped = [] }: RequestContext["call"]): number {
  return new Set([...candidates, ...skipped.map(({ endpoint }) => endpoint)]).size;
}

/** The whole object: a partial one makes strict clients reject the answer (specification, The short list, 8). */
function metadataOf(
  context: RequestContext,
  { endpoint, region, ms }: Omit<MetadataOptions, "preference">,
): JsonObject {
  const { record, request } = context;
  const { attempts, lastTurn: { candidates, strategy } } = record;
  // One attempt that answered goes without saying; one that failed does not.
  const shown = attempts.length > (endpoint === undefined ? 0 : 1);
  return {
    attempt: endpoint === undefined ? 0 : attempts.length,
    ...(shown ? { attempts: attempts.map(shownAttempt) } : {}),
    endpoints: { available: available(candidates, endpoint), total: totalOf(record.lastTurn) },
    generation_time: Math.round(ms),
    is_byok: endpoint?.byok === true,
    pipeline: record.stages,
    region,
    requested: request.model ?? request.models[0] ?? record.router ?? "",
    strategy,
    summary: `available=${candidates.length}, selected=${endpoint?.provider.name ?? "none"}`,
    ...paramsOf(context),
  };
}

interface MetadataOptions {
  readonly preference: MetadataPreference;
  /** The endpoint that answered, if any. */
  readonly endpoint: Endpoint | undefined;
  readonly region: string;
  /** Since the request came in. */
  readonly ms: number;
}

/** The object under each key that the caller's headers asked for; nothing when it was not asked for. */
export function renderRoutingMetadata(
  context: RequestContext,
  { preference, ...options }: MetadataOptions,
): JsonObject {
  if (!preference.enabled) return {};
  const metadata = metadataOf(context, options);
  return Object.fromEntries(preference.keys.map((key) => [key, metadata]));
}
