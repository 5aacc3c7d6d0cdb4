/** Routes that only read, for everyone who has a key: the lists of models, and what a key is. */

import { ApiError } from "../../../shared/errors.ts";
import { authenticate, type AuthenticateDeps } from "../authenticate.ts";
import type { HttpExchange } from "../http_exchange.ts";
import { type ManagementRoute, type ManagementRouteDeps, managementRoutes } from "../management_routes.ts";
import { type ModelRoute, modelRoutes, type ModelsDeps } from "./model_routes.ts";
import { parseRequestUrl } from "../request_checks.ts";
import type { HttpReply } from "../../http/http_server/reply.ts";
import type { Caller } from "../../pipeline/request_context.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";

export interface KeyRouteDeps extends AuthenticateDeps {
  /** The `data` of GET /key. */
  readonly describeKey: (caller: Caller) => Promise<JsonObject>;
}

type ModelListRoute = (
  deps: ModelsDeps & ManagementRouteDeps,
  exchange: HttpExchange,
) => HttpReply | Promise<HttpReply>;

export const isModelPath = ({ method, path }: ManagementRoute["row"]): boolean =>
  method === "GET" && modelRoutes.some((one) => one.path === path);

/** Route of a list of models: where its path is an operation too, that is meant if the query names a workspace. */
export function modelRoute({ path, handle }: ModelRoute): ModelListRoute {
  const forKeys = requireAnyKey(handle);
  const operation = managementRoutes.find(({ row }) => isModelPath(row) && row.path === path);
  if (operation === undefined) return forKeys;
  return (deps, exchange) =>
    parseRequestUrl(exchange.request.url).searchParams.get("workspace_id")
      ? operation.handle(deps, exchange)
      : forKeys(deps, exchange);
}

function requireAnyKey(handle: ModelRoute["handle"]): ModelListRoute {
  return async (deps, exchange) => {
    const caller = await authenticate(deps, exchange);
    requireKey(caller);
    return handle({ ...deps, caller }, exchange);
  };
}

export async function getKey(deps: KeyRouteDeps, exchange: HttpExchange): Promise<Response> {
  const caller = await authenticate(deps, exchange);
  requireKey(caller);
  return Response.json({ data: await deps.describeKey(caller) });
}

/** Connect client secrets reach nothing but the keys they made (SECURITY.md, Authorization). */
function requireKey(caller: Caller): void {
  if (caller.kind !== "client") return;
  throw new ApiError("forbidden", "A client secret cannot do this. Use an API key.");
}
