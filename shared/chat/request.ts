/**
 * The body of POST /chat/completions (specification, Chat completions, embeddings, messages, misc inference).
 * Nothing here transforms. Null means absent, because real clients write out the fields that they do not use.
 */

import * as z from "zod";
import { gatewayFields } from "../fields/gateway_fields.ts";
import { promptCacheOptions } from "../fields/cache_control.ts";
import { jsonObject, nonEmptyString, reasoningEffort, unsupportedField } from "../fields/primitives.ts";
import { metadata, reasoningConfig } from "../responses/request.ts";
import { chatMessage } from "./messages.ts";
import { chatTool, chatToolChoice } from "./tools.ts";

const flag = z.boolean().nullish();

const responseFormat = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({
    type: z.literal("json_schema"),
    json_schema: z.looseObject({
      name: z.string().nullish(),
      description: z.string().nullish(),
      schema: jsonObject.nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
]);
/** `exclude` keeps the thoughts out of the answer. */
const reasoning = reasoningConfig.extend({ exclude: flag });
export const chatRequest = z.looseObject({
  model: nonEmptyString.nullish(),
  messages: z.array(chatMessage).min(1),
  stream: flag,
  stream_options: z.looseObject({ include_usage: flag }).nullish(),
  n: z.literal(1, { error: "must be 1: one answer is given to a request" }).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().nullish(),
  top_a: z.number().min(0).max(1).nullish(),
  min_p: z.number().min(0).max(1).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  repetition_penalty: z.number().min(0).max(2).nullish(),
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  logit_bias: z.object({}).catchall(z.number().min(-100).max(100)).nullish(),
  logprobs: flag,
  top_logprobs: z.int().min(0).max(20).nullish(),
  response_format: responseFormat.nullish(),
  tools: z.array(chatTool).nullish(),
  tool_choice: chatToolChoice.nullish(),
  parallel_tool_calls: flag,
  functions: unsupportedField("is not supported any more; send tools"),
  function_call: unsupportedField("is not supported any more; send tool_choice"),
  reasoning: reasoning.nullish(),
  reasoning_effort: reasoningEffort.nullish(),
  include_reasoning: flag,
  verbosity: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
  modalities: z.array(z.enum(["text", "image"])).nullish(),
  metadata: metadata.nullish(),
  service_tier: z.enum(["auto", "default", "fast", "flex", "priority", "scale"]).nullish(),
  prompt_cache_options: promptCacheOptions.nullish(),
  ...gatewayFields,
});
export type ChatRequest = z.infer<typeof chatRequest>;
