/** Brave Search: https://api-dashboard.search.brave.com/app/documentation/web-search/query */

import * as z from "zod";
import { queryWithSites, readableResults, type SearchEngine } from "../engine.ts";

const schema = z.object({
  type: z.literal("search"),
  web: z.object({
    results: readableResults(z.object({
      url: z.string(),
      title: z.string(),
      description: z.string().nullish(),
      extra_snippets: z.array(z.string()).nullish(),
      page_age: z.string().nullish(),
    })),
  }).nullish(),
});

/** Countries that it searches by. */
const countries = new Set(
  ("AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB " +
    "US").split(" "),
);

export const brave: SearchEngine = {
  name: "Brave",
  baseUrl: "https://api.search.brave.com/res/v1",
  maxResults: 20,
  limits: { queryCharacters: 400, queryWords: 50, domains: "query", countries },
  price: { search: "0.005", source: "https://api-dashboard.search.brave.com/app/plans", date: "2026-09" },
  renderRequest: (input, { baseUrl, key }) => ({
    method: "GET",
    url: `${baseUrl}/web/search?${new URLSearchParams({
      q: queryWithSites(input),
      count: String(input.maxResults),
      result_filter: "web",
      text_decorations: "false",
      extra_snippets: "true",
      ...(input.country === undefined ? {} : { country: input.country }),
    })}`,
    headers: { accept: "application/json", "x-subscription-token": key },
  }),
  // Without results there is no `web`.
  parseHits: (json) => {
    const { data } = schema.safeParse(json);
    return data && (data.web?.results ?? []).map(({ url, title, description, extra_snippets, page_age }) => ({
      url,
      title,
      text: [description ?? "", ...extra_snippets ?? []].filter(Boolean).join("\n\n"),
      published: page_age ?? undefined,
    }));
  },
};
