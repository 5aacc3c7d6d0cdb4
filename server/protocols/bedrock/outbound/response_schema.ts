/** Schemas of the answers of Converse and ConverseStream, as far as we read them. */

import * as z from "zod";

const text = z.string().nullish();
const count = z.number().nullish().catch(undefined);

export const usageSchema = z.looseObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** Not counted in `inputTokens`. */
  cacheReadInputTokens: count,
  cacheWriteInputTokens: count,
  /** Tokens written to the cache, by how long it is kept (`5m`, `1h`). */
  cacheDetails: z.array(z.object({ ttl: text, inputTokens: count })).nullish().catch(undefined),
});

const toolUse = z.object({ toolUseId: text, name: text });
const tier = z.object({ type: z.string() }).nullish().catch(undefined);

const reasoningDelta = z.object({ text, signature: text, redactedContent: text });

const delta = z.object({
  text,
  toolUse: z.object({ input: text }).nullish(),
  reasoningContent: reasoningDelta.nullish(),
});
export type BlockDelta = z.infer<typeof delta>;

/** By the name of the event. Others are not for us. */
export const eventSchemas = {
  messageStart: z.object({ role: text }),
  contentBlockStart: z.object({ start: z.object({ toolUse: toolUse.nullish() }).nullish() }),
  contentBlockDelta: z.object({ delta }),
  contentBlockStop: z.object({}),
  messageStop: z.object({ stopReason: text }),
  metadata: z.object({ usage: usageSchema.nullish().catch(undefined), serviceTier: tier }),
} as const;

const block = z.object({
  text,
  toolUse: toolUse.extend({ input: z.unknown() }).nullish(),
  reasoningContent: z.object({
    reasoningText: z.object({ text, signature: text }).nullish(),
    redactedContent: text,
  }).nullish(),
  /** Text that quotes documents. */
  citationsContent: z.object({ content: z.array(z.object({ text })).nullish() }).nullish(),
});
export type ResponseBlock = z.infer<typeof block>;

export const responseSchema = z.object({
  output: z.object({ message: z.object({ content: z.array(block) }) }),
  stopReason: text,
  usage: usageSchema.nullish().catch(undefined),
  serviceTier: tier,
});
