/** Fields of the receipt of a response that the cache gave: it has no call, but an endpoint that once made it. */

import type { Receipt } from "../../../../shared/receipts.ts";
import type { RequestContext } from "../../request_context.ts";

interface Ended {
  readonly context: Pick<RequestContext, "cacheUse">;
  readonly ending: { readonly type: string; readonly reason?: string };
  readonly callsClient: boolean;
}

/** Undefined where it was not the cache that gave the response. */
export function cacheFields({ context, ending, callsClient }: Ended): Partial<Receipt> | undefined {
  const outcome = context.cacheUse?.outcome;
  if (outcome?.type !== "hit") return undefined;
  const { sourceId, endpoint: { id, model, provider } } = outcome;
  return {
    response_cache_source_id: sourceId,
    model: model.id,
    provider: provider.name,
    endpoint_id: id,
    finish_reason: callsClient && ending.type === "finish" ? "tool_calls" : ending.reason ?? null,
  };
}
