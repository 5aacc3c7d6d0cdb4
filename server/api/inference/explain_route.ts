/** POST /route/explain: the body of POST /responses in, what would become of it out. Nobody is called. */

import { responsesInbound } from "../../protocols/responses/inbound/mod.ts";
import type { ExplainResponse } from "../../pipeline/stages/route/explain_response.ts";
import { authenticate, requireApiKey } from "../authenticate.ts";
import { fileFieldsOf } from "./file_fields.ts";
import { readJsonBody } from "../body/read_json.ts";
import { runDepthOf } from "../request_origin.ts";
import type { HttpExchange } from "../http_exchange.ts";
import type { InferenceDeps } from "./inference_route.ts";

export interface RouteExplainDeps extends InferenceDeps {
  readonly explain: ExplainResponse;
}

/** For API keys only, like the calls that it explains. */
export async function explainRouteHandler(deps: RouteExplainDeps, exchange: HttpExchange): Promise<Response> {
  const caller = await authenticate(deps, exchange);
  requireApiKey(caller);
  const { text, value: body } = await readJsonBody(exchange.request, {
    clock: deps.runtime.clock,
    limits: deps.limits,
  });
  const { request } = responsesInbound.parseRequest(body, {
    sessionId: exchange.request.headers.get("x-session-id") ?? undefined,
  });
  const runDepth = runDepthOf(exchange.request.headers);
  const fileFields = fileFieldsOf(text, body);
  return Response.json(await deps.explain({ request, caller, fileFields, runDepth }));
}
