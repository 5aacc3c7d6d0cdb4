/** Settings of the environment that switch on search engines, and services that read documents. */

import type { SearchEngineId } from "../../shared/search_engines.ts";
import type { ProviderSetting } from "./provider_setting.ts";

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

const key = (name: string, engine: string): ProviderSetting => ({
  name,
  description: `key of ${engine}, a search engine for \`service:web_search\``,
  kind: "key",
});

/** Perplexity's key stands among those of the providers. */
const searchSettings: readonly ProviderSetting[] = [
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

export const CLOUDFLARE_ACCOUNT_ID = "CLOUDFLARE_ACCOUNT_ID";
export const CLOUDFLARE_API_TOKEN = "CLOUDFLARE_API_TOKEN";
export const CLOUDFLARE_BASE_URL = "CLOUDFLARE_BASE_URL";

/** Mistral's key stands among those of the providers. */
const documentSettings: readonly ProviderSetting[] = [
  {
    name: CLOUDFLARE_ACCOUNT_ID,
    description:
      "account at Cloudflare that reads PDFs for the plugin `file-parser` with the engine `cloudflare-ai`",
    kind: "text",
    needs: [[CLOUDFLARE_API_TOKEN]],
  },
  {
    name: CLOUDFLARE_API_TOKEN,
    description: "token of that account",
    kind: "key",
    needs: [[CLOUDFLARE_ACCOUNT_ID]],
  },
  {
    name: CLOUDFLARE_BASE_URL,
    description: "address of Cloudflare's API instead of the usual one",
    kind: "base_url",
    needs: [[CLOUDFLARE_ACCOUNT_ID]],
  },
];

export const serviceSettings: readonly ProviderSetting[] = [...searchSettings, ...documentSettings];
