/** The `config.yaml` of a LiteLLM proxy, as far as this version knows it. What it does not know is kept by name. */

import { parseDocument } from "yaml";
import * as z from "zod";
import { ConfigError } from "../../config/config_error.ts";

const price = z.union([z.number(), z.string()]).nullish();

/** Prices stand in either of two places. */
const prices = {
  input_cost_per_token: price,
  output_cost_per_token: price,
  cache_read_input_token_cost: price,
  cache_creation_input_token_cost: price,
} as const;

const rowSchema = z.looseObject({
  model_name: z.string().min(1),
  litellm_params: z.looseObject({
    model: z.string().min(1),
    custom_llm_provider: z.string().min(1).nullish(),
    api_key: z.string().nullish(),
    api_base: z.string().nullish(),
    stream_timeout: z.number().nullish().catch(undefined),
    order: z.number().nullish().catch(undefined),
    ...prices,
  }),
  model_info: z.looseObject({
    mode: z.string().nullish(),
    max_input_tokens: z.number().nullish().catch(undefined),
    max_output_tokens: z.number().nullish().catch(undefined),
    access_groups: z.array(z.string()).nullish().catch(undefined),
    ...prices,
  }).nullish(),
});
export type LitellmRow = z.output<typeof rowSchema>;

/** One name, or a name with parameters of its call. */
const fallbackModel = z.union([
  z.string(),
  z.looseObject({ model: z.string() }).transform(({ model }) => model),
]);

const fallbackModels = z.union([
  z.array(fallbackModel),
  fallbackModel.transform((name) => [name]),
]);

/** Name of a model → those that are asked when it fails; `*` stands for all that have none of their own. */
const fallbackList = z.array(z.record(z.string(), fallbackModels)).nullish();

/** Lists of fallbacks, which stand in either of two sections. */
const fallbackShape = {
  fallbacks: fallbackList,
  context_window_fallbacks: fallbackList,
  content_policy_fallbacks: fallbackList,
  default_fallbacks: fallbackModels.nullish(),
} as const;

const seconds = z.number().nullish();

const fileSchema = z.looseObject({
  model_list: z.array(rowSchema).nullish(),
  litellm_settings: z.looseObject({
    num_retries: z.number().nullish(),
    request_timeout: seconds,
    ...fallbackShape,
  }).nullish(),
  router_settings: z.looseObject({
    model_group_alias: z.record(z.string(), fallbackModel).nullish(),
    num_retries: z.number().nullish(),
    routing_strategy: z.string().nullish(),
    timeout: seconds,
    stream_timeout: seconds,
    ...fallbackShape,
  }).nullish(),
  general_settings: z.looseObject({}).nullish(),
});
export type LitellmFile = z.output<typeof fileSchema>;

/** A section that has lists of fallbacks. */
export type FallbackSection = NonNullable<LitellmFile["litellm_settings" | "router_settings"]>;

/** Anchors that repeat more than this make a small file a large one. */
const MOST_ALIASES = 100;

/** Throws a ConfigError that names the line, or the place and what is allowed there. */
export function parseLitellmFile(path: string, text: string): LitellmFile {
  const document = parseDocument(text, { customTags: [], logLevel: "silent" });
  const [fault] = document.errors;
  if (fault !== undefined) throw new ConfigError(`${path}: ${fault.message.split("\n", 1)[0]}`);
  const { data, error } = fileSchema.safeParse(toValue(path, document));
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new ConfigError(
    `${path}: ${issue?.path.join(".") || "the file"}: ${issue?.message ?? "it does not fit"}`,
  );
}

function toValue(path: string, document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES }) ?? {};
  } catch (cause) {
    throw new ConfigError(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
