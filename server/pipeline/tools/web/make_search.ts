/** Makes searches with the engines of the operator, for the tool and for the plugin `web`: chosen, paid and limited alike. */

import type { ReservationRequest } from "../../../billing/ledger/core/ledger.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ConfiguredEngine } from "../../../web/search/configured_engines.ts";
import type { SearchInput } from "../../../web/search/engine.ts";
import { searchCost } from "../../../web/search/search_cost.ts";
import { allowedHosts, excludedHosts } from "../../../../shared/fields/domain_rules.ts";
import { truncateStart } from "../../../../shared/util/text.ts";
import type { SettingsIssue, ToolInput, WebAccess } from "../tool_definition.ts";
import { type WebSearchSettings, webSearchSettings } from "./web_search_settings.ts";

/** Finds an engine that is named and not there. */
export function engineIssue(
  settings: JsonObject,
  engines: readonly ConfiguredEngine[],
): SettingsIssue | undefined {
  const { engine = "auto" } = webSearchSettings(settings);
  const allowed = ["auto", "native", ...engines.map(({ id }) => id)];
  if (allowed.includes(engine)) return undefined;
  const named = JSON.stringify(truncateStart(engine, 60));
  const message = `is ${named}, which is not switched on here. Allowed: ${allowed.join(", ")}.`;
  return { field: "engine", message };
}

interface EngineChoice {
  readonly engines: readonly ConfiguredEngine[];
  /** Only one whose price is known will do. */
  readonly limited: boolean;
}

/** The engine that the request names, else the first; undefined where it is not there. */
export function engineFor(
  settings: WebSearchSettings,
  { engines, limited }: EngineChoice,
): ConfiguredEngine | undefined {
  const { engine: wanted = "auto", mode, maxResults } = settings;
  return engines.find(({ id, engine, price }) =>
    (wanted === "auto" || wanted === id) &&
    (!limited || searchCost(engine, { input: { mode, maxResults }, price }) !== undefined)
  );
}

/** Ways of a search to its engine, and to the money that it costs. */
type SearchAccess = Pick<ToolInput, "purchase" | "signal"> & {
  readonly deps: { readonly web: WebAccess };
};

interface Search {
  readonly query: string;
  readonly maxResults: number;
  readonly settings: WebSearchSettings;
  readonly access: SearchAccess;
  /** The call for which it is made, where that is none of a tool. */
  readonly before?: ReservationRequest;
}

/** Rejects as `purchase` does. */
export function searchWith(
  configured: ConfiguredEngine,
  { query, maxResults, settings, access, before }: Search,
) {
  const { engine, price } = configured;
  const { domains, maxCharacters, country, mode } = settings;
  const searchInput: SearchInput = {
    query,
    maxResults,
    maxCharacters,
    allowedDomains: allowedHosts(domains),
    excludedDomains: domains.allowed.length > 0 ? [] : excludedHosts(domains),
    country,
    mode,
  };
  const costOf = (results: number) =>
    searchCost(engine, { input: { ...searchInput, maxResults: Math.min(results, maxResults) }, price });
  return access.purchase({
    service: engine.name,
    rate: "webSearch",
    price: costOf(maxResults),
    before,
    buy: async () => {
      const limits = { maxResults, maxCharacters, domains };
      const { signal, deps: { web } } = access;
      const reply = await web.search({ engine: configured, input: searchInput, limits, signal });
      const { result, isCharged } = reply;
      const found = result.type === "hits" ? { cost: costOf(result.found), results: result.hits.length } : {};
      return { value: reply, isCharged, ...found };
    },
  });
}
