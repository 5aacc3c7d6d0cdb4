/**
 * The result object of POST /responses, whole and inside lifecycle events (specification, Response status, error,
 * incomplete_details, §3.8).
 */

import * as z from "zod";
import { jsonObject } from "../fields/primitives.ts";
import { outputItem } from "./output_items.ts";

const responseStatus = z.enum([
  "completed",
  "incomplete",
  "in_progress",
  "failed",
  "cancelled",
  "queued",
]);

/** `error.code` values that clients know (specification, Response status, error, incomplete_details). */
const responseErrorCodes = [
  "server_error",
  "rate_limit_exceeded",
  "invalid_prompt",
  "vector_store_timeout",
  "invalid_image",
  "invalid_image_format",
  "invalid_base64_image",
  "invalid_image_url",
  "image_too_large",
  "image_too_small",
  "image_parse_error",
  "image_content_policy_violation",
  "invalid_image_mode",
  "image_file_too_large",
  "unsupported_image_media_type",
  "empty_image_file",
  "failed_to_download_image",
  "image_file_not_found",
  "bio_policy",
  "cyber_policy",
  "misalignment_policy_violation",
  "data_residency_mismatch",
] as const;

const nullableText = z.string().nullable();

const endpoint = z.looseObject({ model: z.string(), provider: z.string(), selected: z.boolean() });

const stage = z.looseObject({
  type: z.string(),
  name: z.string(),
  guardrail_id: z.string().optional(),
  guardrail_scope: z.string().optional(),
  summary: z.string().optional(),
  cost_usd: z.number().nullish(),
  data: z.looseObject({}).optional(),
});

const routingMetadata = z.looseObject({
  /** The attempt that answered, from 1; 0 when no provider was reached. */
  attempt: z.int().min(0),
  attempts: z.array(z.looseObject({ model: z.string(), provider: z.string(), status: z.int() })).optional(),
  endpoints: z.looseObject({ available: z.array(endpoint), total: z.int().min(0) }),
  /** Milliseconds. */
  generation_time: z.int().optional(),
  is_byok: z.boolean(),
  params: z.looseObject({}).optional(),
  pipeline: z.array(stage),
  region: z.string(),
  requested: z.string(),
  strategy: z.string(),
  summary: z.string(),
});
const count = z.int().min(0);
const money = z.number().nullish();

const responseUsage = z.looseObject({
  input_tokens: count,
  input_tokens_details: z.looseObject({ cached_tokens: count, cache_write_tokens: count.nullish() }),
  output_tokens: count,
  output_tokens_details: z.looseObject({ reasoning_tokens: count }),
  total_tokens: count,
  cost: money,
  cost_details: z.looseObject({
    upstream_inference_cost: money,
    upstream_inference_input_cost: z.number(),
    upstream_inference_output_cost: z.number(),
    server_tool_cost: money,
  }).optional(),
  is_byok: z.boolean().optional(),
  server_tool_use_details: z.looseObject({
    tool_calls_requested: count.nullish(),
    tool_calls_executed: count.nullish(),
    web_search_requests: count.nullish(),
  }).nullish(),
});
/**
 * The superset of fields that every client finds what it needs in (specification, Clients, 1): all of them are
 * there, with defaults instead of null where a strict client refuses null.
 */
export const responseResult = z.looseObject({
  id: z.string().min(1),
  object: z.literal("response"),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: responseStatus,
  model: z.string(),
  output: z.array(outputItem),
  error: z.looseObject({ code: z.enum(responseErrorCodes), message: z.string() }).nullable(),
  error_type: z.string().optional(),
  incomplete_details: z.looseObject({
    reason: z.enum(["max_output_tokens", "content_filter"]).optional(),
  }).nullable(),
  instructions: nullableText,
  metadata: z.object({}).catchall(z.string()).nullable(),
  parallel_tool_calls: z.boolean(),
  temperature: z.number(),
  top_p: z.number(),
  frequency_penalty: z.number(),
  presence_penalty: z.number(),
  top_logprobs: z.int(),
  tool_choice: z.union([z.string(), jsonObject]),
  tools: z.array(z.looseObject({ type: z.string() })),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }) }),
  reasoning: z.looseObject({ effort: nullableText, summary: nullableText }),
  truncation: z.enum(["auto", "disabled"]),
  service_tier: z.string(),
  usage: responseUsage.nullable(),
  background: z.boolean(),
  store: z.literal(false),
  previous_response_id: z.null(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  user: nullableText,
  safety_identifier: nullableText,
  prompt_cache_key: nullableText,
  service_metadata: routingMetadata.optional(),
  /** On what of the request did not reach the model. */
  notes: z.array(z.string()).optional(),
  openrouter_metadata: routingMetadata.optional(),
});
