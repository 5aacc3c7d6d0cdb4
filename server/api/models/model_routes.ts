/**
 * The routes that tell of models, endpoints and providers (specification, Models, endpoints, providers). All of
 * them only read.
 */

import { truncateStart } from "../../../shared/util/text.ts";
import { ApiError } from "../../../shared/errors.ts";
import { providerFacts } from "../../providers/catalog/provider_facts.ts";
import type { Catalog, ModelListing } from "../../providers/catalog/catalog.ts";
import type { EndpointStats } from "../../pipeline/routing/health/endpoint_stats.ts";
import type { Caller } from "../../../shared/keys.ts";
import type { CallerRules } from "../../pipeline/caller_rules.ts";
import { endpointProfile } from "../../pipeline/routing/selection/endpoint_profile.ts";
import { findPolicyExclusion } from "../../pipeline/routing/selection/guardrail_filter.ts";
import type { Runtime } from "../../runtime.ts";
import { rawPath } from "../request_checks.ts";
import type { HttpExchange } from "../http_exchange.ts";
import { isAnthropicClient, pageAnthropicModels, serializeAnthropicModel } from "./anthropic_models.ts";
import { type ModelQueryContext, selectModels } from "./model_filter.ts";
import { pageModels, parseModelQuery } from "./model_query.ts";
import {
  serializeEndpoint,
  serializeEndpoints,
  serializeModel,
  serializeProvider,
} from "./serialize_model.ts";

export interface ModelsDeps {
  readonly runtime: Runtime;
  readonly catalog: Catalog;
  readonly stats: EndpointStats;
  /** Rules of the operator for a caller; absent: there are none. */
  readonly rulesOf?: (caller: Caller) => CallerRules | Promise<CallerRules>;
}

type AskingDeps = ModelsDeps & { readonly caller: Caller };

/** A route for everyone who has a key. */
export interface ModelRoute {
  readonly operation: "models" | "other";
  /** As Hono writes it, below `/v1`. */
  readonly path: string;
  readonly handle: (deps: AskingDeps, exchange: HttpExchange) => Response | Promise<Response>;
}

const around = ({ runtime, stats }: ModelsDeps): ModelQueryContext => ({ stats, now: runtime.clock.now() });

function selected(deps: ModelsDeps, { request }: HttpExchange): readonly ModelListing[] {
  return selectModels({ models: deps.catalog.models, query: parseModelQuery(request.url) }, around(deps));
}

/** `object` makes it OpenAI's list too. */
function listModels(deps: ModelsDeps, exchange: HttpExchange): Response {
  const { url } = exchange.request;
  const all = selected(deps, exchange);
  if (isAnthropicClient(exchange)) return listForAnthropic(deps, { all, url });
  const { data, next } = pageModels(all, { query: parseModelQuery(url), url });
  const now = deps.runtime.clock.now();
  return Response.json({
    object: "list",
    data: data.map((one) => serializeModel(one, now)),
    links: { next },
    total_count: all.length,
  });
}

/** The models that the caller's guardrails leave, each with the endpoints that they leave. */
async function listUserModels(deps: AskingDeps, exchange: HttpExchange): Promise<Response> {
  const { caller, catalog } = deps;
  const { policy } = caller.kind === "api" ? await deps.rulesOf?.(caller) ?? {} : {};
  if (policy === undefined) return listModels(deps, exchange);
  const models = catalog.models.flatMap(({ model, endpoints }): readonly ModelListing[] => {
    const [first, ...others] = endpoints.filter((endpoint) =>
      findPolicyExclusion(endpointProfile(endpoint), policy) === undefined
    );
    return first === undefined ? [] : [{ model, endpoints: [first, ...others] }];
  });
  return listModels({ ...deps, catalog: { ...catalog, models } }, exchange);
}

interface AnthropicListInput {
  readonly all: readonly ModelListing[];
  readonly url: string;
}

function listForAnthropic({ runtime }: ModelsDeps, { all, url }: AnthropicListInput): Response {
  const { rows, hasMore } = pageAnthropicModels(all, parseModelQuery(url));
  const now = runtime.clock.now();
  return Response.json({
    data: rows.map((one) => serializeAnthropicModel(one, now)),
    first_id: rows.at(0)?.model.id ?? null,
    last_id: rows.at(-1)?.model.id ?? null,
    has_more: hasMore,
  });
}

const inData = (data: unknown): Response => Response.json({ data });

const count = (deps: ModelsDeps, exchange: HttpExchange): Response =>
  inData({ count: selected(deps, exchange).length });

/** The path behind `/models/` or `/model/`, each segment decoded. */
function segments({ request }: HttpExchange): readonly string[] {
  const tail = rawPath(request.url).replace(/^.*?\/v1\/models?\//, "");
  try {
    return tail.split("/").map(decodeURIComponent);
  } catch (cause) {
    throw new ApiError("invalid_request", "The path holds a % that encodes nothing.", { cause });
  }
}

function findModel({ catalog }: ModelsDeps, id: string): ModelListing {
  if (id === "") {
    throw new ApiError("not_found", "The path names no model: leave out the slash at its end for the list.");
  }
  const listing = catalog.model(id);
  if (listing) return listing;
  const hint = catalog.hintFor(id);
  const message = `No model named "${truncateStart(id, 100)}" is configured here.${
    hint === undefined ? "" : ` ${hint}`
  } GET /v1/models lists those that are.`;
  throw new ApiError("not_found", message);
}

const one = (deps: ModelsDeps, exchange: HttpExchange): Response =>
  inData(serializeModel(findModel(deps, segments(exchange).join("/")), deps.runtime.clock.now()));

/** `/models/{author}/{slug}/endpoints`, or a model by its id, as OpenAI's client asks for it. */
function modelOrEndpoints(deps: ModelsDeps, exchange: HttpExchange): Response {
  const parts = segments(exchange);
  if (parts.length > 1 && parts.at(-1) === "endpoints") {
    return inData(serializeEndpoints(findModel(deps, parts.slice(0, -1).join("/")), around(deps)));
  }
  const serialize = isAnthropicClient(exchange) ? serializeAnthropicModel : serializeModel;
  return Response.json(serialize(findModel(deps, parts.join("/")), deps.runtime.clock.now()));
}

function zdrEndpoints(deps: ModelsDeps): Response {
  const kept = deps.catalog.models.flatMap(({ endpoints }) => endpoints)
    .filter(({ dataPolicy, provider }) => (dataPolicy ?? provider.dataPolicy)?.zdr === true);
  return inData(kept.map((endpoint) => serializeEndpoint(endpoint, around(deps))));
}

const providers = ({ catalog }: ModelsDeps): Response =>
  inData(catalog.providers.map((provider) => serializeProvider(provider, providerFacts(provider.id))));

/** In the order in which they are tried: the paths that are words before those that are names. */
export const modelRoutes: readonly ModelRoute[] = [
  { operation: "models", path: "/models", handle: listModels },
  { operation: "models", path: "/models/count", handle: count },
  { operation: "models", path: "/models/user", handle: listUserModels },
  { operation: "models", path: "/models/*", handle: modelOrEndpoints },
  { operation: "other", path: "/model/*", handle: one },
  { operation: "other", path: "/providers", handle: providers },
  { operation: "other", path: "/endpoints/zdr", handle: zdrEndpoints },
];
