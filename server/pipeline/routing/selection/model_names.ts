/** Which models a request asks for: names, aliases and variants, in the order in which they are to be tried. */

import { ApiError } from "../../../../shared/errors.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { ModelListing } from "../../../providers/catalog/catalog.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { type NamedRouter, namedRouter } from "../routers/router_slugs.ts";
import { familyNamed, latestModel } from "./latest_models.ts";
import type { EndpointSort } from "./provider_preferences.ts";

/**
 * Variants that may follow a model's name. `free`: only endpoints that cost nothing; `nitro` and `floor`: fastest or
 * cheapest first; `thinking`: reasoning on; `online`: with the web plugin.
 */
const variants = ["free", "nitro", "floor", "thinking", "online"] as const;
export type Variant = typeof variants[number];

const sorts: Readonly<Partial<Record<Variant, EndpointSort>>> = { nitro: "throughput", floor: "price" };

export interface RequestedModel {
  /** As the caller named it. */
  readonly name: string;
  /** The alias that the caller has named, and what stands there for this model. */
  readonly alias?: string;
  readonly listed?: string;
  /** Its place among those that are asked for. */
  readonly position: number;
  /** The request's field that names it: `model`, or `models[0]`. */
  readonly field: string;
  readonly variants: ReadonlySet<Variant>;
  readonly sort: EndpointSort | undefined;
  /** All that serve it; empty for an unknown name. */
  readonly endpoints: readonly Endpoint[];
  /** The name stands for the newest model of a family. */
  readonly isLatest?: true;
  /** The router that stands for it, or that has chosen it. */
  readonly router?: NamedRouter;
}

export interface ModelNameDeps {
  /** Endpoints that serve a model, also where an alias has its name; empty for an unknown one. */
  readonly resolve: (model: string) => readonly Endpoint[];
  /** Name that callers use → model ids, in the order in which they are tried; a variant may follow either. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** All models that are listed: the same list as long as the catalog is. */
  readonly listings: readonly ModelListing[];
  readonly defaultModel?: string;
  /** A sentence for a caller whose model has no endpoint; undefined where there is nothing to say. */
  readonly hintFor?: (name: string) => string | undefined;
}

interface RequestedModels {
  readonly models: readonly RequestedModel[];
  readonly strategy: "direct" | "fallback" | "alias" | "latest";
}

const MOST_NAMES = 100;

/** Throws an ApiError (400) when no model is named and there is no default. */
export function resolveRequestedModels(
  deps: ModelNameDeps,
  { model, models }: Pick<ModelRequest, "model" | "models">,
): RequestedModels {
  const requested = namesOf(deps, { model, models });
  const [only] = requested;
  if (only === undefined) {
    throw new ApiError("invalid_request", "model is missing, and this gateway has no default model.", {
      metadata: { path: "model" },
    });
  }
  const asked = requested.flatMap((name) =>
    standFor(deps, { name, field: fieldOf(name, { model, models }) })
  );
  const found = asked.slice(0, MOST_NAMES).map((one, position) => lookUp(deps, { ...one, position }));
  if (found.length > 1) return { models: found, strategy: "fallback" };
  if (found[0]?.isLatest) return { models: found, strategy: "latest" };
  return { models: found, strategy: isAlias(deps, only) || isBare(found) ? "alias" : "direct" };
}

/** A name without its author stands for another one, as an alias does. */
function isBare([first]: readonly RequestedModel[]): boolean {
  const id = first?.endpoints[0]?.model.id;
  return first !== undefined && id !== undefined && !first.name.includes("/") &&
    id !== stripVariants(first.name);
}

/** Names of the request, else the default. */
function namesOf(
  { defaultModel }: ModelNameDeps,
  { model, models }: Pick<ModelRequest, "model" | "models">,
): readonly string[] {
  const named = namedIn(model, models);
  return named.length > 0 || defaultModel === undefined ? named : [defaultModel];
}

/** Each name once. */
function namedIn(model: string | undefined, models: readonly string[]): readonly string[] {
  if (model !== undefined && models.length === 0) return [model];
  return [...new Set(model === undefined ? models : [model, ...models])].slice(0, MOST_NAMES);
}

/** A default model stands for the field that is missing. */
function fieldOf(name: string, { model, models }: Pick<ModelRequest, "model" | "models">): string {
  const place = name === model ? -1 : models.indexOf(name);
  return place === -1 ? "model" : `models[${place}]`;
}

const isAlias = ({ aliases = {} }: ModelNameDeps, name: string) =>
  Object.hasOwn(aliases, name) || Object.hasOwn(aliases, withoutVariants(name).base);

type Named = Pick<RequestedModel, "name" | "alias" | "listed" | "position" | "field">;

interface Meant extends Omit<Named, "position"> {
  /** For which the name stands, variants behind it. */
  readonly whole: string;
}

/** The models that a name stands for, as if the request had named each of them. */
function standFor(deps: ModelNameDeps, named: Pick<Named, "name" | "field">): readonly Meant[] {
  const { name } = named;
  if (!isAlias(deps, name)) return [{ ...named, whole: name }];
  return unaliased(deps, name).map((whole) => ({ ...named, alias: name, listed: whole, whole }));
}

/** A name that is listed whole means itself: `acme/llama:free` may be a model of its own. */
function lookUp(
  deps: ModelNameDeps,
  { whole, ...named }: Meant & Pick<Named, "position">,
): RequestedModel {
  const split = withoutVariants(whole);
  const family = familyNamed(split.base);
  if (family !== undefined) return newestOf(deps, { ...named, family, variants: split.variants });
  const router = namedRouter(split.base);
  const exact = router === undefined ? deps.resolve(whole) : none;
  if (
    router === undefined && (split.variants.size === 0 || (exact.length > 0 && exact[0]?.isAssumed !== true))
  ) {
    return { ...named, variants: noVariants, sort: undefined, endpoints: exact };
  }
  const [sort] = [...split.variants].flatMap((variant) => sorts[variant] ?? []);
  const endpoints = router === undefined ? deps.resolve(split.base) : none;
  const variants = router?.slug === "free" ? new Set([...split.variants, "free" as const]) : split.variants;
  return { ...named, variants, sort, endpoints, router };
}

interface NamedFamily extends Named, Pick<RequestedModel, "variants"> {
  readonly family: string;
}

function newestOf(deps: ModelNameDeps, { family, ...named }: NamedFamily): RequestedModel {
  const id = latestModel(deps.listings, family);
  const [sort] = [...named.variants].flatMap((variant) => sorts[variant] ?? []);
  return { ...named, sort, endpoints: id === undefined ? none : deps.resolve(id), isLatest: true };
}

/** Endpoints of the models that a name stands for, whatever its variants; empty for a router. */
export const findEndpoints = (deps: ModelNameDeps, name: string): readonly Endpoint[] =>
  standFor(deps, { name, field: "model" }).flatMap((one) => lookUp(deps, { ...one, position: 0 }).endpoints);

/** The router that each name stands for; most stand for none. */
export const namedRouters = (
  deps: ModelNameDeps,
  request: Pick<ModelRequest, "model" | "models">,
): readonly NamedRouter[] =>
  namesOf(deps, request).flatMap((name) => unaliased(deps, name))
    .flatMap((whole) => namedRouter(withoutVariants(whole).base) ?? []);

/** `fast:floor` is the alias `fast` with a variant, which each of its models has then. */
function unaliased({ aliases = {} }: ModelNameDeps, name: string): readonly string[] {
  const whole = ownValue(aliases, name);
  if (whole !== undefined) return whole;
  const { base } = withoutVariants(name);
  return ownValue(aliases, base)?.map((model) => model + name.slice(base.length)) ?? [name];
}

/** Names as the caller wrote them, each once: of what a router has chosen, the router's. */
export const requestedNames = (models: readonly RequestedModel[]): readonly string[] => [
  ...new Set(models.map(({ name, router }) => router?.name ?? name)),
];

interface VariantSplit {
  readonly base: string;
  readonly variants: ReadonlySet<Variant>;
}

const none: readonly Endpoint[] = [];
const noVariants: ReadonlySet<Variant> = new Set();

function withoutVariants(name: string): VariantSplit {
  let last = lastOf(name);
  if (last === undefined) return { base: name, variants: noVariants };
  const found = new Set<Variant>();
  let base = name;
  for (; last !== undefined; last = lastOf(base)) {
    found.add(last);
    base = base.slice(0, -last.length - 1);
  }
  return { base, variants: found };
}

/** A model's id without the variants that follow it. */
export const stripVariants = (name: string): string => withoutVariants(name).base;

function lastOf(name: string): Variant | undefined {
  const colon = name.lastIndexOf(":");
  if (colon === -1) return undefined;
  const last = name.slice(colon + 1);
  return variants.find((variant) => variant === last);
}
