/** How old the prices are that requests are charged by. */

import type { FactSource } from "../../../shared/models.ts";
import type { Endpoint } from "../endpoint.ts";

/** Prices that nobody has confirmed for longer are told as a warning. */
export const FRESH_DAYS = 45;
const DAY_MS = 86_400_000;

/** One source of prices. */
interface PriceAge {
  readonly source: FactSource;
  /** Whole days since the day of the source. */
  readonly days: number;
  /** How many endpoints have their price from it. */
  readonly endpoints: number;
}

/** Ages of the prices that are from a source, newest first. `now`: ms since the epoch. */
export function priceAges(
  endpoints: readonly Pick<Endpoint, "pricedBy">[],
  now: number,
): readonly PriceAge[] {
  const bySource = Map.groupBy(
    endpoints.flatMap(({ pricedBy }) => pricedBy ?? []),
    ({ name, date }) => `${name} ${date}`,
  );
  return [...bySource.values()].flatMap((all) => {
    const [source] = all;
    if (source === undefined) return [];
    return [{ source, days: Math.floor((now - Date.parse(source.date)) / DAY_MS), endpoints: all.length }];
  }).toSorted((a, b) => a.days - b.days);
}

/** `litellm 1.110.2 of 2026-11-25 (4 days, 43 models)` */
export function describeAge({ source: { name, date }, days, endpoints }: PriceAge): string {
  return `${name} of ${date} (${days} days, ${endpoints} models)`;
}

/** Warns the operator about prices that are too old; undefined when none are. */
export function ageWarning(ages: readonly PriceAge[]): string | undefined {
  const old = ages.filter(({ days }) => days > FRESH_DAYS);
  if (old.length === 0) return undefined;
  return `Prices are older than ${FRESH_DAYS} days: ${old.map(describeAge).join(", ")}. ` +
    "Update Tollgate, or name a newer catalog in catalog.file";
}

/** Details of `/readyz` on prices; undefined where none is from a source. */
export function priceDetails(
  endpoints: readonly Pick<Endpoint, "pricedBy">[],
  now: number,
): Readonly<Record<string, unknown>> | undefined {
  const ages = priceAges(endpoints, now);
  if (ages.length === 0) return undefined;
  const prices = ages.map(({ source: { name, date }, days, endpoints: models }) => ({
    source: name,
    date,
    age_days: days,
    models,
  }));
  const warning = ageWarning(ages);
  return { prices, ...(warning === undefined ? {} : { warnings: [warning] }) };
}
