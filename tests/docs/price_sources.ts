/** The table of where each provider's prices are from, as docs/limits-and-billing.md shows it. */

import snapshot from "../../server/providers/catalog/snapshot.json" with { type: "json" };
import { readSnapshot } from "../../server/providers/catalog/snapshot.ts";

const { sources } = snapshot;

/** Sources of prices of providers for which this version has a table of its own. */
const ownTables: Readonly<Record<string, string>> = {
  openai: "`server/providers/rows/openai.ts`, from its price pages at the end of October 2026",
  anthropic: "`server/providers/rows/anthropic.ts`, from its price pages of November 2026",
  google: "`server/providers/rows/gemini.ts`, from its price pages of 2026-11-21",
};

const notes: Readonly<Record<string, string>> = {
  openrouter:
    "the dearest of its list and the author's price; the receipt is settled by the cost that it reports",
  azure:
    "deployments have names of the operator's own: prices are what the configuration file says, these by name",
  "amazon-bedrock": "regional profiles have prices of their own",
};

function rowOf(provider: string, catalog: ReturnType<typeof readSnapshot>): string {
  const offers = [...catalog.offersOf(provider).values()];
  const of = (name: string) => offers.filter(({ pricedBy }) => pricedBy?.name === name).length;
  const unpriced = offers.filter(({ pricing }) => pricing === null).length;
  const tiers =
    offers.filter(({ pricing }) => pricing?.overrides?.some(({ serviceTier }) => serviceTier)).length;
  const counts = [sources.rates, sources.limits, sources.prices].map(({ name }) => of(name) || "–");
  const beside = [ownTables[provider], notes[provider]].filter((text) => text !== undefined).join("; ");
  return `| ${provider} | ${[...counts, unpriced || "–", tiers || "–", beside || "–"].join(" | ")} |`;
}

/** How many of a provider's models are priced by which source. */
export function priceSourcesTable(): string {
  const catalog = readSnapshot(snapshot);
  const heads = [sources.rates, sources.limits, sources.prices].map(({ name, date }) => `${name} (${date})`);
  return [
    `| provider | ${heads.join(" | ")} | without a price | with prices for service tiers | besides |`,
    "|---|---|---|---|---|---|---|",
    ...Object.keys(snapshot.offers).map((provider) => rowOf(provider, catalog)),
  ].join("\n");
}
