/** Firecrawl: https://docs.firecrawl.dev/api-reference/endpoint/search */

import * as z from "zod";
import { jsonPost, queryWithSites, type SearchEngine } from "../engine.ts";

const schema = z.object({
  success: z.literal(true),
  data: z.object({
    web: z.array(z.object({
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
  // A credit costs something else in each plan.
  price: null,
  renderRequest: (input, { baseUrl, key }) =>
    jsonPost({
      url: `${baseUrl}/v2/search`,
      headers: { authorization: `Bearer ${key}` },
      body: {
        query: queryWithSites(input),
        limit: input.maxResults,
        sources: [{ type: "web" }],
        country: input.country,
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
