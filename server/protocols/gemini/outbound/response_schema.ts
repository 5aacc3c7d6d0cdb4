/**
 * Schemas of the answers of generateContent, as far as we read them; a chunk of the stream and a whole answer are the
 * same object. Keys that are not named here are ignored. Fields that only tell more become undefined when they are
 * malformed; where the answer itself is malformed, parsing fails.
 */

import * as z from "zod";
import { jsonObject } from "../../../../shared/fields/primitives.ts";

const optionalText = z.string().nullish().catch(undefined);
const count = z.number().nullish().catch(undefined);

const part = z.object({
  text: z.string().nullish(),
  thought: z.boolean().nullish(),
  thoughtSignature: optionalText,
  functionCall: z.object({
    id: optionalText,
    name: z.string(),
    args: jsonObject.nullish(),
  }).nullish(),
  inlineData: z.object({ mimeType: z.string().nullish(), data: z.string() }).nullish(),
  /** Results of the provider's own tools; they are never asked for. */
  executableCode: z.object({ code: z.string().nullish(), language: optionalText }).nullish().catch(undefined),
  codeExecutionResult: z.object({ output: optionalText }).nullish().catch(undefined),
});
export type ResponsePart = z.infer<typeof part>;

const token = z.object({ token: z.string().nullish(), logProbability: z.number().nullish() });
export type LogprobToken = z.infer<typeof token>;

const logprobs = z.object({
  chosenCandidates: z.array(token).nullish(),
  topCandidates: z.array(z.object({ candidates: z.array(token).nullish() })).nullish(),
});
export type Logprobs = z.infer<typeof logprobs>;

const source = z.object({ uri: optionalText, title: optionalText });

const grounding = z.object({
  webSearchQueries: z.array(z.string()).nullish().catch(undefined),
  groundingChunks: z.array(z.object({
    web: source.nullish(),
    maps: source.nullish(),
    retrievedContext: source.nullish(),
  })).nullish(),
  groundingSupports: z.array(z.object({
    groundingChunkIndices: z.array(z.number()).nullish(),
    /** In bytes of UTF-8; zero is left out. */
    segment: z.object({ startIndex: count, endIndex: count, text: optionalText }).nullish(),
  })).nullish(),
});
export type Grounding = z.infer<typeof grounding>;

const citation = z.object({ startIndex: count, endIndex: count, uri: optionalText, title: optionalText });
export type GeminiCitation = z.infer<typeof citation>;

const candidate = z.object({
  index: count,
  content: z.object({ parts: z.array(part).nullish() }).nullish(),
  finishReason: z.string().nullish(),
  finishMessage: optionalText,
  groundingMetadata: grounding.nullish().catch(undefined),
  citationMetadata: z.object({ citations: z.array(citation).nullish() }).nullish().catch(undefined),
  logprobsResult: logprobs.nullish().catch(undefined),
});
export type GeminiCandidate = z.infer<typeof candidate>;

export const chunkSchema = z.object({
  candidates: z.array(candidate).nullish(),
  promptFeedback: z.object({ blockReason: optionalText }).nullish().catch(undefined),
  usageMetadata: z.unknown().optional(),
  modelVersion: optionalText,
  responseId: optionalText,
  error: z.unknown().optional(),
});
export type GeminiChunk = z.infer<typeof chunkSchema>;

const modalityCount = z.object({ modality: optionalText, tokenCount: count });
export type ModalityCount = z.infer<typeof modalityCount>;
const byModality = z.array(modalityCount).nullish().catch(undefined);

/** Counts are judged in usage.ts. */
export const usageSchema = z.object({
  promptTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
  cachedContentTokenCount: count,
  toolUsePromptTokenCount: count,
  totalTokenCount: count,
  promptTokensDetails: byModality,
  cacheTokensDetails: byModality,
  candidatesTokensDetails: byModality,
  toolUsePromptTokensDetails: byModality,
  serviceTier: optionalText,
  trafficType: optionalText,
});
export type GeminiUsage = z.infer<typeof usageSchema>;
