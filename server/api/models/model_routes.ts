/** The routes that tell of models, endpoints and providers (wire-reference §9.5). All of them only read. */

import { startOf } from "../../../shared/util/start_of.ts";
import { Refusal } from "../../../shared/errors.ts";
import { aboutOf } from "../../catalog/provider_facts.ts";
import type { Catalog, Listing } from "../../catalog/catalog.ts";
import type { EndpointStats } from "../../routing/health/endpoint_stats.ts";
import type { World } from "../../runtime.ts";
import { rawPath } from "../request_checks.ts";
import type { Exchange } from "../http_exchange.ts";
import { select, type Surroundings } from "./model_filter.ts";
import { pageOf, readModelQuery } from "./model_query.ts";
import { shownEndpoint, shownEndpoints, shownModel, shownProvider } from "./serialize_model.ts";

export interface ModelsDeps {
  readonly world: World;
  readonly catalog: Catalog;
  readonly stats: EndpointStats;
}

/** A route for whoever has a key. */
export interface ModelRoute {
  /** As Hono writes it, below `/v1`. */
  readonly path: string;
  readonly handle: (deps: ModelsDeps, exchange: Exchange) => Response;
}

const around = ({ world, stats }: ModelsDeps): Surroundings => ({ stats, now: world.clock.now() });

function selected(deps: ModelsDeps, { request }: Exchange): readonly Listing[] {
  return select({ models: deps.catalog.models, query: readModelQuery(request.url) }, around(deps));
}

/** `object` makes it OpenAI's list too. */
function list(deps: ModelsDeps, exchange: Exchange): Response {
  const { url } = exchange.request;
  const all = selected(deps, exchange);
  const { data, next } = pageOf(all, { query: readModelQuery(url), url });
  const now = deps.world.clock.now();
  return Response.json({
    object: "list",
    data: data.map((one) => shownModel(one, now)),
    links: { next },
    total_count: all.length,
  });
}

const inData = (data: unknown): Response => Response.json({ data });

const count = (deps: ModelsDeps, exchange: Exchange): Response =>
  inData({ count: selected(deps, exchange).length });

/** The path behind `/models/` or `/model/`, each segment decoded. */
function segments({ request }: Exchange): readonly string[] {
  const tail = rawPath(request.url).replace(/^.*?\/v1\/models?\//, "");
  try {
    return tail.split("/").map(decodeURIComponent);
  } catch (cause) {
    throw new Refusal("invalid_request", "The path holds a % that encodes nothing.", { cause });
  }
}

function found({ catalog }: ModelsDeps, id: string): Listing {
  const listing = catalog.model(id);
  if (listing) return listing;
  const message = `No model named "${
    startOf(id, 100)
  }" is configured here. GET /v1/models lists those that are.`;
  throw new Refusal("not_found", message);
}

const one = (deps: ModelsDeps, exchange: Exchange): Response =>
  inData(shownModel(found(deps, segments(exchange).join("/")), deps.world.clock.now()));

/** `/models/{author}/{slug}/endpoints`, or a model by its id, as OpenAI's client asks for it. */
function modelOrEndpoints(deps: ModelsDeps, exchange: Exchange): Response {
  const parts = segments(exchange);
  if (parts.length > 1 && parts.at(-1) === "endpoints") {
    return inData(shownEndpoints(found(deps, parts.slice(0, -1).join("/")), around(deps)));
  }
  const shown = shownModel(found(deps, parts.join("/")), deps.world.clock.now());
  return Response.json(shown);
}

function zdrEndpoints(deps: ModelsDeps): Response {
  const kept = deps.catalog.models.flatMap(({ endpoints }) => endpoints)
    .filter(({ dataPolicy, provider }) => (dataPolicy ?? provider.dataPolicy)?.zdr === true);
  return inData(kept.map((endpoint) => shownEndpoint(endpoint, around(deps))));
}

const providers = ({ catalog }: ModelsDeps): Response =>
  inData(catalog.providers.map((provider) => shownProvider(provider, aboutOf(provider.id))));

/** In the order in which they are tried: the paths that are words before those that are names. */
export const modelRoutes: readonly ModelRoute[] = [
  { path: "/models", handle: list },
  { path: "/models/count", handle: count },
  { path: "/models/user", handle: list },
  { path: "/models/*", handle: modelOrEndpoints },
  { path: "/model/*", handle: one },
  { path: "/providers", handle: providers },
  { path: "/endpoints/zdr", handle: zdrEndpoints },
];
