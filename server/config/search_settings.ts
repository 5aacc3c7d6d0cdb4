/** Settings of the environment that switch search engines on. */

import type { SearchEngineId } from "../../shared/search_engines.ts";

/** The variable that holds each engine's key; SearXNG, which the operator runs, has an address instead. */
export const searchEngineVariables: Readonly<Record<SearchEngineId, string>> = {
  searxng: "SEARXNG_URL",
  exa: "EXA_API_KEY",
  brave: "BRAVE_API_KEY",
  tavily: "TAVILY_API_KEY",
  perplexity: "PERPLEXITY_API_KEY",
  parallel: "PARALLEL_API_KEY",
  firecrawl: "FIRECRAWL_API_KEY",
};

interface SearchSetting {
  readonly name: string;
  readonly description: string;
  readonly kind: "key" | "base_url";
}

const key = (name: string, engine: string): SearchSetting => ({
  name,
  description: `key of ${engine}, a search engine for \`service:web_search\``,
  kind: "key",
});

/** Perplexity's key stands among those of the providers. */
export const searchSettings: readonly SearchSetting[] = [
  {
    name: "SEARXNG_URL",
    description:
      "address of a SearXNG server, a search engine for `service:web_search`; it has to answer in JSON",
    kind: "base_url",
  },
  key("EXA_API_KEY", "Exa"),
  key("BRAVE_API_KEY", "Brave Search"),
  key("TAVILY_API_KEY", "Tavily"),
  key("PARALLEL_API_KEY", "Parallel"),
  key("FIRECRAWL_API_KEY", "Firecrawl"),
];
