/** The answer of POST /embeddings. */

import * as z from "zod";

const count = z.int().min(0);

export const embeddingsResult = z.looseObject({
  object: z.literal("list"),
  id: z.string(),
  model: z.string(),
  data: z.array(z.looseObject({
    object: z.literal("embedding"),
    index: count,
    embedding: z.union([z.array(z.number()), z.string()]),
  })),
  usage: z.looseObject({
    prompt_tokens: count,
    total_tokens: count,
    /** USD, as the receipt has it. */
    cost: z.number().nullish(),
    is_byok: z.boolean().optional(),
  }),
});
