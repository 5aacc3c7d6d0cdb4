/** The body of POST /embeddings (specification, Chat completions, embeddings, messages, misc inference). */

import * as z from "zod";
import { boundedText, nonEmptyString } from "../fields/primitives.ts";
import { providerPreferences, trace } from "../fields/gateway_preferences.ts";

/** Texts of one request, at most: as many as the largest provider takes. */
export const MAX_TEXTS = 2_048;

/** Tokens of one request, at most: as many as OpenAI takes. */
export const MAX_INPUT_TOKENS = 300_000;

/** The last token of cl100k_base. */
export const LAST_TOKEN = 100_255;

const textPart = z.looseObject({
  type: z.literal("text", { error: "must be text: nothing else can be embedded" }),
  text: nonEmptyString,
});
const parts = z.looseObject({ content: z.array(textPart).min(1) });

const tokens = z.array(z.int().min(0).max(LAST_TOKEN)).min(1).max(MAX_INPUT_TOKENS);
export type TokenList = z.infer<typeof tokens>;

const entry = z.union([nonEmptyString, parts, tokens]);
const texts = z.array(entry).min(1).max(MAX_TEXTS);
type Texts = z.infer<typeof texts>;

const countTokens = (input: string | TokenList | Texts): number =>
  typeof input === "string"
    ? 0
    : input.reduce<number>((sum, one) => sum + (Array.isArray(one) ? one.length : 0), 0);

export const embeddingsRequest = z.looseObject({
  model: nonEmptyString.nullish(),
  models: z.array(nonEmptyString).nullish(),
  /** A text or several; a text may be a list of its tokens, in the encoding of OpenAI's models of embeddings. */
  input: z.union([nonEmptyString, tokens, texts]).refine((input) => countTokens(input) <= MAX_INPUT_TOKENS, {
    error: `has more than ${MAX_INPUT_TOKENS} tokens`,
  }),
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
