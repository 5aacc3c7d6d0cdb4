/** POST /route/explain: the body of POST /responses in, what would become of it out. Nobody is called. */

import { responsesInbound } from "../../protocols/responses/inbound/mod.ts";
import type { Explainer } from "../../stages/route/explain_response.ts";
import { authenticate, requireInference } from "../authenticate.ts";
import { readBody } from "../read_body.ts";
import type { Exchange } from "../http_exchange.ts";
import type { InferenceDeps } from "./inference_route.ts";
import { parseJson } from "../parse_json.ts";

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
