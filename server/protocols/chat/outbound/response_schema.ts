/**
 * Schemas of the answers of Chat Completions, as far as we read them: OpenAI's own and the common dialects of
 * compatible servers. Keys that are not named here are ignored. Fields that only tell more (ids, usage, citations)
 * become undefined when they are malformed; where the answer itself is malformed, parsing fails.
 */

import * as z from "zod";
import { jsonObject } from "../../../../shared/fields/primitives.ts";

const optionalText = z.string().nullish().catch(undefined);

const tokenLogprob = z.object({
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.number()).nullish(),
});

const logprobSchema = tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob).nullish() });
export type ChatLogprob = z.infer<typeof logprobSchema>;

const logprobs = z.object({
  content: z.array(logprobSchema).nullish().catch(undefined),
  refusal: z.array(logprobSchema).nullish().catch(undefined),
}).nullish().catch(undefined);

/** Some servers leave out the index or the id, split the name, or give the arguments as an object. */
const callDelta = z.object({
  index: z.number().nullish().catch(undefined),
  id: optionalText,
  function: z.object({
    name: z.string().nullish(),
    arguments: z.union([z.string(), jsonObject]).nullish(),
  }).nullish(),
  /** Google's place for what only Google can read. */
  extra_content: z.unknown().optional(),
});
export type CallDelta = z.infer<typeof callDelta>;

/**
 * OpenRouter's form of reasoning, which other gateways took over (specification, Chat completions, embeddings,
 * messages, misc inference).
 */
const reasoningDetail = z.object({
  type: z.string(),
  text: optionalText,
  summary: optionalText,
  data: optionalText,
  signature: optionalText,
  format: optionalText,
  id: optionalText,
  index: z.number().nullish().catch(undefined),
});
export type ReasoningDetail = z.infer<typeof reasoningDetail>;

/** Mistral's reasoning models answer in parts: `{type: "thinking", thinking: [{text}]}` and `{type: "text"}`. */
const contentPart = z.object({
  type: z.string(),
  text: z.string().nullish(),
  thinking: z.union([z.string(), z.array(z.object({ text: z.string().nullish() }))]).nullish(),
});
export type ChatContentPart = z.infer<typeof contentPart>;

const annotation = z.object({
  type: z.literal("url_citation"),
  url_citation: z.object({
    url: z.string(),
    title: optionalText,
    start_index: z.number().nullish().catch(undefined),
    end_index: z.number().nullish().catch(undefined),
    content: optionalText,
  }),
});
export type ChatAnnotation = z.infer<typeof annotation>;

/** The pages that Perplexity's models have read. */
const searchResult = z.object({ url: z.string(), title: optionalText, snippet: optionalText });

/** A page as the citation that the other dialects would have made of it; which words it is for is not told. */
export function searchResultCitation(result: z.infer<typeof searchResult> | null): readonly ChatAnnotation[] {
  if (result === null) return [];
  const { url, title, snippet } = result;
  return [{ type: "url_citation", url_citation: { url, title, content: snippet } }];
}

const image = z.object({ image_url: z.object({ url: z.string() }) });

/** A chunk of the answer, or with `message` in its place the whole of it: both have the same fields. */
const delta = z.object({
  content: z.union([z.string(), z.array(contentPart)]).nullish(),
  refusal: z.string().nullish(),
  reasoning: optionalText,
  reasoning_content: optionalText,
  reasoning_details: z.array(reasoningDetail).nullish().catch(undefined),
  tool_calls: z.array(callDelta).nullish(),
  /** Older form of `tool_calls`; a few servers still send it. */
  function_call: callDelta.shape.function,
  annotations: z.array(annotation.nullable().catch(null)).nullish().catch(undefined),
  images: z.array(image.nullable().catch(null)).nullish().catch(undefined),
});
export type ChatDelta = z.infer<typeof delta>;

const choice = z.object({
  index: z.number().nullish().catch(undefined),
  delta: delta.nullish(),
  finish_reason: z.string().nullish(),
  logprobs,
  /** Moonshot puts the usage here. */
  usage: z.unknown().optional(),
});
export type ChatChoice = z.infer<typeof choice>;

export const chunkSchema = z.object({
  id: optionalText,
  model: optionalText,
  choices: z.array(choice).nullish(),
  usage: z.unknown().optional(),
  /** Groq puts the usage here. */
  x_groq: z.object({ usage: z.unknown().optional() }).nullish().catch(undefined),
  service_tier: optionalText,
  search_results: z.array(searchResult.nullable().catch(null)).nullish().catch(undefined),
  error: z.unknown().optional(),
  /** vLLM's errors were once an object by themselves: `{object: "error", message, type, code}`. */
  object: optionalText,
  message: optionalText,
  type: optionalText,
  code: z.unknown().optional(),
});
export type ChatCompletionChunk = z.infer<typeof chunkSchema>;

/** A whole answer: a chunk whose choices say `message` instead of `delta`. */
export const responseSchema = chunkSchema.extend({
  choices: z.array(choice.extend({ message: delta.nullish() })).nullish(),
});
export type ChatCompletion = z.infer<typeof responseSchema>;

/** Keys that are read here or made anew for the client, by where they stand. All others are newer than we are. */
export const knownKeys = {
  message: new Set([...Object.keys(delta.shape), "role", "obfuscation"]),
  choice: new Set([...Object.keys(responseSchema.shape.choices.unwrap().unwrap().element.shape)]),
  answer: new Set([...Object.keys(chunkSchema.shape), "created", "system_fingerprint", "obfuscation"]),
} as const;
