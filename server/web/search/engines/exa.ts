/** Exa: https://docs.exa.ai/reference/search */

import * as z from "zod";
import {
  jsonPost,
  known,
  listed,
  readableResults,
  type SearchEngine,
  UNSTATED_CHARACTERS,
} from "../engine.ts";

const schema = z.object({
  results: readableResults(z.object({
    url: z.string(),
    title: z.string().nullish(),
    publishedDate: z.string().nullish(),
    highlights: z.array(z.string()).nullish(),
    text: z.string().nullish(),
  })),
});

const modes = ["instant", "fast", "auto", "deep-lite", "deep", "deep-reasoning"] as const;

export const exa: SearchEngine = {
  name: "Exa",
  baseUrl: "https://api.exa.ai",
  maxResults: 25,
  limits: {
    queryCharacters: UNSTATED_CHARACTERS,
    domains: "fields",
    allowedDomains: 1_200,
    excludedDomains: 1_200,
  },
  price: {
    search: "0.007",
    modes: new Map([["deep-lite", "0.012"], ["deep", "0.012"], ["deep-reasoning", "0.015"]]),
    furtherResult: "0.001",
    source: "https://exa.ai/docs/reference/pricing",
    date: "2026-11-10",
  },
  renderRequest: (input, { baseUrl, key }) =>
    jsonPost({
      url: `${baseUrl}/search`,
      headers: { "x-api-key": key },
      body: {
        query: input.query,
        type: known(modes, input.mode) ?? "auto",
        numResults: input.maxResults,
        includeDomains: listed(input.allowedDomains),
        excludeDomains: listed(input.excludedDomains),
        userLocation: input.country,
        contents: {
          highlights: input.maxCharacters === undefined ? true : { maxCharacters: input.maxCharacters },
        },
      },
    }),
  parseHits: (json) =>
    schema.safeParse(json).data?.results.map(({ url, title, publishedDate, highlights, text }) => ({
      url,
      title: title ?? "",
      text: highlights?.join("\n\n") || (text ?? ""),
      published: publishedDate ?? undefined,
    })),
};
