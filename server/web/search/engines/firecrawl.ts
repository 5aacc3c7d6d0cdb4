/** Firecrawl: https://docs.firecrawl.dev/api-reference/endpoint/search */

import * as z from "zod";
import { jsonPost, listed, readableResults, type SearchEngine } from "../engine.ts";

const schema = z.object({
  success: z.literal(true),
  data: z.object({
    web: readableResults(z.object({
      url: z.string(),
      title: z.string().nullish(),
      description: z.string().nullish(),
    })).nullish(),
  }),
});

export const firecrawl: SearchEngine = {
  name: "Firecrawl",
  baseUrl: "https://api.firecrawl.dev",
  maxResults: 25,
  // It names no most of its domains: these are what the others take.
  limits: { queryCharacters: 500, domains: "fields", allowedDomains: 200, excludedDomains: 200 },
  // A credit costs something else in each plan.
  price: null,
  renderRequest: (input, { baseUrl, key }) =>
    jsonPost({
      url: `${baseUrl}/v2/search`,
      headers: { authorization: `Bearer ${key}` },
      body: {
        query: input.query,
        limit: input.maxResults,
        sources: [{ type: "web" }],
        country: input.country,
        includeDomains: listed(input.allowedDomains),
        excludeDomains: listed(input.excludedDomains),
      },
    }),
  parseHits: (json) => {
    const { data } = schema.safeParse(json);
    return data && (data.data.web ?? []).map(({ url, title, description }) => ({
      url,
      title: title ?? "",
      text: description ?? "",
    }));
  },
};
