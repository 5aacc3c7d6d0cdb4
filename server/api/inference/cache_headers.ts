/** The headers by which a reply says whether it came from the response cache (docs/response-cache.md). */

import type { ReplyHeaders } from "../../http/http_server/reply.ts";
import type { CacheOutcome } from "../../pipeline/response_cache/cache_use.ts";

export function writeResponseCacheHeaders(headers: ReplyHeaders, outcome: CacheOutcome): void {
  headers.set("x-openrouter-cache-status", outcome.type === "hit" ? "HIT" : "MISS");
  headers.set("x-openrouter-cache-ttl", String(outcome.ttlSeconds));
  if (outcome.type === "miss") return;
  headers.set("x-openrouter-cache-age", String(outcome.ageSeconds));
  headers.set("x-openrouter-cache-source-id", outcome.sourceId);
}
