/** POST /route/explain: the body of POST /responses in, what would become of it out. Nobody is called. */

import { responsesInbound } from "../../protocols/responses/inbound/mod.ts";
import type { ExplainResponse } from "../../pipeline/stages/route/explain_response.ts";
import { ApiError } from "../../../shared/errors.ts";
import { type Caller, keyHashSchema } from "../../../shared/keys.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { authenticate, requireApiKey } from "../authenticate.ts";
import { parseRequestUrl } from "../request_checks.ts";
import { fileFieldsOf } from "./file_fields.ts";
import { readJsonBody } from "../body/read_json.ts";
import { runDepthOf } from "../request_origin.ts";
import type { HttpExchange } from "../http_exchange.ts";
import type { InferenceDeps } from "./inference_route.ts";

export interface RouteExplainDeps extends InferenceDeps {
  readonly explain: ExplainResponse;
  /** The caller of a key by its hash; undefined for one that may not be used. */
  readonly callerOfHash: (hash: string) => Caller | undefined | Promise<Caller | undefined>;
}

/** An API key has its own requests explained, a management key those of the key that `api_key_hash` names. */
export async function explainRouteHandler(deps: RouteExplainDeps, exchange: HttpExchange): Promise<Response> {
  const caller = await explainedCaller(deps, exchange);
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

async function explainedCaller(deps: RouteExplainDeps, exchange: HttpExchange): Promise<Caller> {
  const caller = await authenticate(deps, exchange);
  const named = parseRequestUrl(exchange.request.url).searchParams.get("api_key_hash");
  if (caller.kind !== "management") {
    requireApiKey(caller);
    if (named === null || named === caller.keyHash) return caller;
    throw new ApiError("forbidden", "An API key explains its own requests only. Leave api_key_hash out.");
  }
  if (named === null || !keyHashSchema.safeParse(named).success) {
    const message =
      `Cannot explain route: api_key_hash is ${named === null ? "missing" : formatValue(named)}; ` +
      "allowed is the hash of an API key";
    throw new ApiError("invalid_request", message, { metadata: { path: "api_key_hash" } });
  }
  const found = await deps.callerOfHash(named);
  if (found?.kind === "api") return found;
  throw new ApiError("not_found", "There is no API key with this hash that may be used.");
}
