/** One HTTP exchange: what the edge knows of it before any route has looked at it. */

import type { Operation } from "../../shared/errors.ts";
import type { RateStanding } from "../../shared/rate_limits.ts";
import type { ClientRequest, HeaderReader } from "../http/http_server/incoming_request.ts";
import type { Caller } from "../pipeline/request_context.ts";
import type { CacheOutcome } from "../pipeline/response_cache/cache_use.ts";
import type { RenderError } from "../protocols/wire.ts";

/** Under which names routing metadata is asked for and answered (specification, Name differences). */
export interface MetadataPreference {
  readonly enabled: boolean;
  readonly keys: readonly string[];
}

/** The person who acts through a session of the console. */
interface ExchangeSession {
  readonly caller: Caller;
  /** Known to the session's holder alone; seals what only the holder may read again. */
  readonly secret: string;
  /** Whether it still holds; that is no use of it. */
  readonly holds: () => Promise<boolean>;
}

export interface HttpExchange {
  readonly request: ClientRequest;
  /** Id of the exchange: 32 hex digits, from which the public ids are made. */
  readonly id: string;
  /** Monotonic ms. */
  readonly startedAt: number;
  /** The peer's address, or undefined where there is none; few requests are asked for it. */
  readonly peer: () => string | undefined;
  /** Set by the route: the parameters of its path, decoded. */
  params: Readonly<Record<string, string>>;
  /** Set by the console, whose session stands in for a key. */
  session?: ExchangeSession;
  /** Set by the route: decides which statuses an API error may have. */
  operation: Operation;
  /** The route's own form of an API error; the API's common envelope unless it has one. */
  renderError: RenderError;
  /** `gen-…`, where it is not its own: its answer is that of another, or its receipt. */
  generation?: string;
  /** Set by the route: how the caller's tightest rate limit stands now; undefined where there is none. */
  rateLimitStanding?: () => RateStanding | undefined;
  /** Set by the route: sentences for the client that its wire has no place for. */
  notes?: () => readonly string[];
  /** Set by the route: whether the response came from the cache; undefined where nobody has looked. */
  cacheOutcome?: () => CacheOutcome | undefined;
  /** Milliseconds spent waiting for providers; the rest is the gateway's own share. */
  upstreamMs: number;
}

const families = [
  ["x-service-metadata", "service_metadata"],
  ["x-service-experimental-metadata", "service_metadata"],
  ["x-openrouter-metadata", "openrouter_metadata"],
  ["x-openrouter-experimental-metadata", "openrouter_metadata"],
] as const;

/** Preference of nearly every request. */
const unasked: MetadataPreference = { enabled: false, keys: [] };

/** Whether routing metadata is wanted, and under which key it is to be sent. Anything but `enabled` is no. */
export function metadataPreference(headers: HeaderReader): MetadataPreference {
  let keys: Set<string> | undefined;
  for (const [header, key] of families) {
    if (headers.get(header)?.trim().toLowerCase() === "enabled") keys = (keys ?? new Set()).add(key);
  }
  return keys === undefined ? unasked : { enabled: true, keys: [...keys] };
}
