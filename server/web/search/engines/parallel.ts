/** Parallel: https://docs.parallel.ai/api-reference/search/search */

import * as z from "zod";
import { cutWords } from "../../../../shared/util/text.ts";
import { jsonPost, known, listed, readableResults, type SearchEngine } from "../engine.ts";

const schema = z.object({
  results: readableResults(z.object({
    url: z.string(),
    title: z.string().nullish(),
    publish_date: z.string().nullish(),
    excerpts: z.array(z.string()),
  })),
});

/** `fast` is the word of an earlier version of its API. */
const modes = new Map([["fast", "basic"]]);
const ownModes = ["turbo", "basic", "advanced"] as const;
/** A longer query is an objective besides. */
const MAX_QUERY = 200;
const DEFAULT_CHARACTERS = 1_500;

export const parallel: SearchEngine = {
  name: "Parallel",
  baseUrl: "https://api.parallel.ai",
  maxResults: 25,
  limits: {
    queryCharacters: 5_000,
    domains: "fields",
    // Both together; one of the lists is empty.
    allowedDomains: 200,
    excludedDomains: 200,
  },
  price: {
    search: "0.005",
    modes: new Map([["turbo", "0.001"]]),
    furtherResult: "0.001",
    source: "https://docs.parallel.ai/getting-started/pricing",
    date: "2026-11-10",
  },
  renderRequest: (input, { baseUrl, key }) => {
    const include_domains = listed(input.allowedDomains);
    const exclude_domains = listed(input.excludedDomains);
    const filtered = include_domains !== undefined || exclude_domains !== undefined;
    return jsonPost({
      url: `${baseUrl}/v1/search`,
      headers: { "x-api-key": key },
      body: {
        search_queries: [cutWords(input.query, MAX_QUERY)],
        objective: input.query.length > MAX_QUERY ? input.query : undefined,
        mode: known(ownModes, modes.get(input.mode ?? "") ?? input.mode) ?? "basic",
        advanced_settings: {
          max_results: input.maxResults,
          excerpt_settings: { max_chars_per_result: input.maxCharacters ?? DEFAULT_CHARACTERS },
          ...(input.country === undefined ? {} : { location: input.country.toLowerCase() }),
          ...(filtered ? { source_policy: include_domains ? { include_domains } : { exclude_domains } } : {}),
        },
      },
    });
  },
  parseHits: (json) =>
    schema.safeParse(json).data?.results.map(({ url, title, publish_date, excerpts }) => ({
      url,
      title: title ?? "",
      text: excerpts.join("\n\n"),
      published: publish_date ?? undefined,
    })),
};
