/**
 * POST /mcp: operations of the API as tools of a Model Context Protocol server, for both generations of the protocol.
 * Each call is a request of its own to the route of its operation, with the caller's credential: it is authorised,
 * validated and audited there.
 */

import { ApiError, type Operation } from "../../../shared/errors.ts";
import { isRecord } from "../../../shared/util/json.ts";
import type { CorsPolicy } from "../../config/config.ts";
import { type HttpReply, toResponse } from "../../http/http_server/reply.ts";
import type { Runtime } from "../../runtime.ts";
import { authenticate, type AuthenticateDeps } from "../authenticate.ts";
import { type BodyLimits } from "../body/read_body.ts";
import { readJsonBody } from "../body/read_json.ts";
import { isSafeOwnOrigin, type OriginDeps } from "../console/console_origin.ts";
import { errorReply } from "../error_reply.ts";
import type { HttpExchange } from "../http_exchange.ts";
import { type ApiAnswer, createMcpServer } from "./mcp_server.ts";
import type { ApiCall } from "./mcp_tools.ts";

interface McpDeps extends AuthenticateDeps {
  readonly runtime: Runtime;
  readonly limits: BodyLimits;
  readonly cors: CorsPolicy;
  readonly console: OriginDeps;
}

interface CalledRoute<Deps> {
  readonly operation: Operation;
  readonly route: (deps: Deps, exchange: HttpExchange) => HttpReply | Promise<HttpReply>;
}

type FindRoute<Deps> = (call: Pick<ApiCall, "method" | "route">) => CalledRoute<Deps>;

/** The route, which finds those of the operations by method and path. */
export function mcpRoute<Deps extends McpDeps>(find: FindRoute<Deps>) {
  return async (deps: Deps, exchange: HttpExchange): Promise<Response> => {
    try {
      requireKnownOrigin(deps, exchange);
      return await answer({ deps, exchange, find });
    } catch (error) {
      const reply = errorReply(error, { exchange, log: deps.runtime.log });
      if (reply.status === 401) reply.headers.set("www-authenticate", 'Bearer realm="tollgate"');
      return reply;
    }
  };
}

/** The reply to every other method: there are no sessions, and no stream that a client could open. */
export const mcpMethodReply = (): Response => new Response(null, { status: 405, headers: { allow: "POST" } });

/**
 * Throws an ApiError for a page of another origin, unless the operator has named it: a page that any site shows could
 * otherwise reach a gateway of the visitor's own network, also under a name of the site's that points there.
 */
function requireKnownOrigin({ cors, console }: McpDeps, exchange: HttpExchange): void {
  const origin = exchange.request.headers.get("origin");
  if (origin === null || (cors.type === "list" && cors.origins.includes(origin))) return;
  if (isSafeOwnOrigin(console, exchange)) return;
  throw new ApiError(
    "forbidden",
    "The request comes from a page of another origin, which TOLLGATE_CORS does not name.",
  );
}

interface McpRequest<Deps> {
  readonly deps: Deps;
  readonly exchange: HttpExchange;
  readonly find: FindRoute<Deps>;
}

async function answer<Deps extends McpDeps>({ deps, exchange, find }: McpRequest<Deps>): Promise<Response> {
  const caller = await authenticate(deps, exchange);
  if (caller.kind === "client") {
    throw new ApiError("forbidden", "A client secret cannot do this. Use an API key or a management key.");
  }
  const { clock } = deps.runtime;
  const { value: parsedBody } = await readJsonBody(exchange.request, { clock, limits: deps.limits });
  if (isRecord(parsedBody) && parsedBody.method === "subscriptions/listen") {
    return noSubscriptions(parsedBody);
  }
  const { createMcpHandler } = await import("@modelcontextprotocol/server");
  const call = (one: ApiCall) => callRoute({ deps, exchange, find }, one);
  const handler = createMcpHandler(() => createMcpServer({ caller, call }), {
    keepAliveMs: 0,
    onerror: (error) =>
      deps.runtime.log.debug("MCP request was refused", {
        request: `req_${exchange.id}`,
        error: error.message,
      }),
  });
  return await handler.fetch(webRequest(exchange), { parsedBody });
}

/** Nothing here changes while a client looks at it. */
const noSubscriptions = ({ id }: Readonly<Record<string, unknown>>): Response =>
  Response.json({
    jsonrpc: "2.0",
    id: id ?? null,
    error: { code: -32601, message: "There are no subscriptions." },
  });

const passed = ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id", "last-event-id"];
const BOTH = "application/json, text/event-stream";

/** The request as the protocol's library reads it, without its credential. */
function webRequest({ request: { headers: sent } }: HttpExchange): Request {
  const headers = new Headers({ "content-type": sent.get("content-type") ?? "application/json" });
  const accept = sent.get("accept");
  headers.set("accept", accept === null || accept === "*/*" ? BOTH : accept);
  for (const name of passed) {
    const value = sent.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Request("http://localhost/mcp", { method: "POST", headers });
}

/** Sends a request to the route of an operation. */
async function callRoute<Deps extends McpDeps>(
  { deps, exchange, find }: McpRequest<Deps>,
  call: ApiCall,
): Promise<ApiAnswer> {
  const { operation, route } = find(call);
  const headers = new Headers({ "content-type": "application/json" });
  const credential = exchange.request.headers.get("authorization");
  if (credential !== null) headers.set("authorization", credential);
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const request = new Request(`http://localhost/v1${call.address}`, { method: call.method, headers, body });
  const inner: HttpExchange = { ...exchange, request, params: call.params, operation };
  try {
    const reply = toResponse(await route(deps, inner));
    return { status: reply.status, text: await reply.text() };
  } catch (error) {
    const reply = errorReply(error, { exchange: inner, log: deps.runtime.log });
    return { status: reply.status, text: await reply.text() };
  }
}
