/**
 * The answer of POST /chat/completions, whole and in chunks, as it is documented: what a provider of this wire says
 * besides goes through.
 */

import * as z from "zod";

const count = z.int().min(0);
const text = z.string().nullish();

const toolCall = z.looseObject({
  id: z.string().optional(),
  /** Place among the calls; in chunks only. */
  index: count.optional(),
  type: z.string().optional(),
  function: z.looseObject({ name: text, arguments: z.string().optional() }).optional(),
});

const message = z.looseObject({
  content: text,
  refusal: text,
  /** The model's thoughts, where it tells them. */
  reasoning: text,
  reasoning_details: z.array(z.looseObject({ type: z.string() })).optional(),
  tool_calls: z.array(toolCall).optional(),
  annotations: z.array(z.looseObject({ type: z.string() })).optional(),
  images: z.array(z.looseObject({})).optional(),
});

const usage = z.looseObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.looseObject({ cached_tokens: count, cache_write_tokens: count }),
  completion_tokens_details: z.looseObject({ reasoning_tokens: count }),
  /** USD, as the receipt has it. */
  cost: z.number().nullish(),
  is_byok: z.boolean().optional(),
});

const ofAnswer = { id: z.string(), created: z.int(), model: z.string(), usage: usage.nullish() } as const;

export const chatResult = z.looseObject({
  ...ofAnswer,
  object: z.literal("chat.completion"),
  choices: z.array(z.looseObject({
    index: z.literal(0),
    message: message.extend({ role: z.literal("assistant") }),
    logprobs: z.looseObject({}).nullable(),
    finish_reason: z.string().nullable(),
  })),
});

export const chatChunk = z.looseObject({
  ...ofAnswer,
  object: z.literal("chat.completion.chunk"),
  choices: z.array(z.looseObject({
    index: z.literal(0),
    delta: message.extend({ role: z.string().optional() }),
    finish_reason: z.string().nullable(),
  })),
});
