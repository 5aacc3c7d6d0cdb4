/** Perplexity Search: https://docs.perplexity.ai/api-reference/search-post */

import * as z from "zod";
import { jsonPost, listed, readableResults, type SearchEngine, UNSTATED_CHARACTERS } from "../engine.ts";

const schema = z.object({
  results: readableResults(z.object({
    url: z.string(),
    title: z.string().nullish(),
    snippet: z.string().nullish(),
    date: z.string().nullish(),
  })),
});

export const perplexity: SearchEngine = {
  name: "Perplexity",
  baseUrl: "https://api.perplexity.ai",
  maxResults: 20,
  limits: {
    queryCharacters: UNSTATED_CHARACTERS,
    domains: "fields",
    allowedDomains: 20,
    excludedDomains: 20,
  },
  price: {
    search: "0.005",
    source: "https://docs.perplexity.ai/docs/getting-started/pricing",
    date: "2026-10-07",
  },
  renderRequest: (input, { baseUrl, key }) => {
    const excluded = input.excludedDomains.map((domain) => `-${domain}`);
    // It refuses a list that allows some and excludes others.
    const domains = input.allowedDomains.length > 0 ? input.allowedDomains : excluded;
    return jsonPost({
      url: `${baseUrl}/search`,
      headers: { authorization: `Bearer ${key}` },
      body: {
        query: input.query,
        max_results: input.maxResults,
        search_domain_filter: listed(domains),
        country: input.country,
      },
    });
  },
  parseHits: (json) =>
    schema.safeParse(json).data?.results.map(({ url, title, snippet, date }) => ({
      url,
      title: title ?? "",
      text: snippet ?? "",
      published: date ?? undefined,
    })),
};
