/** Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search */

import * as z from "zod";
import { jsonPost, listed, NO_COUNTRIES, readableResults, type SearchEngine } from "../engine.ts";

const schema = z.object({
  results: readableResults(z.object({
    url: z.string(),
    title: z.string().nullish(),
    content: z.string().nullish(),
    published_date: z.string().nullish(),
  })),
});

export const tavily: SearchEngine = {
  name: "Tavily",
  baseUrl: "https://api.tavily.com",
  maxResults: 20,
  limits: {
    queryCharacters: 400,
    domains: "fields",
    allowedDomains: 300,
    excludedDomains: 150,
    // It has countries by their English names, for which it only ranks higher.
    countries: NO_COUNTRIES,
  },
  // A search of this depth costs one credit; without a plan a credit costs this much.
  price: { search: "0.008", source: "https://docs.tavily.com/documentation/api-credits", date: "2026-10-06" },
  renderRequest: (input, { baseUrl, key }) =>
    jsonPost({
      url: `${baseUrl}/search`,
      headers: { authorization: `Bearer ${key}` },
      body: {
        query: input.query,
        max_results: input.maxResults,
        // The other depth costs twice as much.
        search_depth: "basic",
        include_domains: listed(input.allowedDomains),
        exclude_domains: listed(input.excludedDomains),
      },
    }),
  parseHits: (json) =>
    schema.safeParse(json).data?.results.map(({ url, title, content, published_date }) => ({
      url,
      title: title ?? "",
      text: content ?? "",
      published: published_date ?? undefined,
    })),
  failures: new Map([[432, "Its plan is used up"], [433, "Its pay-as-you-go limit is reached"]]),
};
