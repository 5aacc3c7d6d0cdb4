/** The answer of POST /messages, whole and as events, and that of POST /messages/count_tokens, as documented. */

import * as z from "zod";

const count = z.int().min(0);

const usage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  /** USD, as the receipt has it. */
  cost: z.number().nullish(),
});

export const messageResult = z.looseObject({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  usage,
});

export const messageEvent = z.looseObject({
  type: z.enum([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
    "error",
  ]),
});

export const tokenCount = z.object({ input_tokens: count });
