/** Which rates of a price list hold for a request, and the dearest that could: what the ledger charges by. */

import { parseUnitPrice, type UnitPrice } from "../../../shared/money.ts";
import {
  type PriceList,
  type PriceOverride,
  type RateName,
  rateNames,
  utcDays,
} from "../../../shared/models.ts";
import { omitUndefined } from "../../../shared/util/json.ts";

/** A price for everything. */
export type UnitPrices = { readonly [R in RateName]: UnitPrice };

/** Facts of a request that decide its prices. */
export interface PricingContext {
  readonly promptTokens: number;
  /** Ms since the Unix epoch. */
  readonly at: number;
  /** As served, else as asked; undefined is the provider's usual one. */
  readonly serviceTier?: string;
}

/**
 * Rate that stands in for one that a list does not name, so that nothing is free by mistake (promises M6): tokens of
 * a special kind cost what tokens of their side cost. What is charged per chunk has no such parent. A cache entry of
 * an hour costs more than its parent: see `hourCachePrice`.
 */
const parents: { readonly [R in RateName]: RateName | null } = {
  prompt: null,
  completion: null,
  request: null,
  image: null,
  outputImage: null,
  webSearch: null,
  fileSearch: null,
  codeInterpreter: null,
  character: null,
  second: null,
  imageToken: "prompt",
  audio: "prompt",
  inputCacheRead: "prompt",
  inputCacheWrite: "prompt",
  inputAudioCache: "audio",
  inputCacheWrite1h: "inputCacheWrite",
  imageOutput: "completion",
  audioOutput: "completion",
  internalReasoning: "completion",
};

const ZERO = parseUnitPrice("0");

/** Resolved once a list: lists live as long as the catalog, and every request needs a price. */
const unconditional = new WeakMap<PriceList, UnitPrices>();
const dearestBySize = new WeakMap<PriceList, Map<string, readonly Step[]>>();
const raisedBy = new WeakMap<UnitPrices, UnitPrices>();

/** Service tiers that cost more than the usual one, in the words of all providers. */
const premiumTiers: ReadonlySet<string> = new Set(["priority", "fast", "scale", "performance"]);
/**
 * Factor of a premium tier where a list has no price for it, on the usual price: the highest that any provider
 * publishes (OpenAI and Azure, for `priority`). `tests/catalog` compares it with the catalog.
 */
export const premiumMultiple = 2.5;
/** Rates that are the same in every tier: searches, tools and the call itself. */
const unraised: ReadonlySet<RateName> = new Set(["request", "webSearch", "fileSearch", "codeInterpreter"]);
/** Writing to a cache that is kept for an hour costs twice the prompt's rate at every provider that publishes it. */
const HOUR_CACHE_MULTIPLE = 2n;

/** The rates of a request. A conditional rate stands above the list's own, the later above the earlier. */
export function unitPricesFor(list: PriceList, occasion: PricingContext): UnitPrices {
  const serviceTier = tierIn(list, occasion.serviceTier);
  const charges = statedCharges(list, serviceTier === undefined ? occasion : { ...occasion, serviceTier });
  return isUnpricedTier(list, serviceTier) ? raised(charges) : charges;
}

/** Whether a tier costs more than the usual one, and the list does not say how much. */
export function isUnpricedTier(list: PriceList, serviceTier: string | undefined): boolean {
  if (serviceTier === undefined || !premiumTiers.has(serviceTier)) return false;
  return !isPricedIn(list, tierIn(list, serviceTier) ?? serviceTier);
}

/** The list's own word for a tier: `fast` and `performance` are other words for `priority`. */
function tierIn(list: PriceList, serviceTier: string | undefined): string | undefined {
  if (serviceTier !== "fast" && serviceTier !== "performance") return serviceTier;
  return !isPricedIn(list, serviceTier) && isPricedIn(list, "priority") ? "priority" : serviceTier;
}

/** The same charges in a tier that the list does not price; rounded up. */
function raised(charges: UnitPrices): UnitPrices {
  const known = raisedBy.get(charges);
  if (known !== undefined) return known;
  const twice = BigInt(premiumMultiple * 2);
  const dearer = resolvedBy((rate) =>
    unraised.has(rate) ? charges[rate] : toUnitPrice((charges[rate] * twice + 1n) / 2n)
  );
  raisedBy.set(charges, dearer);
  return dearer;
}

function statedCharges(list: PriceList, occasion: PricingContext): UnitPrices {
  const holding = list.overrides?.filter((override) => holds(override, occasion)) ?? [];
  if (holding.length === 0) return ownCharges(list);
  return resolved((rate) =>
    holding.findLast((override) => override[rate] !== undefined)?.[rate] ?? list[rate]
  );
}

/** Whether the dearest that something could cost is less by one list than by the other. */
export function isCheaperFor(list: PriceList, than: PriceList): boolean {
  const [own, others] = [highestUnitPrices(list), highestUnitPrices(than)];
  return Object.keys(rateNames).some((rate) => own[toRateName(rate)] < others[toRateName(rate)]);
}

/** Whether a list says what this costs, under whatever conditions. */
export function isPriced(list: PriceList, rate: RateName): boolean {
  return list[rate] !== undefined ||
    list.overrides?.some((override) => override[rate] !== undefined) === true;
}

/** Whether a list says what this service tier costs. */
export function isPricedIn(list: PriceList, serviceTier: string): boolean {
  return list.overrides?.some((override) => override.serviceTier === serviceTier) === true;
}

function ownCharges(list: PriceList): UnitPrices {
  const known = unconditional.get(list);
  if (known !== undefined) return known;
  const charges = resolved((rate) => list[rate]);
  unconditional.set(list, charges);
  return charges;
}

/**
 * The rates that hold on the day in the usual tier, whatever the size and the hour of the request: for lists of
 * models. Other tiers are left out, because the API has no word for them (specification, Models, endpoints,
 * providers).
 */
export function listPricesAt(list: PriceList, at: number): PriceList {
  const now = (list.overrides ?? []).filter((override) =>
    override.serviceTier === undefined && isToday(override, at)
  );
  const settled = now.filter(isUnconditional).reduce<PriceList>(
    (before, override) => ({ ...before, ...stated(override) }),
    list,
  );
  const open = now.filter((override) => !isUnconditional(override));
  return { ...settled, overrides: open.length === 0 ? undefined : open };
}

/** The dearest rates of prompts of more than `above` tokens, and of all shorter ones. */
interface Step {
  readonly above: number;
  readonly charges: UnitPrices;
}

/** Bounds of a call. */
interface Extent {
  /** The most that the prompt may have; without end where absent. */
  readonly promptTokens?: number;
  /** The tier that is requested; absent for the usual one. */
  readonly serviceTier?: string;
}

/**
 * The dearest that each rate could be, at any hour and on any day to come, in the tier that is requested or the usual
 * one (promises M1).
 */
export function highestUnitPrices(
  list: PriceList,
  { promptTokens = Infinity, serviceTier }: Extent = {},
): UnitPrices {
  const steps = stepsIn(list, tierIn(list, serviceTier) ?? "");
  const charges = steps.findLast(({ above }) => promptTokens > above)?.charges ?? ownCharges(list);
  return isUnpricedTier(list, serviceTier) ? raised(charges) : charges;
}

function stepsIn(list: PriceList, serviceTier: string): readonly Step[] {
  const known = dearestBySize.get(list) ?? new Map<string, readonly Step[]>();
  dearestBySize.set(list, known);
  // Whatever a caller writes as a tier: what the list does not price is kept once.
  const key = serviceTier !== "" && isPricedIn(list, serviceTier) ? serviceTier : "";
  const steps = known.get(key) ?? stepsOf(list, key);
  known.set(key, steps);
  return steps;
}

function stepsOf(list: PriceList, tier: string): readonly Step[] {
  const overrides = (list.overrides ?? []).filter(({ serviceTier }) =>
    serviceTier === undefined || serviceTier === tier
  );
  const sizes = new Set([-1, ...overrides.map(({ minPromptTokens }) => minPromptTokens ?? -1)]);
  const steps = [...sizes].toSorted((a, b) => a - b).map((above) => ({
    above,
    charges: highestOf(list, overrides.filter(({ minPromptTokens }) => (minPromptTokens ?? -1) <= above)),
  }));
  return steps;
}

/** Whatever mixture of overrides holds, each rate of it is what the list alone or with one override says. */
function highestOf(list: PriceList, overrides: readonly PriceOverride[]): UnitPrices {
  const charges = [list, ...overrides].map((one) => resolved((rate) => one[rate] ?? list[rate]));
  return resolvedBy((rate) => charges.map((charge) => charge[rate]).reduce((a, b) => b > a ? b : a, ZERO));
}

function resolved(rateOf: (rate: RateName) => string | undefined): UnitPrices {
  return resolvedBy((rate) => priceOf(rate, rateOf));
}

function priceOf(rate: RateName, rateOf: (rate: RateName) => string | undefined): UnitPrice {
  const input = rateOf(rate);
  if (input !== undefined) return parseUnitPrice(input);
  const parent = parents[rate];
  if (parent === null) return ZERO;
  const price = priceOf(parent, rateOf);
  return rate === "inputCacheWrite1h" ? hourCachePrice(price, priceOf("prompt", rateOf)) : price;
}

function hourCachePrice(write: UnitPrice, prompt: UnitPrice): UnitPrice {
  const hour = toUnitPrice(prompt * HOUR_CACHE_MULTIPLE);
  return hour > write ? hour : write;
}

/** A sum or a multiple of unit prices. */
function toUnitPrice(price: bigint): UnitPrice {
  return price as UnitPrice;
}

function resolvedBy(price: (rate: RateName) => UnitPrice): UnitPrices {
  return toCharges(Object.fromEntries(Object.keys(rateNames).map((rate) => [rate, price(toRateName(rate))])));
}

/** A key of the table of rates. */
function toRateName(key: string): RateName {
  return key as RateName;
}

/** Every rate was priced by its own name. */
function toCharges(charges: unknown): UnitPrices {
  return charges as UnitPrices;
}

function holds(override: PriceOverride, { promptTokens, at, serviceTier }: PricingContext): boolean {
  const { minPromptTokens, utcStart, utcEnd } = override;
  if (override.serviceTier !== undefined && override.serviceTier !== serviceTier) return false;
  if (minPromptTokens !== undefined && promptTokens <= minPromptTokens) return false;
  if (!isToday(override, at)) return false;
  const date = new Date(at);
  if (override.utcDays && !override.utcDays.some((day) => day === utcDays[date.getUTCDay()])) return false;
  if (utcStart === undefined && utcEnd === undefined) return true;
  return isWithin(date.getUTCHours() * 100 + date.getUTCMinutes(), {
    start: utcStart ?? 0,
    end: utcEnd ?? 2400,
  });
}

/** A window that ends before it starts passes midnight. */
function isWithin(now: number, { start, end }: { readonly start: number; readonly end: number }): boolean {
  return start <= end ? now >= start && now < end : now >= start || now < end;
}

const isToday = ({ from }: PriceOverride, at: number): boolean =>
  from === undefined || Date.parse(from) <= at;

const isUnconditional = ({ minPromptTokens, utcStart, utcEnd, utcDays }: PriceOverride): boolean =>
  [minPromptTokens, utcStart, utcEnd, utcDays].every((condition) => condition === undefined);

function stated(override: PriceOverride): Partial<PriceList> {
  const { from: _, ...rates } = override;
  return omitUndefined(rates);
}
