/** Models, endpoints and providers as everyone with a key reads them (specification, Models, endpoints, providers). */

import * as z from "zod";
import { parameterNames } from "../models.ts";

const text = z.string().nullable();
const count = z.int().nullable();

/** USD per unit as decimal texts; `unpriced` where nobody has stated a price. */
const pricing = z.looseObject({
  prompt: z.string(),
  completion: z.string(),
  unpriced: z.literal(true).optional(),
});

const architecture = z.looseObject({
  modality: z.string(),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  tokenizer: z.string(),
  instruct_type: text,
});

const parameters = z.array(z.enum(parameterNames).or(z.string()));

export const modelResult = z.looseObject({
  id: z.string(),
  object: z.literal("model"),
  owned_by: z.string(),
  name: z.string(),
  /** Unix seconds; 0 where nobody knows. */
  created: z.int(),
  description: z.string(),
  context_length: count,
  architecture,
  /** Price list of its first endpoint. */
  pricing,
  top_provider: z.looseObject({
    context_length: count,
    max_completion_tokens: count,
    is_moderated: z.boolean(),
  }),
  supported_parameters: parameters,
  supported_voices: z.array(z.string()).nullable(),
});

/** The list; clients of Anthropic get its own form of a page. */
export const modelList = z.looseObject({
  data: z.array(modelResult),
  links: z.object({ next: text }).optional(),
  total_count: z.int().optional(),
  first_id: text.optional(),
  last_id: text.optional(),
  has_more: z.boolean().optional(),
});

const percentiles = z.object({ p50: z.number(), p75: z.number(), p90: z.number(), p99: z.number() })
  .nullable();

export const endpointResult = z.looseObject({
  name: z.string(),
  model_id: z.string(),
  model_name: z.string(),
  provider_name: z.string(),
  tag: z.string(),
  context_length: z.int(),
  max_completion_tokens: count,
  quantization: text,
  pricing,
  supported_parameters: parameters,
  /** Shares of the requests that did not fail, 0–100; null without any. */
  uptime_last_5m: z.number().nullable(),
  uptime_last_30m: z.number().nullable(),
  uptime_last_1d: z.number().nullable(),
  /** Milliseconds to the first chunk, and output tokens a second. */
  latency_last_30m: percentiles,
  throughput_last_30m: percentiles,
});

export const modelEndpoints = z.looseObject({
  id: z.string(),
  name: z.string(),
  created: z.int(),
  description: z.string(),
  architecture,
  endpoints: z.array(endpointResult),
});

export const providerResult = z.looseObject({
  name: z.string(),
  slug: z.string(),
  privacy_policy_url: text,
  terms_of_service_url: text,
  status_page_url: text,
  headquarters: text,
  datacenters: z.array(z.string()).nullable(),
});
