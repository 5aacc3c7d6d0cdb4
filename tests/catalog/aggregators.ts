/**
 * Aggregators list prices of the moment, which may be far below what a call costs in the end. Until the aggregator has
 * reported that, a model counts as what is dearer: its author's price or the list.
 */

import { type OverrideJson, type PricingJson, rateNames } from "../../shared/models.ts";
import type { SnapshotOfferJson } from "../../server/providers/catalog/snapshot_schema.ts";
import type { Listed } from "./sources.ts";

type Offers = Readonly<Record<string, Readonly<Record<string, SnapshotOfferJson>>>>;
type Rates = Readonly<Record<string, string>>;

export function withAuthorPrices(
  offers: Offers,
  listed: readonly Listed[],
): Record<string, Record<string, SnapshotOfferJson>> {
  const authors = new Map(
    listed.filter(({ author }) => author !== undefined)
      .flatMap(({ id }) => Object.values(offers[id] ?? {}))
      .map((offer) => [offer.model, offer] as const),
  );
  const aggregators = new Set(listed.filter(({ aggregator }) => aggregator).map(({ id }) => id));
  return Object.fromEntries(
    Object.entries(offers).map(([provider, own]) => [
      provider,
      aggregators.has(provider) ? dearerOffers(own, authors) : { ...own },
    ]),
  );
}

function dearerOffers(
  own: Readonly<Record<string, SnapshotOfferJson>>,
  authors: ReadonlyMap<string, SnapshotOfferJson>,
): Record<string, SnapshotOfferJson> {
  return Object.fromEntries(
    Object.entries(own).map(([upstream, offer]) => {
      const author = authors.get(offer.model)?.pricing;
      if (!author || !offer.pricing) return [upstream, offer];
      return [upstream, { ...offer, pricing: dearerOf(offer.pricing, author) }];
    }),
  );
}

/** Rate that stands in for one that a list does not name. */
const parents: Readonly<Record<string, string>> = {
  image_token: "prompt",
  audio: "prompt",
  input_audio_cache: "prompt",
  input_cache_read: "prompt",
  input_cache_write: "prompt",
  image_output: "completion",
  audio_output: "completion",
  internal_reasoning: "completion",
};
const names = Object.values(rateNames);

const ratesOf = (list: OverrideJson): Rates =>
  Object.fromEntries(names.flatMap((name) => list[name] === undefined ? [] : [[name, list[name]]]));

/** The dearest of some lists, rate by rate. */
function most(...lists: readonly Rates[]): Record<string, string> {
  const keys = new Set(lists.flatMap((list) => Object.keys(list)));
  return Object.fromEntries([...keys].map((key) => {
    const values = lists.flatMap((list) => list[key] ?? list[parents[key] ?? ""] ?? []);
    return [key, values.reduce((a, b) => Number(b) > Number(a) ? b : a)];
  }));
}

const conditionsOf = (one: OverrideJson): OverrideJson => {
  const rates = new Set<string>(names);
  return Object.fromEntries(Object.entries(one).filter(([key]) => !rates.has(key)));
};

const holdsWith = (one: OverrideJson, other: OverrideJson): boolean => {
  const { min_prompt_tokens: size = 0, ...rest } = conditionsOf(one);
  const { min_prompt_tokens: otherSize = 0, ...otherRest } = conditionsOf(other);
  return JSON.stringify(rest) === JSON.stringify(otherRest) && otherSize <= size;
};

/** The conditional prices of a list, with its usual ones for what they do not name. */
const wholeOverrides = (list: PricingJson): readonly OverrideJson[] =>
  (list.overrides ?? []).filter(({ service_tier }) => service_tier === undefined)
    .map((one) => ({ ...ratesOf(list), ...one }));

/** Service tiers are left out: what an aggregator makes of them is known when it reports the cost. */
export function dearerOf(list: PricingJson, author: PricingJson): PricingJson {
  const fallback = most(ratesOf(list), ratesOf(author));
  const conditional = [...wholeOverrides(list), ...wholeOverrides(author)];
  const dearer = conditional.flatMap((one) => {
    const rates = most(fallback, ...conditional.filter((other) => holdsWith(one, other)).map(ratesOf));
    const changed = Object.entries(rates).filter(([key, value]) => value !== fallback[key]);
    return changed.length === 0 ? [] : [{ ...conditionsOf(one), ...Object.fromEntries(changed) }];
  });
  const overrides = [...new Map(dearer.map((one) => [JSON.stringify(one), one])).values()]
    .toSorted((a, b) => (a.min_prompt_tokens ?? 0) - (b.min_prompt_tokens ?? 0));
  const { prompt = list.prompt, completion = list.completion, ...rest } = fallback;
  return { prompt, completion, ...rest, ...(overrides.length > 0 ? { overrides } : {}) };
}
