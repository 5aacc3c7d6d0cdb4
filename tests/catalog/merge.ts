/** The packages and the tables kept by hand → the snapshot. Pure: the same input gives the same bytes. */

import type { OverrideJson, PricingJson } from "../../shared/models.ts";
import type {
  BenchmarkScore,
  SnapshotFile,
  SnapshotOfferJson,
} from "../../server/providers/catalog/snapshot_schema.ts";
import { latestOf, Names } from "./identify.ts";
import { withAuthorPrices } from "./aggregators.ts";
import { agree, combined, costsOf, pricesOf, withSizes } from "./price.ts";
import { publishedList, type RateRow, withTiers } from "./rates.ts";
import { inputsOf, parametersOf, tokenizerOf } from "./rules.ts";
import type { LimitRow, Listed, PriceRow, Reported } from "./sources.ts";

export interface Hand {
  readonly sources: SnapshotFile["sources"];
  readonly scores: Readonly<Record<string, readonly BenchmarkScore[]>>;
  /** Model id → day of release. */
  readonly released: Readonly<Record<string, string>>;
  /** Model id → what the packages have wrong. */
  readonly limits: Readonly<Record<string, { readonly context?: number; readonly output?: number }>>;
  /** Provider → its name of the model → prices that it has announced, which no package has. */
  readonly announced: Announced;
}

export type Announced = Readonly<
  Record<
    string,
    Readonly<Record<string, { readonly source: string; readonly overrides: readonly OverrideJson[] }>>
  >
>;

export interface Material {
  readonly hand: Hand;
  readonly providers: readonly (readonly [Listed, Reported])[];
}

interface Found {
  readonly listed: Listed;
  readonly upstream: string;
  readonly limit?: LimitRow;
  readonly price?: PriceRow;
  readonly rate?: RateRow;
}

/** Names of the package of prices that are patterns, or no chat model. */
const unfit =
  /^ft:|embed|realtime|transcri|tts|audio|whisper|moderation|image|veo|imagen|ocr|voice|^text-|davinci|babbage|curie|^ada|instruct$|deep-research|computer-use|:extended|guard/;

function found(listed: Listed, { limits, prices, rates = {} }: Reported): readonly Found[] {
  const rateOf = (id: string) => Object.hasOwn(rates, id) ? rates[id] : undefined;
  const named = (id: string) => listed.id !== "openrouter" || id.includes("/");
  const chats = limits.filter((row) => row.type === "chat" && !row.id.startsWith("~") && named(row.id));
  const priceOf = (id: string) =>
    prices.find((row) => row.id === id) ?? prices.find((row) => matches(row.match, id));
  const both = chats.map((limit) => ({
    listed,
    upstream: limit.id,
    limit,
    price: priceOf(limit.id),
    rate: rateOf(limit.id),
  }));
  if (listed.limits !== undefined) return both;
  const alone = prices.filter((row) => !row.deprecated && !unfit.test(row.id))
    .map((price) => ({ listed, upstream: price.id, price, rate: rateOf(price.id) }));
  return [...both, ...alone];
}

/** Whether a row of the package of prices means a name: only what names it whole, never a prefix. */
function matches(logic: unknown, id: string): boolean {
  if (typeof logic !== "object" || logic === null) return false;
  if ("equals" in logic) return logic.equals === id;
  return "or" in logic && Array.isArray(logic.or) && logic.or.some((one) => matches(one, id));
}

type Priced = Pick<SnapshotOfferJson, "pricing" | "priced">;

/** Where two sources have a price and do not agree, the newer one is right. */
function priced(one: Found, { sources, announced }: Hand): Priced {
  const packaged = packagePrice(one, sources);
  const published = one.rate ? publishedList(one.rate) : null;
  const sizes = { inclusive: one.listed.inclusiveSizes === true };
  const later = announced[one.listed.id]?.[one.upstream]?.overrides ?? [];
  if (one.rate === undefined || published === null || !isBetter(published, { packaged, sources })) {
    const { pricing } = packaged;
    return { ...packaged, pricing: pricing === null ? null : withLater(withSizes(pricing, sizes), later) };
  }
  const { pricing: other } = packaged;
  const list = other !== null && agree(published, other) ? combined(published, other) : published;
  return { priced: "rates", pricing: withTiers(withLater(withSizes(list, sizes), later), one.rate) };
}

const withLater = (list: PricingJson, later: readonly OverrideJson[]): PricingJson =>
  later.length === 0 ? list : { ...list, overrides: [...(list.overrides ?? []), ...later] };

interface Rivals {
  readonly packaged: Priced;
  readonly sources: Hand["sources"];
}

/** Whether the published rates count: they agree with the packages, or are newer. */
function isBetter(published: PricingJson, { packaged: { pricing, priced }, sources }: Rivals): boolean {
  return pricing === null || priced === null || agree(published, pricing) ||
    sources.rates.date >= sources[priced].date;
}

function packagePrice({ price, limit }: Found, { prices, limits }: Hand["sources"]): Priced {
  const newest = prices.date > limits.date ? prices.date : limits.date;
  const rich = price ? pricesOf(price, newest) : null;
  const plain = limit ? costsOf(limit) : null;
  if (rich && plain && !agree(rich, plain)) {
    return limits.date > prices.date
      ? { priced: "limits", pricing: plain }
      : { priced: "prices", pricing: rich };
  }
  if (rich && plain) {
    // A price that both have is as new as the newer of them.
    return { priced: limits.date > prices.date ? "limits" : "prices", pricing: { ...plain, ...rich } };
  }
  if (rich) return { priced: "prices", pricing: rich };
  return plain ? { priced: "limits", pricing: plain } : { pricing: null, priced: null };
}

const largest = (...sizes: readonly (number | undefined)[]): number | null => {
  const most = Math.max(0, ...sizes.map((size) => size ?? 0));
  return most > 0 ? Math.trunc(most) : null;
};

/** An author's own models; some serve others' too. */
const isOwn = ({ listed, upstream }: Found): boolean =>
  listed.author !== undefined && !(listed.id === "mistral" && /^(?:deepseek|glm|zai)-/.test(upstream));

function idOf(one: Found, names: Names): string {
  const { listed, upstream } = one;
  if (isOwn(one)) return names.claim(`${listed.author}/${upstream}`);
  return names.claim(listed.id === "openrouter" ? upstream : `${listed.id}/${upstream.replace(/^zai-/, "")}`);
}

/** Authors name their models first, then the host that knows most of them, then everybody else. */
const turnOf = (one: Found): number => isOwn(one) ? 0 : one.listed.id === "openrouter" ? 1 : 2;

class Sets {
  readonly all: string[][] = [];

  indexOf(names: readonly string[]): number {
    const at = this.all.findIndex((set) => set.join() === names.join());
    return at === -1 ? this.all.push([...names]) - 1 : at;
  }
}

interface Context {
  readonly hand: Hand;
  readonly names: Names;
  readonly sets: Sets;
}

function toOffer(one: Found, { hand, names, sets }: Context): SnapshotOfferJson {
  const { listed, limit, price, upstream } = one;
  const model = isOwn(one) ? `${listed.author}/${upstream}` : idOf(one, names);
  const fixed = hand.limits[model] ?? {};
  const author = model.split("/")[0] ?? "";
  const released = hand.released[model];
  return {
    model,
    name: limit?.name ?? price?.name ?? upstream,
    created: released === undefined ? 0 : Date.parse(released) / 1_000,
    context: fixed.context ?? largest(limit?.contextWindow, price?.context_window),
    output: fixed.output ?? largest(limit?.maxTokens),
    inputs: [...inputsOf(author, limit?.input ?? ["text"])],
    outputs: ["text"],
    parameters: sets.indexOf(parametersOf(listed.id, limit?.reasoning ?? false)),
    tokenizer: tokenizerOf(model),
    ...priced(one, hand),
  };
}

type Offers = Record<string, SnapshotOfferJson>;

/**
 * A provider charges for its search of the web by the search, whichever model asks for it: where most of its models
 * name one price and none another, it is that of all of them.
 */
function withSearches(offers: Readonly<Offers>): Offers {
  const priced = Object.values(offers).filter(({ pricing }) => pricing !== null);
  const prices = priced.flatMap(({ pricing }) => pricing?.web_search ?? []);
  const [web_search] = prices;
  if (new Set(prices).size !== 1 || prices.length * 2 <= priced.length) return { ...offers };
  return Object.fromEntries(
    Object.entries(offers).map(([upstream, offer]) => [
      upstream,
      offer.pricing === null ? offer : { ...offer, pricing: { ...offer.pricing, web_search } },
    ]),
  );
}

interface Spelling {
  readonly latest: readonly LimitRow[];
  readonly names: Names;
}

/** `anthropic/claude-opus-4.6` → `anthropic/claude-opus-4-6`, and `~…-latest` → the newest of its family. */
function aliasesOf(all: readonly Found[], { latest, names }: Spelling): Record<string, string> {
  const ids = new Set(
    all.flatMap((one) => isOwn(one) ? [`${one.listed.author}/${one.upstream}`] : []),
  );
  const foreign = all.filter(({ listed }) => listed.id === "openrouter").map(({ upstream }) => upstream);
  const spelled = foreign.flatMap((id) => {
    const own = names.claim(id);
    return own === id || !ids.has(own) ? [] : [[id, own] as const];
  });
  const newest = latest.flatMap((alias) => {
    const id = latestOf(alias.id.slice(1).replace(/-latest$/, ""), foreign);
    const target = all.find(({ listed, upstream }) => listed.id === "openrouter" && upstream === id)?.limit;
    const same = target?.cost.input === alias.cost.input && target.cost.output === alias.cost.output;
    return id === undefined || !same ? [] : [[alias.id, names.claim(id)] as const];
  });
  return Object.fromEntries([...spelled, ...newest].sort(([a], [b]) => a < b ? -1 : 1));
}

export function merge({ hand, providers }: Material): SnapshotFile {
  const names = new Names();
  const sets = new Sets();
  const all = providers.flatMap(([listed, reported]) => found(listed, reported));
  for (const one of all.toSorted((a, b) => turnOf(a) - turnOf(b))) idOf(one, names);
  const offers: Record<string, Record<string, SnapshotOfferJson>> = {};
  for (const one of all) {
    (offers[one.listed.id] ??= {})[one.upstream] = toOffer(one, { hand, names, sets });
  }
  const latest = providers.flatMap(([, { limits }]) => limits).filter(({ id }) => /^~.*-latest$/.test(id));
  const scores = Object.fromEntries(Object.entries(hand.scores).map(([id, list]) => [id, [...list]]));
  const searched = Object.fromEntries(
    Object.entries(offers).map(([provider, own]) => [provider, withSearches(own)]),
  );
  return {
    sources: hand.sources,
    parameters: sets.all,
    aliases: aliasesOf(all, { latest, names }),
    scores,
    offers: withAuthorPrices(searched, providers.map(([listed]) => listed)),
    moved: [],
  };
}
