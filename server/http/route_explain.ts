/** POST /route/explain: the body of POST /responses in, what would become of it out. Nobody is called. */

import { responsesInbound } from "../protocols/responses/inbound.ts";
import type { Explainer } from "../stages/explain.ts";
import { authenticate, requireInference } from "./authenticate.ts";
import { readBody } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import type { InferenceDeps } from "./inference.ts";
import { parseJson } from "./json.ts";

export interface RouteExplainDeps extends InferenceDeps {
  readonly explain: Explainer;
}

/** For API keys only, like the calls that it explains. */
export async function explainRoute(deps: RouteExplainDeps, exchange: Exchange): Promise<Response> {
  const caller = await authenticate(deps, exchange);
  requireInference(caller);
  const text = await readBody(exchange.request, { clock: deps.world.clock, limits: deps.limits });
  const { request } = responsesInbound.parseRequest(parseJson(text), {
    sessionId: exchange.request.headers.get("x-session-id") ?? undefined,
  });
  return Response.json(await deps.explain({ request, caller }));
}
