/**
 * Schemas of the answers of the Messages API, as far as we read them. Keys that are not named here are ignored. One
 * object for all kinds of blocks and one for all kinds of deltas, because a union costs more than the rest of the
 * event. What only tells more (usage, citations, results of the provider's own tools) is judged where it is read.
 */

import * as z from "zod";

const text = z.string().nullish();

/** A block as it opens, or whole in an answer that is not streamed. */
const contentBlockSchema = z.looseObject({
  type: z.string(),
  text,
  thinking: text,
  signature: text,
  data: text,
  id: text,
  name: text,
  tool_use_id: text,
  input: z.unknown().optional(),
  content: z.unknown().optional(),
  citations: z.unknown().optional(),
});
export type ContentBlock = z.infer<typeof contentBlockSchema>;

const blockDelta = z.looseObject({
  type: z.string(),
  text,
  thinking: text,
  signature: text,
  partial_json: text,
  citation: z.unknown().optional(),
});
export type BlockDelta = z.infer<typeof blockDelta>;

const stop = z.looseObject({
  stop_reason: text,
  stop_sequence: text,
  stop_details: z.object({ category: text, explanation: text }).nullish(),
});

/** `message_start` carries the message without its content, an answer that is not streamed all of it. */
const message = stop.extend({ id: text, model: text, usage: z.unknown().optional() });

export const responseSchema = message.extend({ content: z.array(contentBlockSchema) });
export type MessagesResponse = z.infer<typeof responseSchema>;

const index = z.number().nullish();

/** The events of a stream by their type; others are new, and none of ours. */
export const eventSchemas = {
  message_start: z.object({ type: z.literal("message_start"), message }),
  content_block_start: z.object({
    type: z.literal("content_block_start"),
    index,
    content_block: contentBlockSchema,
  }),
  content_block_delta: z.object({ type: z.literal("content_block_delta"), index, delta: blockDelta }),
  content_block_stop: z.object({ type: z.literal("content_block_stop"), index }),
  message_delta: z.looseObject({
    type: z.literal("message_delta"),
    delta: stop.nullish(),
    usage: z.unknown().optional(),
  }),
  message_stop: z.object({ type: z.literal("message_stop") }),
  error: z.object({ type: z.literal("error"), error: z.unknown().optional() }),
} as const;

type Events = { readonly [T in keyof typeof eventSchemas]: z.infer<(typeof eventSchemas)[T]> };
export type MessagesEvent = Events[keyof Events];

const count = z.number().nullish().catch(undefined);

const callCounts = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  cache_creation: z.object({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count }).nullish()
    .catch(undefined),
});
export type CallCounts = z.infer<typeof callCounts>;

export const usageSchema = callCounts.extend({
  output_tokens_details: z.object({ thinking_tokens: count }).nullish().catch(undefined),
  server_tool_use: z.object({ web_search_requests: count }).nullish().catch(undefined),
  /** The model calls that made the answer. */
  iterations: z.array(callCounts.extend({ type: text.catch(undefined) })).nullish().catch(undefined),
  service_tier: text.catch(undefined),
  speed: text.catch(undefined),
});
/** Where a text comes from: a place in a document of the request, or a result of a search. */
export const citationSchema = z.object({
  type: z.string(),
  cited_text: text,
  document_index: z.number().nullish(),
  document_title: text,
  file_id: text,
  url: text,
  title: text,
  source: text,
  start_char_index: z.number().nullish(),
  end_char_index: z.number().nullish(),
  start_page_number: z.number().nullish(),
  end_page_number: z.number().nullish(),
  start_block_index: z.number().nullish(),
  end_block_index: z.number().nullish(),
});
export type MessagesCitation = z.infer<typeof citationSchema>;
