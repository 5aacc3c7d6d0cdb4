/** What an answer used (wire-reference §3.8.1). Token counts are whole numbers, money is USD. */

import * as z from "zod";

const count = z.int().min(0);
const money = z.number().nullish();

export const responseUsage = z.looseObject({
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
export type ResponseUsage = z.infer<typeof responseUsage>;
