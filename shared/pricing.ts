/** Which rates of a price list hold for a request, and the dearest that could: what the ledger charges by. */

import { parseUnitPrice, type UnitPrice } from "./money.ts";
import { type PriceList, type PriceOverride, type RateName, rateNames, utcDays } from "./models.ts";

/** A price for everything. */
export type Charges = { readonly [R in RateName]: UnitPrice };

/** What a request is priced by. */
export interface Occasion {
  readonly promptTokens: number;
  /** Ms since the Unix epoch. */
  readonly at: number;
}

/**
 * What stands in for a rate that a list does not name, so that nothing is free by mistake (promises M6): tokens
 * of a special kind cost what tokens of their side cost. What is charged per piece has no such parent.
 */
const parents: { readonly [R in RateName]: RateName | null } = {
  prompt: null,
  completion: null,
  request: null,
  image: null,
  webSearch: null,
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

/** The rates of a request. A conditional rate stands above the list's own, the later above the earlier. */
export function chargesFor(list: PriceList, occasion: Occasion): Charges {
  const holding = (list.overrides ?? []).filter((override) => holds(override, occasion));
  return resolved((rate) =>
    holding.findLast((override) => override[rate] !== undefined)?.[rate] ?? list[rate]
  );
}

/** The rate that holds on the day, whatever the size and the hour of the request: for lists of models. */
export function listedOn(list: PriceList, at: number): PriceList {
  const now = (list.overrides ?? []).filter((override) => isToday(override, at));
  const settled = now.filter(isUnconditional).reduce<PriceList>(
    (before, override) => ({ ...before, ...stated(override) }),
    list,
  );
  const open = now.filter((override) => !isUnconditional(override));
  return { ...settled, overrides: open.length === 0 ? undefined : open };
}

/** The dearest that each rate could be, at any size, hour or day to come (promises M1). */
export function dearest(list: PriceList): Charges {
  const all = [list, ...(list.overrides ?? [])];
  const charges = all.map((one) => resolved((rate) => one[rate] ?? list[rate]));
  return resolvedBy((rate) => charges.map((charge) => charge[rate]).reduce((a, b) => b > a ? b : a, ZERO));
}

function resolved(rateOf: (rate: RateName) => string | undefined): Charges {
  return resolvedBy((rate) => priceOf(rate, rateOf));
}

function priceOf(rate: RateName, rateOf: (rate: RateName) => string | undefined): UnitPrice {
  const given = rateOf(rate);
  if (given !== undefined) return parseUnitPrice(given);
  const parent = parents[rate];
  return parent === null ? ZERO : priceOf(parent, rateOf);
}

function resolvedBy(price: (rate: RateName) => UnitPrice): Charges {
  return toCharges(Object.fromEntries(Object.keys(rateNames).map((rate) => [rate, price(toRateName(rate))])));
}

/** A key of the table of rates. */
function toRateName(key: string): RateName {
  return key as RateName;
}

/** Every rate was priced by its own name. */
function toCharges(charges: unknown): Charges {
  return charges as Charges;
}

function holds(override: PriceOverride, { promptTokens, at }: Occasion): boolean {
  const { minPromptTokens, utcStart, utcEnd } = override;
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
  minPromptTokens === undefined && utcStart === undefined && utcEnd === undefined && utcDays === undefined;

function stated(override: PriceOverride): Partial<PriceList> {
  const { from: _, ...rates } = override;
  return Object.fromEntries(Object.entries(rates).filter(([, value]) => value !== undefined));
}
