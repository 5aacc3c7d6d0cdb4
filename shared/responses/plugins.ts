/** Plugins of a request (specification, Plugin objects; specification, Plugins). */

import * as z from "zod";
import { countCodePoints } from "../validation/validate.ts";
import { nonEmptyString } from "../fields/primitives.ts";
import { analysisModels, fusionTools } from "./service_tools.ts";
import { searchEngine, searchMode, userLocation, xSearch } from "./web_search.ts";

/** False switches the plugin off for this request; default true. */
const enabled = z.boolean().nullish();
const text = z.string().nullish();
const strings = z.array(z.string()).nullish();
const count = z.int().min(1).nullish();

const PATTERNS = 1024;
const PATTERN_LENGTH = 1024;
const PATTERNS_LENGTH = 65_536;

/** Model patterns (`vendor/*`) under the limits of specification, Limits. */
const patterns = z.array(z.string()).check((payload) => {
  const complaint = judgePatterns(payload.value);
  if (complaint === undefined) return;
  payload.issues.push({ code: "custom", input: payload.value, ...complaint });
}).nullish();

interface Complaint {
  readonly message: string;
  readonly path?: PropertyKey[];
}

function judgePatterns(list: readonly string[]): Complaint | undefined {
  if (list.length > PATTERNS) {
    return { message: `has ${list.length} patterns; at most ${PATTERNS} are allowed` };
  }
  let total = 0;
  for (const [index, pattern] of list.entries()) {
    const length = countCodePoints(pattern);
    total += length;
    if (length <= PATTERN_LENGTH) continue;
    const message = `is ${length} characters long; at most ${PATTERN_LENGTH} are allowed`;
    return { message, path: [index] };
  }
  if (total <= PATTERNS_LENGTH) return undefined;
  return { message: `has ${total} characters in total; at most ${PATTERNS_LENGTH} are allowed` };
}

const routerFields = {
  enabled,
  allowed_models: patterns,
  excluded_models: patterns,
  cost_tier: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
  cost_quality_tradeoff: z.int().min(0).max(10).nullish(),
};

const web = z.looseObject({
  id: z.literal("web"),
  enabled,
  engine: searchEngine.nullish(),
  max_results: count,
  include_domains: strings,
  exclude_domains: strings,
  mode: searchMode.nullish(),
  search_prompt: text,
  max_uses: count,
  user_location: userLocation.nullish(),
  x_search: xSearch.nullish(),
});

const webFetch = z.looseObject({
  id: z.literal("web-fetch"),
  enabled,
  allowed_domains: strings,
  blocked_domains: strings,
  max_content_tokens: count,
  max_uses: count,
});

/** `pdf-text` is the older name of `cloudflare-ai`. */
const pdf = z.looseObject({
  engine: z.enum(["mistral-ocr", "native", "cloudflare-ai", "pdf-text"]).nullish(),
});

/** `max_price` is USD per million input tokens and takes precedence over `min_coding_score`. */
const paretoRouter = z.looseObject({
  id: z.literal("pareto-router"),
  enabled,
  max_price: z.number().min(0).nullish(),
  min_coding_score: z.number().min(0).max(1).nullish(),
  price_source: z.enum(["prompt", "weighted_avg"]).nullish(),
});

const fusion = z.looseObject({
  id: z.literal("fusion"),
  enabled,
  analysis_models: analysisModels,
  model: nonEmptyString.nullish(),
  preset: z.enum(["general-high", "general-budget", "general-fast"]).nullish(),
  max_tool_calls: z.int().min(1).max(16).nullish(),
  tools: fusionTools,
});

export const plugin = z.discriminatedUnion("id", [
  z.looseObject({ id: z.literal("auto-router"), ...routerFields, pin_model: z.boolean().nullish() }),
  z.looseObject({ id: z.literal("auto-beta-router"), ...routerFields }),
  z.looseObject({ id: z.literal("moderation") }),
  web,
  webFetch,
  z.looseObject({ id: z.literal("file-parser"), enabled, pdf: pdf.nullish() }),
  z.looseObject({ id: z.literal("response-healing"), enabled }),
  z.looseObject({ id: z.literal("context-compression"), enabled, engine: z.enum(["middle-out"]).nullish() }),
  paretoRouter,
  fusion,
  z.looseObject({
    id: z.literal("switchyard-router"),
    algorithm: z.enum(["capability", "stage", "auto", "random", "composite", "passthrough"]).nullish(),
  }),
]);
export type Plugin = z.infer<typeof plugin>;
