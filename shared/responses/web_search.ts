/**
 * Search settings that the hosted tool, the server tool and the `web` plugin share (specification, Tools, §3.6).
 */

import * as z from "zod";
import { parseDomainRule } from "../fields/domain_rules.ts";
import { searchEngineChoices } from "../search_engines.ts";

const text = z.string().nullish();
/** UTF-16 units. */
export const searchPrompt = z.string().max(20_000).nullish();

const domain = z.string().refine(
  (text) => parseDomainRule(text) !== undefined,
  "is no domain: allowed are example.com, *.example.com and either with a path, such as example.com/docs",
);

/** Domains with all below them; `*.` in front for those below only. */
export const domains = z.array(domain).nullish();

export const userLocation = z.looseObject({
  type: z.literal("approximate").nullish(),
  city: text,
  country: text,
  region: text,
  timezone: text,
});

const handles = z.array(z.string()).max(20).nullish();

export const xSearch = z.looseObject({
  allowed_x_handles: handles,
  excluded_x_handles: handles,
  from_date: text,
  to_date: text,
  enable_image_understanding: z.boolean().nullish(),
  enable_video_understanding: z.boolean().nullish(),
}).check(({ value, issues }) => {
  const { allowed_x_handles: allowed, excluded_x_handles: excluded } = value;
  if (allowed === null || allowed === undefined || excluded === null || excluded === undefined) return;
  const message = "stands beside allowed_x_handles; only one of the two may be given";
  issues.push({ code: "custom", input: excluded, path: ["excluded_x_handles"], message });
});

/** Depths of the engines that have them: the first six are Exa's, the others Parallel's. */
export const searchMode = z.enum([
  "instant",
  "fast",
  "auto",
  "deep-lite",
  "deep",
  "deep-reasoning",
  "turbo",
  "basic",
  "advanced",
]);

/** Any word: those that this gateway has switched on are known with the request only (server/pipeline/tools/web/web_search.ts). */
export const namedEngine = z.string().nullish();

/** Engine of the `web` plugin; `auto` is what none says. */
export const searchEngine = z.enum(searchEngineChoices);

/** Settings of `service:web_search`; `max_results` is 5 unless given. */
export const webSearchParameters = {
  engine: namedEngine,
  mode: searchMode.nullish(),
  max_results: z.int().min(1).max(25).nullish(),
  max_total_results: z.int().min(1).nullish(),
  max_uses: z.int().min(1).nullish(),
  max_characters: z.int().min(1).max(100_000).nullish(),
  search_context_size: z.enum(["low", "medium", "high"]).nullish(),
  search_prompt: searchPrompt,
  allowed_domains: domains,
  excluded_domains: domains,
  user_location: userLocation.nullish(),
  x_search: xSearch.nullish(),
};
