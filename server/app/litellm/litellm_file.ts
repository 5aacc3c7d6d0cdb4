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
    api_key: z.string().nullish(),
    api_base: z.string().nullish(),
    stream_timeout: z.number().nullish(),
    ...prices,
  }),
  model_info: z.looseObject({
    max_input_tokens: z.number().nullish(),
    max_output_tokens: z.number().nullish(),
    ...prices,
  }).nullish(),
});
export type LitellmRow = z.output<typeof rowSchema>;

const fallbackList = z.array(z.record(z.string(), z.unknown())).nullish();

const fileSchema = z.looseObject({
  model_list: z.array(rowSchema).nullish(),
  litellm_settings: z.looseObject({
    num_retries: z.number().nullish(),
    request_timeout: z.number().nullish(),
    fallbacks: fallbackList,
  }).nullish(),
  router_settings: z.looseObject({
    model_group_alias: z.record(z.string(), z.unknown()).nullish(),
    num_retries: z.number().nullish(),
    timeout: z.number().nullish(),
    fallbacks: fallbackList,
  }).nullish(),
  general_settings: z.looseObject({}).nullish(),
});
export type LitellmFile = z.output<typeof fileSchema>;

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
