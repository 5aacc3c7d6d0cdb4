/** Searches the web with an engine of the operator's, or the provider's own search (specification, Tools). */

import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { HostedTool } from "../../../protocols/canonical/request.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { ConfiguredEngine } from "../../../web/search/configured_engines.ts";
import type { SearchHit, SearchInput } from "../../../web/search/engine.ts";
import { allowedHosts, excludedHosts } from "../../../../shared/fields/domain_rules.ts";
import { searchCost } from "../../../web/search/search_cost.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import { cutBytes, truncateStart } from "../../../../shared/util/text.ts";
import {
  type SettingsIssue,
  textOf,
  type ToolDefinition,
  type ToolInput,
  type ToolOutcome,
} from "../tool_definition.ts";
import type { ToolMemory } from "../tool_memory.ts";
import { failedWebCall } from "./web_errors.ts";
import { domainIssue, type WebSearchSettings, webSearchSettings } from "./web_search_settings.ts";

const parameters = {
  type: "object",
  properties: { query: { type: "string", description: "What to search for." } },
  required: ["query"],
  additionalProperties: false,
} as const;

const DESCRIPTION =
  "Searches the web. Where the answer rests on a result, cite it as a Markdown link to its url.";

export const webSearch: ToolDefinition = {
  kind: "web_search",
  hosted: {
    types: ["web_search", "web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11"],
    itemType: "web_search_call",
  },
  describe: (settings) => {
    const { prompt } = webSearchSettings(settings);
    return { description: prompt === undefined ? DESCRIPTION : `${DESCRIPTION} ${prompt}`, parameters };
  },
  isHostedAt: (endpoint, settings) => !namesEngine(settings) && sellsSearches(endpoint),
  checkSettings: ({ settings, deps: { web: { engines } } }) =>
    engineIssue(settings, engines) ??
      domainIssue(settings),
  nativeAt,
  isAvailable: ({ settings, deps: { web: { engines } }, limited }) =>
    engineFor(webSearchSettings(settings), { engines, limited }) !== undefined,
  switchOn: "Set SEARXNG_URL or the key of a search engine; docs/server-tools.md lists them.",
  progress: {
    started: ["response.web_search_call.in_progress", "response.web_search_call.searching"],
    completed: ["response.web_search_call.completed"],
  },
  itemFields: ({ query }) => ({ action: actionOf(textOf(query) ?? "", []) }),
  failedStatus: "incomplete",
  hostedFailedStatus: "failed",
  argumentsOf: ({ action }) => {
    const query = isRecord(action) ? textOf(action.query) : undefined;
    return query === undefined ? undefined : { query };
  },
  run,
};

const actionOf = (query: string, hits: readonly Pick<SearchHit, "url">[]): JsonObject => ({
  type: "search",
  query,
  ...(hits.length === 0 ? {} : { sources: hits.map(({ url }) => ({ type: "url", url })) }),
});

/** One of the operator's. */
function namesEngine(settings: JsonObject): boolean {
  const { engine = "auto" } = webSearchSettings(settings);
  return engine !== "auto" && engine !== "native";
}

function engineIssue(settings: JsonObject, engines: readonly ConfiguredEngine[]): SettingsIssue | undefined {
  const { engine = "auto" } = webSearchSettings(settings);
  const allowed = ["auto", "native", ...engines.map(({ id }) => id)];
  if (allowed.includes(engine)) return undefined;
  const named = JSON.stringify(truncateStart(engine, 60));
  const message = `is ${named}, which is not switched on here. Allowed: ${allowed.join(", ")}.`;
  return { field: "engine", message };
}

/** Its price list has searches: it makes them, and what they cost is known. */
function sellsSearches({ pricing, provider: { builtIn } }: Endpoint): boolean {
  return builtIn !== true && pricing?.webSearch !== undefined;
}

/** Settings that a provider's own search does not know decide for an engine. */
function nativeAt(endpoint: Endpoint, settings: JsonObject): HostedTool | undefined {
  if (namesEngine(settings) || !sellsSearches(endpoint)) return undefined;
  const { user_location, search_context_size, max_uses } = settings;
  const { allowed_domains: allowed, excluded_domains: excluded } = settings;
  const hasExcluded = Array.isArray(excluded) && excluded.length > 0;
  const common = user_location === undefined ? {} : { user_location };
  switch (endpoint.provider.wire) {
    case "responses": {
      if (hasExcluded) return undefined;
      const filters = allowed === undefined ? {} : { filters: { allowed_domains: allowed } };
      const size = search_context_size === undefined ? {} : { search_context_size };
      return hostedTool("responses", { type: "web_search", ...filters, ...size, ...common });
    }
    case "messages": {
      const uses = max_uses === undefined ? {} : { max_uses };
      const domains = allowed !== undefined
        ? { allowed_domains: allowed }
        : excluded === undefined
        ? {}
        : { blocked_domains: excluded };
      return hostedTool("messages", {
        type: "web_search_20250305",
        name: "web_search",
        ...uses,
        ...domains,
        ...common,
      });
    }
    default:
      return undefined;
  }
}

const hostedTool = (wire: HostedTool["wire"], value: JsonObject & { readonly type: string }): HostedTool => ({
  type: "hosted",
  wire,
  kind: value.type,
  value,
});

interface EngineChoice {
  readonly engines: readonly ConfiguredEngine[];
  /** Only one whose price is known will do. */
  readonly limited: boolean;
}

/** The engine that the request names, else the first; undefined where it is not there. */
function engineFor(
  settings: WebSearchSettings,
  { engines, limited }: EngineChoice,
): ConfiguredEngine | undefined {
  const { engine: wanted = "auto", mode, maxResults } = settings;
  return engines.find(({ id, engine, price }) =>
    (wanted === "auto" || wanted === id) &&
    (!limited || searchCost(engine, { input: { mode, maxResults }, price }) !== undefined)
  );
}

async function run(input: ToolInput): Promise<ToolOutcome> {
  const { args, memory, deps: { web } } = input;
  const settings = webSearchSettings(input.settings);
  const query = textOf(args.query);
  if (query === undefined || query.trim() === "") {
    return failedWebCall({ reason: "query is missing.", code: "invalid_input" });
  }
  const found = engineFor(settings, { engines: web.engines, limited: input.limited });
  if (found === undefined) {
    return failedWebCall({ reason: "This gateway has no search engine.", code: "unavailable" });
  }
  const maxResults = memory.takeSearchResults(settings.maxResults, settings.maxTotalResults);
  if (maxResults < 1) {
    const reason = `All searches together may have ${settings.maxTotalResults} results, and had them.`;
    return failedWebCall({ reason, code: "max_uses_exceeded" });
  }
  let unused = maxResults;
  try {
    if (!memory.takeUse("web_search", settings.maxUses)) {
      const reason = `web_search may be used ${settings.maxUses} times, and was.`;
      return failedWebCall({ reason, code: "max_uses_exceeded" });
    }
    const { result, cuts } = await searchWith(found, { query, maxResults, settings, input });
    if (result.type === "failed") return failedWebCall({ reason: result.message, code: "unavailable" });
    unused -= result.hits.length;
    return foundHits({ query, cuts, hits: result.hits, memory });
  } finally {
    memory.returnSearchResults(unused);
  }
}

interface FoundHits {
  readonly query: string;
  readonly cuts: readonly string[];
  readonly hits: readonly SearchHit[];
  readonly memory: ToolMemory;
}

function foundHits({ query, cuts, hits, memory }: FoundHits): ToolOutcome {
  for (const { url, title } of hits) memory.addSource({ url, title });
  const notes = [...cuts, ...hits.length === 0 ? ["Nothing was found."] : []];
  const output = JSON.stringify({
    results: hits.map((hit) => describeHit(hit, Math.floor(MOST_BYTES / hits.length))),
    ...(notes.length === 0 ? {} : { note: notes.join(" ") }),
  });
  return { output, fields: { action: actionOf(query, hits) } };
}

interface Search {
  readonly query: string;
  readonly maxResults: number;
  readonly settings: WebSearchSettings;
  readonly input: ToolInput;
}

function searchWith(configured: ConfiguredEngine, { query, maxResults, settings, input }: Search) {
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
  return input.purchase({
    service: engine.name,
    rate: "webSearch",
    price: costOf(maxResults),
    buy: async () => {
      const limits = { maxResults, maxCharacters, domains };
      const { signal, deps: { web } } = input;
      const reply = await web.search({ engine: configured, input: searchInput, limits, signal });
      const { result, isCharged } = reply;
      const found = result.type === "hits" ? { cost: costOf(result.found), results: result.hits.length } : {};
      return { value: reply, isCharged, ...found };
    },
  });
}

/** Most bytes of all texts together, so that they are within the limit of a result. */
const MOST_BYTES = 40 * 1024;

const describeHit = ({ url, title, text, published }: SearchHit, most: number): JsonObject => ({
  url,
  title,
  ...(published === undefined ? {} : { published }),
  text: cutBytes(text, most),
});
