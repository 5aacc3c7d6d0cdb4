/** SearXNG, which the operator runs: the one engine without an account. */

import * as z from "zod";
import { NO_COUNTRIES, queryWithSites, readableResults, type SearchEngine } from "../engine.ts";

const schema = z.object({
  results: readableResults(z.object({
    url: z.string(),
    title: z.string().nullish(),
    content: z.string().nullish(),
    publishedDate: z.string().nullish(),
  })),
});

export const searxng: SearchEngine = {
  name: "SearXNG",
  baseUrl: undefined,
  // A page of results; what is beyond `max_results` is cut.
  maxResults: 25,
  limits: {
    // With every character escaped it is half of what its server reads of a request's head.
    queryCharacters: 500,
    domains: "query",
    countries: NO_COUNTRIES,
  },
  // Nobody charges for what the operator runs.
  price: { search: "0", source: "the operator's own" },
  renderRequest: (input, { baseUrl }) => ({
    method: "GET",
    url: `${baseUrl}/search?${new URLSearchParams({ q: queryWithSites(input), format: "json" })}`,
    headers: { accept: "application/json" },
  }),
  parseHits: (json) =>
    schema.safeParse(json).data?.results.map(({ url, title, content, publishedDate }) => ({
      url,
      title: title ?? "",
      text: content ?? "",
      published: publishedDate ?? undefined,
    })),
  failures: new Map([[403, "Its JSON format is off: add json to search.formats in its settings.yml"]]),
};
