/** Headers that tell a caller how its tightest rate limit stands. */

import type { RateStanding } from "../../shared/rate_limits.ts";
import type { ReplyHeaders } from "../http/http_server/reply.ts";

interface RateLimitState {
  readonly rate: RateStanding;
  readonly now: number;
}

/**
 * On every reply of a caller under limits, API errors included. `RateLimit-Reset` is in seconds from now, as the
 * drafts of the IETF have it; `X-RateLimit-Reset` is a moment in ms since the epoch, as clients of the wires that
 * we speak read it. Both say when the whole limit is there again, which is later than `Retry-After`. `now` is in
 * ms since the epoch.
 */
export function writeRateLimitHeaders(headers: ReplyHeaders, { rate, now }: RateLimitState): void {
  const { limit, remaining, resetMs, hopeless } = rate;
  for (const prefix of ["ratelimit", "x-ratelimit"]) {
    headers.set(`${prefix}-limit`, String(limit));
    headers.set(`${prefix}-remaining`, String(remaining));
  }
  headers.set("ratelimit-reset", String(Math.ceil(resetMs / 1_000)));
  headers.set("x-ratelimit-reset", String(Math.ceil(now + resetMs)));
  // OpenAI's client tries every 429 again by default not to.
  if (hopeless === true) headers.set("x-should-retry", "false");
}
