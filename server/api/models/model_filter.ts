/** Which models a query of GET /models means, and in which order. */

import { ownValue } from "../../../shared/util/own_value.ts";
import type { ModelListing } from "../../providers/catalog/catalog.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { EndpointStats } from "../../pipeline/routing/health/endpoint_stats.ts";
import type { ModelQuery } from "./model_query.ts";

/** Context in which a model is judged. */
export interface ModelQueryContext {
  readonly stats: EndpointStats;
  /** Ms since the Unix epoch. */
  readonly now: number;
}

type Test = (listing: ModelListing, query: ModelQuery) => boolean;

const MILLION = 1_000_000;
const DAY_S = 86_400;

/** USD per million tokens at the first endpoint, whose prices the list shows; undefined when nobody knows. */
function pricePerMillion(
  { endpoints: [{ pricing }] }: ModelListing,
  side: "prompt" | "completion",
): number | undefined {
  return pricing === null ? undefined : Number(pricing[side]) * MILLION;
}

/** The best that any endpoint's figure is. */
export function bestScore({ endpoints }: ModelListing, kind: string): number | undefined {
  const figures = endpoints.flatMap(({ scores }) => ownValue(scores ?? {}, kind) ?? []);
  return figures.length === 0 ? undefined : Math.max(...figures);
}

/** True for a value in the range; an unknown one is outside every range. */
function within(
  value: number | undefined,
  [least, most]: readonly [number | undefined, number | undefined],
): boolean {
  if (least === undefined && most === undefined) return true;
  return value !== undefined && value >= (least ?? -Infinity) && value <= (most ?? Infinity);
}

const all = (wanted: readonly string[] | undefined, there: readonly string[]): boolean =>
  wanted?.every((word) => there.includes(word)) ?? true;

const some = (wanted: readonly string[] | undefined, there: readonly string[]): boolean =>
  wanted?.some((word) => there.includes(word)) ?? true;

function writes({ model }: ModelListing, { output_modalities: wanted = ["text"] }: ModelQuery): boolean {
  return wanted.includes("all") || some(wanted, model.outputModalities);
}

function mentions({ model }: ModelListing, { q }: ModelQuery): boolean {
  if (q === undefined) return true;
  const text = `${model.id}\n${model.name}`.toLowerCase();
  return q.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

function ageInDays({ model }: ModelListing, { now }: ModelQueryContext): number | undefined {
  return model.created === 0 ? undefined : (now / 1_000 - model.created) / DAY_S;
}

const isZdr = ({ dataPolicy, provider }: Endpoint): boolean =>
  (dataPolicy ?? provider.dataPolicy)?.zdr === true;

const providerNames = ({ endpoints }: ModelListing): readonly string[] =>
  endpoints.flatMap(({ provider }) => [provider.id.toLowerCase(), provider.name.toLowerCase()]);

const tests: readonly Test[] = [
  writes,
  mentions,
  ({ model }, query) => all(query.input_modalities, model.inputModalities),
  ({ endpoints }, query) =>
    endpoints.some(({ model }) => all(query.supported_parameters, model.supportedParameters)),
  ({ model }, { context }) => context === undefined || (model.contextLength ?? 0) >= context,
  (one, query) => within(pricePerMillion(one, "prompt"), [query.min_price, query.max_price]),
  (one, query) =>
    within(pricePerMillion(one, "completion"), [query.min_output_price, query.max_output_price]),
  ({ model }, { arch }) =>
    arch === undefined || (model.tokenizer ?? "Other").toLowerCase().startsWith(arch.toLowerCase()),
  ({ model }, query) => some(query.model_authors, [(model.id.split("/")[0] ?? "").toLowerCase()]),
  (one, query) => some(query.providers, providerNames(one)),
  ({ model }, { distillable }) =>
    distillable === undefined || (model.distillable === true) === (distillable === "true"),
  ({ endpoints }, { zdr }) => zdr !== "true" || endpoints.some(isZdr),
  ({ endpoints }, query) =>
    query.region === undefined || endpoints.some(({ region }) => region === query.region),
  (one, query) =>
    within(bestScore(one, "intelligence"), [query.min_intelligence_index, query.max_intelligence_index]),
  (one, query) => within(bestScore(one, "coding"), [query.min_coding_index, query.max_coding_index]),
  (one, query) => within(bestScore(one, "agentic"), [query.min_agentic_index, query.max_agentic_index]),
  (one, query) =>
    within(bestScore(one, "exacto"), [query.min_tool_success_rate, query.max_tool_success_rate]),
];

/** Lower comes first; what is undefined comes last. */
type Rank = (listing: ModelListing, surroundings: ModelQueryContext) => number | undefined;

/** The mean of both sides. */
function price(listing: ModelListing): number | undefined {
  const [prompt, completion] = [pricePerMillion(listing, "prompt"), pricePerMillion(listing, "completion")];
  return prompt === undefined || completion === undefined ? undefined : (prompt + completion) / 2;
}

const negative = (value: number | undefined): number | undefined => value === undefined ? undefined : -value;

function best(
  figures: readonly (number | undefined)[],
  choose: (...all: number[]) => number,
): number | undefined {
  const known = figures.filter((figure) => figure !== undefined);
  return known.length === 0 ? undefined : choose(...known);
}

/** A gateway of one's own has no popularity to go by: those orders are its own, that of its providers. */
const ranks: { readonly [S in NonNullable<ModelQuery["sort"]>]: Rank } = {
  "most-popular": () => 0,
  "top-weekly": () => 0,
  "design-arena-elo-high-to-low": () => 0,
  newest: ({ model }) => model.created === 0 ? undefined : -model.created,
  "pricing-low-to-high": price,
  "pricing-high-to-low": (one) => negative(price(one)),
  "context-high-to-low": ({ model }) => negative(model.contextLength ?? undefined),
  "throughput-high-to-low": ({ endpoints }, { stats }) =>
    negative(best(endpoints.map(({ id }) => stats.throughput(id)?.p50), Math.max)),
  "latency-low-to-high": ({ endpoints }, { stats }) =>
    best(endpoints.map(({ id }) => stats.latency(id)?.p50), Math.min),
  "intelligence-high-to-low": (one) => negative(bestScore(one, "intelligence")),
  "coding-high-to-low": (one) => negative(bestScore(one, "coding")),
  "agentic-high-to-low": (one) => negative(bestScore(one, "agentic")),
};

interface Selection {
  readonly models: readonly ModelListing[];
  readonly query: ModelQuery;
}

/** `category` is checked and narrows nothing: a gateway of one's own does not know what others use models for. */
export function selectModels(
  { models, query }: Selection,
  surroundings: ModelQueryContext,
): readonly ModelListing[] {
  const ages = [query.min_age_days, query.max_age_days] as const;
  const meant = models.filter((one) =>
    tests.every((test) => test(one, query)) && within(ageInDays(one, surroundings), ages)
  );
  if (query.sort === undefined) return meant;
  const rank = ranks[query.sort];
  const ranked = meant.map((one) => ({ one, at: rank(one, surroundings) ?? Infinity }));
  return ranked.sort((a, b) => a.at === b.at ? 0 : a.at - b.at).map(({ one }) => one);
}
