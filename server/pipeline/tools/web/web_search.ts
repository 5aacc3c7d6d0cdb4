/** Searches the web with an engine of the operator's, or the provider's own search (specification, Tools). */

import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { SearchHit } from "../../../web/search/engine.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import { cutBytes } from "../../../../shared/util/text.ts";
import { textOf, type ToolDefinition, type ToolInput, type ToolOutcome } from "../tool_definition.ts";
import type { ToolMemory } from "../tool_memory.ts";
import { engineFor, engineIssue, searchWith } from "./make_search.ts";
import { hasWordsForDomains, namesEngine, nativeAt, sellsSearches } from "./native_search.ts";
import { failedWebCall } from "./web_errors.ts";
import { domainIssue, webSearchSettings } from "./web_search_settings.ts";

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
  isHostedAt: (endpoint, settings) =>
    !namesEngine(settings) && sellsSearches(endpoint) && hasWordsForDomains(endpoint, settings),
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
    const { result, cuts } = await searchWith(found, { query, maxResults, settings, access: input });
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

/** Most bytes of all texts together, so that they are within the limit of a result. */
const MOST_BYTES = 40 * 1024;

const describeHit = ({ url, title, text, published }: SearchHit, most: number): JsonObject => ({
  url,
  title,
  ...(published === undefined ? {} : { published }),
  text: cutBytes(text, most),
});
