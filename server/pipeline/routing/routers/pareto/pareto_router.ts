/**
 * The router `pareto-code`: the cheapest model of a tier of coding scores, or under a cap the best that it pays for
 * (docs/auto-routing.md).
 */

import { ApiError } from "../../../../../shared/errors.ts";
import { omitUndefined } from "../../../../../shared/util/json.ts";
import type { JsonObject } from "../../../../protocols/canonical/item.ts";
import { endpointProfile } from "../../selection/endpoint_profile.ts";
import type { PluginOptions } from "../../../plugins/plugin_use.ts";
import {
  codingField,
  type CodingTier,
  codingTierFor,
  codingTierOf,
  type FieldModel,
  nearestCodingTier,
} from "./coding_field.ts";
import type { Evidence, ScoreTable } from "../evidence.ts";
import type { PoolModel } from "../model_pool.ts";
import { rankModels } from "../rank_models.ts";
import type { Router, RouterChoice, RouterQuestion } from "../router.ts";

type ParetoSettings = Partial<
  Pick<PluginOptions<"pareto-router">, "max_price" | "min_coding_score" | "price_source">
>;

const noSettings: ParetoSettings = {};

/** The first choice and its fallbacks of the same tier. */
const SHORTLIST = 3;

export const paretoRouter: Router = {
  strategy: "pareto",
  choose: (question) => chooseByCode(question.settingsOf("pareto-router") ?? noSettings, question),
};

/** A model that may serve, with its price in USD per million input tokens; Infinity where none is known. */
interface PricedModel {
  readonly id: string;
  readonly price: number;
  /** Undefined where nobody has scored it. */
  readonly coding?: FieldModel;
  /** Median tokens a second at its fastest endpoint; 0 where nothing is known. */
  readonly speed: number;
}

interface Shortlist {
  readonly ranked: readonly PricedModel[];
  readonly data: JsonObject;
  readonly refusal?: ApiError;
}

function chooseByCode(settings: ParetoSettings, question: RouterQuestion): RouterChoice {
  const { evidence, pool } = question;
  const field = evidence.coding === undefined ? new Map<string, FieldModel>() : codingField(evidence.coding);
  const priced = pool.models.map((model) => pricedModel(model, { settings, question, field }));
  const scored = priced.filter(({ coding }) => coding !== undefined);
  const { max_price: cap } = settings;
  const { ranked, data, refusal } = cap !== null && cap !== undefined
    ? underCap(cap, { priced, evidence })
    : scored.length === 0
    ? unscored(priced, evidence)
    : inTier(scored, { minimum: settings.min_coding_score, isFast: question.variants.has("nitro") });
  const figures = new Map(priced.map((one) => [one.id, one]));
  return {
    ranked: ranked.map(({ id }) => id),
    mayPin: (id) => (figures.get(id)?.price ?? NaN) <= (cap ?? Infinity),
    ...(cap === null || cap === undefined || settings.price_source === "weighted_avg" ? {} : {
      mayServe: (endpoint) => (endpointProfile(endpoint).prices?.prompt ?? Infinity) <= cap,
    }),
    describe: (id) => describe(figures.get(id)),
    data: {
      ...(scored.length === 0 || evidence.coding === undefined ? {} : fieldData(evidence.coding)),
      price_source: settings.price_source ?? "prompt",
      ...data,
      models: { may_serve: priced.length, scored: scored.length },
    },
    refusal,
  };
}

interface Pricing {
  readonly settings: ParetoSettings;
  readonly question: RouterQuestion;
  readonly field: ReadonlyMap<string, FieldModel>;
}

function pricedModel(
  { id, promptPrice, endpoints }: PoolModel,
  { settings, question: { evidence, stats }, field }: Pricing,
): PricedModel {
  const paid = settings.price_source === "weighted_avg" ? evidence.paidInputPrices.get(id) : undefined;
  const speeds = endpoints.map((endpoint) => stats.throughput(endpoint.id)?.p50 ?? 0);
  return { id, price: paid ?? promptPrice, coding: field.get(id), speed: Math.max(0, ...speeds) };
}

interface Bar {
  readonly minimum: number | null | undefined;
  /** The fastest first, instead of the cheapest. */
  readonly isFast: boolean;
}

/** Takes those of the tier that reach the very minimum, where there are any. */
function inTier(scored: readonly PricedModel[], { minimum, isFast }: Bar): Shortlist {
  const byTier = Map.groupBy(scored, tierOf);
  const wanted = codingTierFor(minimum);
  const tier = nearestCodingTier(wanted, new Set(byTier.keys())) ?? wanted;
  const members = byTier.get(tier) ?? [];
  const reaching = members.filter(({ coding }) => (coding?.percentile ?? 0) >= (minimum ?? 0));
  const ranked = (reaching.length === 0 ? members : reaching).toSorted(isFast ? byFastest : byCheapest);
  const nearest = tier === wanted ? {} : { nearest_tier: tier };
  return { ranked: ranked.slice(0, SHORTLIST), data: { tier: wanted, ...nearest } };
}

const tierOf = ({ coding }: PricedModel): CodingTier => coding === undefined ? "rest" : codingTierOf(coding);

/** Without any score the models stand in the order of what else is known of them. */
function unscored(priced: readonly PricedModel[], evidence: Evidence): Shortlist {
  const candidates = priced.map(({ id, price }) => ({ model: id, cost: price }));
  const { source, models } = rankModels(evidence, { task: undefined, candidates });
  const byId = new Map(priced.map((one) => [one.id, one]));
  return {
    ranked: models.flatMap(({ model }) => byId.get(model) ?? []).slice(0, SHORTLIST),
    data: { evidence: source },
  };
}

interface Priced {
  readonly priced: readonly PricedModel[];
  readonly evidence: Evidence;
}

/**
 * The best on the frontier first, then its cheaper ones, then others. The frontier are the models of which none is both
 * better and not dearer. A model without a price satisfies no cap.
 */
function underCap(cap: number, { priced, evidence }: Priced): Shortlist {
  const affordable = priced.filter(({ price }) => price <= cap);
  if (affordable.length === 0) return { ranked: [], data: { max_price: cap }, refusal: tooDear(cap, priced) };
  const scored = affordable.filter(({ coding }) => coding !== undefined).toSorted(byBest);
  if (scored.length === 0) {
    const { ranked, data } = unscored(affordable, evidence);
    return { ranked, data: { max_price: cap, ...data } };
  }
  const frontier: PricedModel[] = [];
  for (const model of scored) {
    if (model.price < (frontier.at(-1)?.price ?? Infinity)) frontier.push(model);
  }
  const others = scored.filter((model) => !frontier.includes(model));
  const rest = affordable.filter(({ coding }) => coding === undefined).toSorted(byCheapest);
  return {
    ranked: [...frontier, ...others, ...rest].slice(0, SHORTLIST),
    data: { max_price: cap, frontier: frontier.length },
  };
}

function tooDear(cap: number, priced: readonly PricedModel[]): ApiError | undefined {
  const [cheapest] = priced.filter(({ price }) => Number.isFinite(price)).toSorted(byCheapest);
  const nearest = cheapest === undefined
    ? "No model that may serve the request has a price."
    : `The cheapest that may serve the request is ${cheapest.id} at ${usd(cheapest.price)} USD.`;
  const message = `No model is within max_price ${cap} USD per million input tokens. ${nearest}`;
  return new ApiError("not_found", message, { metadata: { path: "plugins", max_price: cap } });
}

const usd = (price: number): number | null => Number.isFinite(price) ? Number(price.toPrecision(6)) : null;

/** By code units, so that every instance sorts alike. */
const byId = (one: PricedModel, other: PricedModel): number => one.id < other.id ? -1 : 1;

const byPrice = (one: PricedModel, other: PricedModel): number =>
  one.price === other.price ? 0 : one.price - other.price;

const byScore = (one: PricedModel, other: PricedModel): number =>
  (other.coding?.percentile ?? -1) - (one.coding?.percentile ?? -1);

const byCheapest = (one: PricedModel, other: PricedModel): number =>
  byPrice(one, other) || byScore(one, other) || byId(one, other);

const byFastest = (one: PricedModel, other: PricedModel): number =>
  other.speed - one.speed || byCheapest(one, other);

/** Equal scores: the cheaper first. */
const byBest = (one: PricedModel, other: PricedModel): number =>
  (other.coding?.score.value ?? 0) - (one.coding?.score.value ?? 0) || byPrice(one, other) ||
  byId(one, other);

const fieldData = ({ scale, source, date, models }: ScoreTable): JsonObject => ({
  evidence: "scores",
  cited: `${scale}, ${source}, ${date}`,
  field: `${models.size} models, ${date}`,
});

function describe(model: PricedModel | undefined): JsonObject {
  if (model === undefined) return {};
  const { price, coding } = model;
  return omitUndefined({
    score: coding?.score.value,
    inferred_from: coding?.score.inferredFrom,
    coding_percentile: coding && Math.round(coding.percentile * 1_000) / 1_000,
    tier: coding && codingTierOf(coding),
    price_usd: usd(price),
  });
}
