/** POST /route/explain: the body of POST /responses in, what would become of it out. Nobody is called. */

import * as z from "zod";
import { responsesInbound } from "../../protocols/responses/inbound/mod.ts";
import type { ExplainResponse } from "../../pipeline/stages/route/explain_response.ts";
import { ApiError } from "../../../shared/errors.ts";
import { type Caller, keyHashSchema } from "../../../shared/keys.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { authenticate, requireWork } from "../authenticate.ts";
import { parseRequestUrl } from "../request_checks.ts";
import { fileFieldsOf } from "./file_fields.ts";
import { fillFromPreset, parseFilled } from "./use_preset.ts";
import { readJsonBody } from "../body/read_json.ts";
import { runDepthOf } from "../request_origin.ts";
import type { HttpExchange } from "../http_exchange.ts";
import type { InferenceDeps } from "./inference_route.ts";

export interface RouteExplainDeps extends InferenceDeps {
  readonly explain: ExplainResponse;
  /** The same for any key of a workspace. Throws an ApiError (404) for an id of none. */
  readonly explainForWorkspace: (
    workspaceId: string,
    requested: Omit<Parameters<ExplainResponse>[0], "caller">,
  ) => ReturnType<ExplainResponse>;
  /** The caller of a key by its hash; undefined for one that may not be used. */
  readonly callerOfHash: (hash: string) => Caller | undefined | Promise<Caller | undefined>;
}

/**
 * An API key has its own requests explained, a management key those of the key that `api_key_hash` names, or of any key
 * of the workspace that `workspace_id` names.
 */
export async function explainRouteHandler(deps: RouteExplainDeps, exchange: HttpExchange): Promise<Response> {
  const subject = await explainedSubject(deps, exchange);
  const { text, value } = await readJsonBody(exchange.request, {
    clock: deps.runtime.clock,
    limits: deps.limits,
  });
  const caller = typeof subject === "string" ? { workspaceId: subject } : subject;
  const filled = await fillFromPreset(deps, { wire: responsesInbound.wire, body: value, caller });
  const sessionId = exchange.request.headers.get("x-session-id") ?? undefined;
  const { request } = parseFilled(filled, () => responsesInbound.parseRequest(filled.body, { sessionId }));
  const input = {
    request,
    fileFields: fileFieldsOf(text, filled.body),
    runDepth: runDepthOf(exchange.request.headers),
  };
  return Response.json(
    typeof subject === "string"
      ? await deps.explainForWorkspace(subject, input)
      : await deps.explain({ ...input, caller: subject }),
  );
}

/** A caller, or the UUID of a workspace. */
async function explainedSubject(deps: RouteExplainDeps, exchange: HttpExchange): Promise<Caller | string> {
  const caller = await authenticate(deps, exchange);
  const { searchParams } = parseRequestUrl(exchange.request.url);
  const [key, workspace] = [searchParams.get("api_key_hash"), searchParams.get("workspace_id")];
  if (caller.kind !== "management") {
    requireWork(deps, caller);
    if (workspace === null && (key === null || key === caller.keyHash)) return caller;
    const message = "An API key explains its own requests only. Leave api_key_hash and workspace_id out.";
    throw new ApiError("forbidden", message);
  }
  if (workspace !== null && key !== null) throw refusedSubject("workspace_id", "stands beside api_key_hash");
  if (workspace !== null) {
    if (z.uuid().safeParse(workspace).success) return workspace.toLowerCase();
    throw refusedSubject("workspace_id", `is ${formatValue(workspace)}`);
  }
  if (key === null) throw refusedSubject("api_key_hash", "is missing");
  if (!keyHashSchema.safeParse(key).success) throw refusedSubject("api_key_hash", `is ${formatValue(key)}`);
  const found = await deps.callerOfHash(key);
  if (found?.kind === "api") return found;
  throw new ApiError("not_found", "There is no API key with this hash that may be used.");
}

function refusedSubject(path: string, is: string): ApiError {
  const message =
    `Cannot explain route: ${path} ${is}; allowed is the hash of an API key as api_key_hash, or the ` +
    "UUID of a workspace as workspace_id";
  return new ApiError("invalid_request", message, { metadata: { path } });
}
