/** Rules of search engines, by their published references: everything else is refused, as they refuse it. */

import * as z from "zod";
import type { SearchEngineId } from "../../shared/search_engines.ts";

const domain = z.string().max(253).regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/);
const domains = z.array(domain).min(1);
const country = z.string().regex(/^[A-Z]{2}$/);
const query = z.string().min(1).refine((text) => text.isWellFormed() && text.trim() === text);
const braveCountry = z.enum(
  ("ALL AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW " +
    "TR GB US").split(" "),
);
/** Bytes of a request's head that a server in front of SearXNG reads, less what its client sends besides. */
const HEAD_BYTES = 8_192 - 500;
const digits = (max: number) =>
  z.string().regex(/^\d+$/).refine((text) => Number(text) >= 1 && Number(text) <= max);

export interface EngineRules {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The header that carries the key, and what stands before the key in it. */
  readonly key?: readonly [header: string, prefix: string];
  /** Schema of the JSON body, or of the query. */
  readonly schema: z.ZodType;
  readonly refusal: number;
}

const oneList = (body: { readonly include?: unknown; readonly exclude?: unknown }) =>
  body.include === undefined || body.exclude === undefined;

export const searchRules: Readonly<Record<SearchEngineId, EngineRules>> = {
  searxng: {
    method: "GET",
    path: "/search",
    schema: z.strictObject({
      q: query.refine((text) => new URLSearchParams({ q: text }).toString().length < HEAD_BYTES),
      format: z.literal("json"),
    }),
    refusal: 400,
  },
  exa: {
    method: "POST",
    path: "/search",
    key: ["x-api-key", ""],
    schema: z.strictObject({
      query,
      type: z.enum(["instant", "fast", "auto", "deep-lite", "deep", "deep-reasoning"]),
      numResults: z.int().min(1).max(100),
      includeDomains: domains.max(1_200).optional(),
      excludeDomains: domains.max(1_200).optional(),
      userLocation: country.optional(),
      contents: z.strictObject({
        highlights: z.union([z.literal(true), z.strictObject({ maxCharacters: z.int().min(1) })]),
      }),
    }).refine((body) => oneList({ include: body.includeDomains, exclude: body.excludeDomains })),
    refusal: 400,
  },
  brave: {
    method: "GET",
    path: "/web/search",
    key: ["x-subscription-token", ""],
    schema: z.strictObject({
      q: query.max(400).refine((text) => text.split(/\s+/).length <= 50),
      count: digits(20),
      result_filter: z.literal("web"),
      text_decorations: z.enum(["true", "false"]),
      extra_snippets: z.enum(["true", "false"]),
      country: braveCountry.optional(),
    }),
    refusal: 422,
  },
  tavily: {
    method: "POST",
    path: "/search",
    key: ["authorization", "Bearer "],
    schema: z.strictObject({
      query: query.max(400),
      max_results: z.int().min(0).max(20),
      search_depth: z.enum(["basic", "advanced"]),
      include_domains: domains.max(300).optional(),
      exclude_domains: domains.max(150).optional(),
    }),
    refusal: 400,
  },
  perplexity: {
    method: "POST",
    path: "/search",
    key: ["authorization", "Bearer "],
    schema: z.strictObject({
      query,
      max_results: z.int().min(1).max(20),
      search_domain_filter: z.array(z.string().regex(/^-?[a-z0-9.-]+$/)).min(1).max(20)
        .refine((list) => new Set(list.map((name) => name.startsWith("-"))).size === 1).optional(),
      country: country.optional(),
    }),
    refusal: 422,
  },
  parallel: {
    method: "POST",
    path: "/v1/search",
    key: ["x-api-key", ""],
    schema: z.strictObject({
      search_queries: z.array(query.max(200)).min(1).max(5),
      objective: query.max(5_000).optional(),
      mode: z.enum(["turbo", "basic", "advanced"]),
      advanced_settings: z.strictObject({
        max_results: z.int().min(1),
        location: z.string().regex(/^[a-z]{2}$/).optional(),
        excerpt_settings: z.strictObject({ max_chars_per_result: z.int().min(1) }),
        source_policy: z.strictObject({
          include_domains: domains.optional(),
          exclude_domains: domains.optional(),
        }).refine(({ include_domains = [], exclude_domains = [] }) =>
          include_domains.length + exclude_domains.length <= 200
        ).optional(),
      }),
    }),
    refusal: 422,
  },
  firecrawl: {
    method: "POST",
    path: "/v2/search",
    key: ["authorization", "Bearer "],
    schema: z.strictObject({
      query: query.max(500),
      limit: z.int().min(1).max(100),
      sources: z.array(z.strictObject({ type: z.enum(["web", "news", "images"]) })).min(1),
      country: country.optional(),
      includeDomains: domains.optional(),
      excludeDomains: domains.optional(),
    }).refine((body) => oneList({ include: body.includeDomains, exclude: body.excludeDomains })),
    refusal: 400,
  },
};
