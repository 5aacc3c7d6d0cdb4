/** The search engines behind `service:web_search`, in the order in which one is chosen where none is named. */

export const searchEngineIds = [
  "searxng",
  "exa",
  "brave",
  "tavily",
  "perplexity",
  "parallel",
  "firecrawl",
] as const;

export type SearchEngineId = (typeof searchEngineIds)[number];

/** Words for `engine` where a request may name one. */
export const searchEngineChoices = ["auto", "native", ...searchEngineIds] as const;
