/** Which room is behind which API: every route, with what it needs. Default deny: what is not listed is 404. */

import { Hono } from "hono";
import type { Operation } from "../../shared/errors.ts";
import { addCommonHeaders } from "../api/common_headers.ts";
import { holdsSession, requireSession } from "../api/console/console_access.ts";
import { enterPlayground, type PlaygroundDeps } from "../api/console/playground.ts";
import { type ConsoleDeps, consoleRoute, isConsolePath } from "../api/console/console_routes.ts";
import type { ProtocolError } from "../http/http_server/protocol_error.ts";
import { type HttpReply, type StreamedReply, toResponse } from "../http/http_server/reply.ts";
import type { ClientRequest } from "../http/http_server/incoming_request.ts";
import { protocolErrorReply } from "../api/protocol_error_reply.ts";
import type { CorsPolicy } from "../config/config.ts";
import { preflight } from "../api/cors.ts";
import { type CountTokensDeps, countTokensRoute } from "../api/inference/count_tokens_route.ts";
import { type InferenceDeps, inferenceRoute } from "../api/inference/inference_route.ts";
import { checkRequest, rawPath } from "../api/request_checks.ts";
import { type MetricsDeps, metricsRoute } from "../api/metrics_route.ts";
import { type BegunReply, begunReply, modelCalls } from "../api/begun_reply.ts";
import {
  FORWARDED_CALL_PATH,
  type ForwardedCallHandler,
  forwardedCallRoute,
} from "../api/internal/forwarded_call_route.ts";
import { type Readiness, readinessReply } from "./readiness_reply.ts";
import type { HttpExchange } from "../api/http_exchange.ts";
import { type ManagementRouteDeps, managementRoutes } from "../api/management_routes.ts";
import type { ApiCall } from "../api/mcp/mcp_tools.ts";
import { mcpMethodReply, mcpRoute } from "../api/mcp/mcp_route.ts";
import { modelRoutes, type ModelsDeps } from "../api/models/model_routes.ts";
import type { ApiDocuments } from "../api/openapi/api_documents.ts";
import { type CallOperation, type CallOperationId, callOperations } from "../api/openapi/call_operations.ts";
import { errorReply } from "../api/error_reply.ts";
import { explainRouteHandler, type RouteExplainDeps } from "../api/inference/explain_route.ts";
import { speechRoute } from "../api/inference/speech_route.ts";
import type { JsonObject } from "../protocols/canonical/item.ts";
import { chatInbound } from "../protocols/chat/inbound/mod.ts";
import { embeddingsInbound } from "../protocols/embeddings/inbound.ts";
import { messagesInbound } from "../protocols/messages/inbound/mod.ts";
import { responsesInbound } from "../protocols/responses/inbound/mod.ts";
import { getKey, isModelPath, type KeyRouteDeps, modelRoute } from "../api/models/key_routes.ts";
import { unknownRoute } from "./unknown_route.ts";

export interface AppDeps
  extends
    InferenceDeps,
    ManagementRouteDeps,
    RouteExplainDeps,
    ModelsDeps,
    CountTokensDeps,
    PlaygroundDeps,
    KeyRouteDeps,
    MetricsDeps {
  /** Is told of every reply as it begins. */
  readonly onReply?: (reply: BegunReply) => void;
  readonly cors: CorsPolicy;
  readonly limits: InferenceDeps["limits"] & ManagementRouteDeps["limits"];
  readonly readiness: () => Promise<Readiness>;
  readonly console: ConsoleDeps;
  readonly documents: ApiDocuments;
  /** Absent where no other gateway on the same store calls this one: then there is no such route. */
  readonly forwardedCalls?: ForwardedCallHandler;
}

type Route = (deps: AppDeps, exchange: HttpExchange) => HttpReply | Promise<HttpReply>;

const json = (body: JsonObject) => Response.json(body);

interface RouteRow {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly operation: Operation;
  readonly route: Route;
}

/** The API's prefix, and its alias. */
const bases = ["/v1", "/api/v1"] as const;

const MCP = callOperations.mcp.path;
const EXPLAIN = callOperations["route.explain"].path;

/** The prefixes of a row: MCP is below none too. */
const basesOf = ({ path }: RouteRow): readonly string[] => path === MCP ? [...bases, ""] : bases;

/** The route of an operation that MCP has as a tool. */
function findRoute({ method, route }: Pick<ApiCall, "method" | "route">): RouteRow {
  const row = rows.find((one) => one.method === method && one.path === route);
  if (row === undefined) throw new Error(`Cannot call ${method} ${route}: there is no such route`);
  return row;
}

/** The route of an operation that no other table has. */
function described(id: CallOperationId, route: Route): RouteRow {
  const { method, path, errors }: CallOperation = callOperations[id];
  return { method, path, operation: errors, route };
}

/** The API's routes below its prefixes. */
const rows: readonly RouteRow[] = [
  described("responses.create", inferenceRoute(responsesInbound)),
  described("chat.completions.create", inferenceRoute(chatInbound)),
  described("messages.create", inferenceRoute(messagesInbound)),
  described("messages.count_tokens", countTokensRoute),
  described("audio.speech.create", speechRoute),
  described("embeddings.create", inferenceRoute(embeddingsInbound)),
  described("route.explain", explainRouteHandler),
  ...modelRoutes.map((model): RouteRow => ({
    method: "GET",
    path: model.path,
    operation: model.operation,
    route: modelRoute(model),
  })),
  described("key.get", getKey),
  described("mcp", mcpRoute(findRoute)),
  ...managementRoutes.filter(({ row }) => !isModelPath(row)).map(({ row, handle }): RouteRow => ({
    method: row.method,
    path: row.path,
    operation: row.errors,
    route: handle,
  })),
];

/** Whether it asks for a page: a client of the API takes JSON, or anything. */
const isBrowser = ({ request }: HttpExchange): boolean =>
  /\btext\/html\b/.test(request.headers.get("accept") ?? "");

const toConsole = () => new Response(null, { status: 302, headers: { location: "/console" } });

/**
 * Rows that the console calls: management operations, and what keys may read. Models are called in the playground, by
 * the same routes, as the key that runs it.
 */
const consoleRows: readonly RouteRow[] = [
  ...rows.filter(({ method, path }) =>
    managementRoutes.some(({ row }) => row.path === path) || method === "GET" || path === EXPLAIN
  ),
  ...rows.filter(({ operation }) => modelCalls.has(operation)).map((row): RouteRow => ({
    ...row,
    path: `/playground${row.path}`,
    route: async (deps, exchange) => {
      await enterPlayground(deps, exchange);
      return await row.route(deps, exchange);
    },
  })),
];

const consoleBase = "/console/api";

interface Env {
  Bindings: {
    readonly exchange: HttpExchange;
    /** The parts that serve the request: a reload exchanges them, and no route. */
    readonly deps: AppDeps;
  };
}

function createRouter(): Hono<Env> {
  const app = new Hono<Env>();
  const register = (base: string, { method, path, operation, route }: RouteRow) =>
    app.on(method, base + path, async (c) => {
      const { exchange, deps } = c.env;
      exchange.operation = operation;
      exchange.params = c.req.param();
      if (base === consoleBase) {
        const { caller, csrf } = await requireSession(deps.console, exchange);
        const holds = () => holdsSession(deps.console, exchange);
        exchange.session = { caller, secret: csrf, holds };
      }
      return toResponse(await route(deps, exchange));
    });
  for (const row of rows) {
    for (const base of basesOf(row)) register(base, row);
  }
  for (const row of consoleRows) register(consoleBase, row);
  app.get(
    "/",
    ({ env: { exchange } }) =>
      isBrowser(exchange) ? toConsole() : Promise.reject(unknownRoute(exchange, rows)),
  );
  for (const base of [...bases, ""]) app.on(["GET", "DELETE"], base + MCP, mcpMethodReply);
  app.get("/healthz", () => json({ status: "ok" }));
  app.get("/readyz", async ({ env: { deps } }) => readinessReply(await deps.readiness()));
  app.get("/metrics", ({ env: { exchange, deps } }) => metricsRoute(deps, exchange));
  app.get("/openapi.json", ({ env: { exchange, deps } }) => deps.documents.openApi(exchange));
  app.get("/llms.txt", ({ env: { exchange, deps } }) => deps.documents.llms(exchange));
  app.post(FORWARDED_CALL_PATH, async ({ env: { exchange, deps }, req }) => {
    exchange.params = req.param();
    return await toForwardedCall(deps, exchange);
  });
  app.notFound(async ({ env: { exchange, deps } }) => {
    if (!isConsolePath(rawPath(exchange.request.url))) throw unknownRoute(exchange, rows);
    return await consoleRoute(deps.console, exchange);
  });
  app.onError((error, { env: { exchange, deps } }) => errorReply(error, { exchange, log: deps.runtime.log }));
  return app;
}

async function toForwardedCall(deps: AppDeps, exchange: HttpExchange): Promise<StreamedReply> {
  const calls = deps.forwardedCalls;
  if (calls === undefined) throw unknownRoute(exchange, rows);
  return await forwardedCallRoute(deps, { calls, exchange });
}

/** Made once: its index of some hundred paths takes longer than open streams may wait. */
const router = createRouter();

/** The rows whose paths have no parameters, by method and path: what is mostly asked for needs no router. */
const literalRoutes: ReadonlyMap<string, RouteRow> = new Map(
  rows.filter(({ path }) => !/[:*]/.test(path)).flatMap((row) =>
    basesOf(row).map((base) => [`${row.method} ${base}${row.path}`, row] as const)
  ),
);

export interface App {
  /** Every route; `*` stands for any rest of a path. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** `peer`: the address at the other end of the connection, or how to find it out. */
  handle(request: ClientRequest, peer?: string | (() => string)): Promise<HttpReply>;
  /** The same for those who know nothing but the platform's own replies. */
  fetch(request: ClientRequest, peer?: string | (() => string)): Promise<Response>;
  /** The reply to what is no request. */
  renderProtocolError(problem: ProtocolError): Response;
}

export function createApp(deps: AppDeps): App {
  const { clock } = deps.runtime;
  const routed = (exchange: HttpExchange): HttpReply | Promise<HttpReply> => {
    const { request } = exchange;
    checkRequest(request);
    if (request.method === "OPTIONS") return preflight(request);
    const row = literalRoutes.get(`${request.method} ${rawPath(request.url)}`);
    if (row === undefined) return router.fetch(toRouterRequest(request), { exchange, deps });
    exchange.operation = row.operation;
    return row.route(deps, exchange);
  };
  const answer: App["handle"] = async (request, peer) => {
    const exchange: HttpExchange = {
      request,
      id: deps.runtime.id(),
      startedAt: clock.monotonic(),
      peer: typeof peer === "function" ? peer : () => peer,
      operation: "other",
      params: {},
      renderError: responsesInbound.renderError,
      upstreamMs: 0,
    };
    const finish = (reply: HttpReply) => {
      deps.onReply?.(begunReply(exchange, { status: reply.status, now: clock.monotonic() }));
      return addCommonHeaders(deps, { exchange, reply });
    };
    try {
      return finish(await routed(exchange));
    } catch (error) {
      return finish(errorReply(error, { exchange, log: deps.runtime.log }));
    }
  };
  return {
    routes: router.routes,
    handle: answer,
    fetch: async (request, peer) => toResponse(await answer(request, peer), request.method),
    renderProtocolError: (problem) => protocolErrorReply(deps.runtime.id(), problem),
  };
}

/**
 * The router looks at the method and the address; the routes find everything else in their exchange. HEAD is answered
 * like GET: whoever sends the reply leaves the body out, tells its length and closes it.
 */
const toRouterRequest = (request: ClientRequest) =>
  (request.method === "HEAD" ? { method: "GET", url: request.url } : request) as Request;
