/** The body of POST /embeddings (specification, Chat completions, embeddings, messages, misc inference). */

import * as z from "zod";
import { boundedText, nonEmptyString } from "../fields/primitives.ts";
import { providerPreferences, trace } from "../fields/gateway_preferences.ts";

/** Texts of one request, at most: as many as the largest provider takes. */
export const MAX_TEXTS = 2_048;

const textPart = z.looseObject({
  type: z.literal("text", { error: "must be text: nothing else can be embedded" }),
  text: nonEmptyString,
});
const parts = z.looseObject({ content: z.array(textPart).min(1) });

/** Tokens of one model say nothing to another, and no guardrail reads them. */
const tokens = "holds tokens; send texts, which every model and every guardrail reads";

const entry = z.union([nonEmptyString, parts], {
  error: ({ input }) => typeof input === "number" || Array.isArray(input) ? tokens : undefined,
});

export const embeddingsRequest = z.looseObject({
  model: nonEmptyString,
  models: z.array(nonEmptyString).nullish(),
  input: z.union([nonEmptyString, z.array(entry).min(1).max(MAX_TEXTS)]),
  /** Length of the vectors, where the model can shorten them. */
  dimensions: z.int().min(1).nullish(),
  /** `base64`: little-endian 32-bit floats. */
  encoding_format: z.enum(["float", "base64"]).nullish(),
  /** Purpose of the texts: `search_query`, `search_document` and the like, in the words of the provider. */
  input_type: boundedText(64).nullish(),
  provider: providerPreferences.nullish(),
  user: boundedText(256).nullish(),
  session_id: boundedText(256).nullish(),
  trace: trace.nullish(),
});
export type EmbeddingsRequest = z.infer<typeof embeddingsRequest>;
