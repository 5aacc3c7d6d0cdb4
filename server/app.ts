/** Which room is behind which door: every route, with what it needs. Default deny: what is not listed is 404. */

import { Hono } from "hono";
import { type Operation, Refusal, type RefusalKind } from "../shared/errors.ts";
import type { Problem, ProblemStatus } from "./http_server/protocol_error.ts";
import { type Answered, asResponse, HeldReply, type Reply } from "./http_server/reply.ts";
import type { ClientRequest } from "./http_server/incoming_request.ts";
import { authenticate, isOfAnthropic } from "./api/authenticate.ts";
import type { CorsPolicy } from "./config/config.ts";
import { applyCors, preflight } from "./api/cors.ts";
import { type CountTokensDeps, countTokensRoute } from "./api/inference/count_tokens_route.ts";
import { inference, type InferenceDeps } from "./api/inference/inference_route.ts";
import { checkEdge, rawPath } from "./api/request_checks.ts";
import type { Exchange } from "./api/http_exchange.ts";
import { type ManagementDeps, managementRoutes } from "./api/management_routes.ts";
import { modelRoutes, type ModelsDeps } from "./api/models/model_routes.ts";
import { tellRate } from "./api/rate_limit_headers.ts";
import { refuse } from "./api/error_reply.ts";
import { explainRoute, type RouteExplainDeps } from "./api/inference/explain_route.ts";
import { speechRoute } from "./api/inference/speech_route.ts";
import type { Json } from "./canonical/item.ts";
import type { Caller } from "./pipeline/request_context.ts";
import { chatInbound } from "./protocols/chat/inbound/mod.ts";
import { messagesInbound } from "./protocols/messages/inbound/mod.ts";
import { responsesInbound } from "./protocols/responses/inbound/mod.ts";

export interface Readiness {
  readonly ready: boolean;
  /** What is wrong, in words an operator understands; empty when all is well. */
  readonly reasons: readonly string[];
  /** What an operator should know and that stops nobody, such as the age of the prices. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface AppDeps
  extends InferenceDeps, ManagementDeps, RouteExplainDeps, ModelsDeps, CountTokensDeps {
  readonly cors: CorsPolicy;
  readonly limits: InferenceDeps["limits"];
  /** The `data` of GET /key. */
  readonly describeKey: (caller: Caller) => Promise<Json>;
  readonly readiness: () => Promise<Readiness>;
}

interface Env {
  Bindings: { readonly exchange: Exchange };
}

type Route = (deps: AppDeps, exchange: Exchange) => Answered | Promise<Answered>;

const json = (body: Json, status = 200) => Response.json(body, { status });

/** A route that only reads, for whoever has a key. */
function forKeys(handle: (deps: AppDeps, exchange: Exchange) => Response): Route {
  return async (deps, exchange) => {
    requireKey(await authenticate(deps, exchange));
    return handle(deps, exchange);
  };
}

async function getKey(deps: AppDeps, exchange: Exchange): Promise<Response> {
  const caller = await authenticate(deps, exchange);
  requireKey(caller);
  return json({ data: await deps.describeKey(caller) });
}

/** Connect client secrets reach nothing but the keys they made (security.md 3.0). */
function requireKey(caller: Caller): void {
  if (caller.kind !== "client") return;
  throw new Refusal("forbidden", "A client secret cannot do this. Use an API key.");
}

async function getReady(deps: AppDeps): Promise<Response> {
  const { ready, reasons, details = {} } = await deps.readiness();
  const status = ready ? "ready" : "not ready";
  return json(
    { status, reasons, ...(Object.keys(details).length === 0 ? {} : { details }) },
    ready ? 200 : 503,
  );
}

interface Row {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly operation: Operation;
  readonly route: Route;
}

/** The API's prefix, and its alias. */
const bases = ["/v1", "/api/v1"] as const;

/** The API's routes below its prefixes. */
const rows: readonly Row[] = [
  { method: "POST", path: "/responses", operation: "create_response", route: inference(responsesInbound) },
  {
    method: "POST",
    path: "/chat/completions",
    operation: "create_chat_completion",
    route: inference(chatInbound),
  },
  { method: "POST", path: "/messages", operation: "create_message", route: inference(messagesInbound) },
  { method: "POST", path: "/messages/count_tokens", operation: "count_tokens", route: countTokensRoute },
  { method: "POST", path: "/audio/speech", operation: "create_speech", route: speechRoute },
  { method: "POST", path: "/route/explain", operation: "other", route: explainRoute },
  ...modelRoutes.map(({ path, handle }): Row => ({
    method: "GET",
    path,
    operation: "other",
    route: forKeys(handle),
  })),
  { method: "GET", path: "/key", operation: "other", route: getKey },
  ...managementRoutes.map(({ row, handle }): Row => ({
    method: row.method,
    path: row.path,
    operation: row.errors,
    route: handle,
  })),
];

/** Whether a path of the API is that of a row, whose `:name` stands for any segment. */
function isAt(path: string, pattern: string): boolean {
  const at = path.indexOf("/v1/");
  const given = path.slice(at + 3).split("/");
  const wanted = pattern.split("/");
  return at >= 0 && given.length === wanted.length &&
    wanted.every((part, index) => part === given[index] || (part.startsWith(":") && given[index] !== ""));
}

/** Below the Messages API errors have the form that its clients know, also where nothing is. */
const anthropicPath = /^(\/api)?\/v1\/messages(\/|$)/;

function unknownRoute(exchange: Exchange): Refusal {
  const { request } = exchange;
  const path = rawPath(request.url);
  if (anthropicPath.test(path)) exchange.renderRefusal = messagesInbound.renderRefusal;
  const methods = rows.filter((row) => isAt(path, row.path)).map(({ method }) => method);
  const hint = methods.length === 0 ? "" : ` This path takes ${methods.join(" and ")}.`;
  return new Refusal(
    "not_found",
    `There is no ${request.method.slice(0, 10)} ${path.slice(0, 200)} here.${hint}`,
  );
}

function routes(deps: AppDeps): Hono<Env> {
  const app = new Hono<Env>();
  for (const { method, path, operation, route } of rows) {
    for (const base of bases) {
      app.on(method, base + path, async (c) => {
        c.env.exchange.operation = operation;
        c.env.exchange.params = c.req.param();
        return await asResponse(await route(deps, c.env.exchange));
      });
    }
  }
  app.get("/healthz", () => json({ status: "ok" }));
  app.get("/readyz", () => getReady(deps));
  app.notFound((c) => {
    throw unknownRoute(c.env.exchange);
  });
  app.onError((error, c) => refuse(error, { exchange: c.env.exchange, log: deps.world.log }));
  return app;
}

/** The rows whose paths have no parameters, by method and path: what is mostly asked for needs no router. */
const fixed: ReadonlyMap<string, Row> = new Map(
  rows.filter(({ path }) => !/[:*]/.test(path)).flatMap((row) =>
    bases.map((base) => [`${row.method} ${base}${row.path}`, row] as const)
  ),
);

export interface App {
  /** `peer`: the address at the other end of the connection, or how to find it out. */
  answer(request: ClientRequest, peer?: string | (() => string)): Promise<Answered>;
  /** The same for those who know nothing but the platform's own replies. */
  fetch(request: ClientRequest, peer?: string | (() => string)): Promise<Response>;
  /** The reply to what is no request. */
  refuse(problem: Problem): Response;
}

export function createApp(deps: AppDeps): App {
  const app = routes(deps);
  const { clock } = deps.world;
  const routed = (exchange: Exchange): Answered | Promise<Answered> => {
    const { request } = exchange;
    checkEdge(request);
    if (request.method === "OPTIONS") return preflight(request);
    const row = fixed.get(`${request.method} ${rawPath(request.url)}`);
    if (row === undefined) return app.fetch(asRouted(request), { exchange });
    exchange.operation = row.operation;
    return row.route(deps, exchange);
  };
  const answer: App["answer"] = async (request, peer) => {
    const exchange: Exchange = {
      request,
      id: deps.world.id(),
      startedAt: clock.monotonic(),
      peer: typeof peer === "function" ? peer : () => peer,
      operation: "other",
      params: {},
      renderRefusal: responsesInbound.renderRefusal,
      upstreamMs: 0,
    };
    const finish = (reply: Reply) => finished(deps, { exchange, reply });
    try {
      const made = await routed(exchange);
      return made instanceof HeldReply ? made.finishedBy(finish) : finish(made);
    } catch (error) {
      return finish(refuse(error, { exchange, log: deps.world.log }));
    }
  };
  return {
    answer,
    fetch: async (request, peer) => asResponse(await answer(request, peer)),
    refuse: (problem) => refuseProblem(deps, problem),
  };
}

/** The router looks at the method and the address; the routes find everything else in their exchange. */
const asRouted = (request: ClientRequest) => request as Request;

const problemKinds: { readonly [S in ProblemStatus]?: RefusalKind } = {
  408: "timeout",
  500: "internal",
  503: "unavailable",
};

function refuseProblem({ world }: AppDeps, { status, message }: Problem): Response {
  const requestId = `req_${world.id()}`;
  const kind = problemKinds[status] ?? "invalid_request";
  const body = responsesInbound.renderRefusal(new Refusal(kind, message), { status, requestId });
  const headers = { "x-request-id": requestId, ...status === 503 ? { "retry-after": "1" } : {} };
  return Response.json(body, { status, headers });
}

interface Finished {
  readonly exchange: Exchange;
  readonly reply: Reply;
}

/** Operations whose replies, refusals included, name the generation they belong to (wire-reference §2.3). */
const generating: ReadonlySet<Operation> = new Set([
  "create_response",
  "create_chat_completion",
  "create_message",
  "create_speech",
]);

/** What every reply carries: the request id, the gateway's own share of the time, the cross-origin rules. */
function finished({ cors, world }: AppDeps, { exchange, reply }: Finished): Reply {
  const { headers } = reply;
  const total = world.clock.monotonic() - exchange.startedAt;
  const own = Math.max(0, total - exchange.upstreamMs);
  const rate = exchange.rate?.();
  if (rate) tellRate(headers, { rate, now: world.clock.now() });
  headers.set("x-request-id", `req_${exchange.id}`);
  // Anthropic's client looks for the id under this name.
  if (isOfAnthropic(exchange.operation)) headers.set("request-id", `req_${exchange.id}`);
  if (generating.has(exchange.operation)) {
    headers.set("x-generation-id", exchange.generation ?? `gen-${exchange.id}`);
  }
  headers.set(
    "server-timing",
    `gateway;dur=${own.toFixed(2)}, upstream;dur=${exchange.upstreamMs.toFixed(2)}`,
  );
  const origin = exchange.request.headers.get("origin");
  if (origin !== null) applyCors(cors, { path: rawPath(exchange.request.url), origin, headers });
  return reply;
}
