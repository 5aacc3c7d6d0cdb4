/** A response of the cache instead of a call, where the endpoint that gave it may serve the request. */

import type { RouteCandidate } from "../../routing/selection/endpoint_order.ts";
import type { ModelResponse, RequestContext } from "../../request_context.ts";
import { recordCandidate } from "./record_route.ts";

/** An endpoint that was configured anew is another one. */
export function keptAnswer(
  context: Pick<RequestContext, "call" | "record" | "request" | "plugins" | "kept">,
  candidates: readonly RouteCandidate[],
): ModelResponse | undefined {
  const { kept } = context;
  const candidate = kept && candidates.find(({ profile }) => profile.endpoint === kept.endpoint);
  if (candidate === undefined) return undefined;
  recordCandidate(context, candidate);
  return kept?.give();
}
