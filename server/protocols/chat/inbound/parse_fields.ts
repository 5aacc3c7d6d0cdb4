/**
 * The fields of a chat request that are neither conversation nor tools → the canonical model's (specification, Chat
 * completions, embeddings, messages, misc inference).
 */

import type { ChatRequest } from "../../../../shared/chat/request.ts";
import type { OutputFormat, ReasoningOptions, SamplingOptions } from "../../canonical/request.ts";

export function parseSampling(body: ChatRequest): SamplingOptions {
  return {
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k ?? undefined,
    topA: body.top_a ?? undefined,
    minP: body.min_p ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    repetitionPenalty: body.repetition_penalty ?? undefined,
    topLogprobs: body.top_logprobs ?? undefined,
    seed: body.seed ?? undefined,
    logitBias: body.logit_bias ?? undefined,
  };
}

export function parseStop({ stop }: ChatRequest): readonly string[] | undefined {
  const texts = typeof stop === "string" ? [stop] : stop ?? [];
  const some = texts.filter((text) => text !== "");
  return some.length === 0 ? undefined : some;
}

/** `reasoning_effort` is OpenAI's key, `reasoning` the one that says more. */
export function parseReasoning({ reasoning, reasoning_effort }: ChatRequest): ReasoningOptions | undefined {
  const parsed: ReasoningOptions = {
    effort: reasoning?.effort ?? reasoning_effort ?? undefined,
    summary: reasoning?.summary ?? reasoning?.generate_summary ?? undefined,
    maxTokens: reasoning?.max_tokens ?? undefined,
    enabled: reasoning?.enabled ?? undefined,
    context: reasoning?.context ?? undefined,
    mode: reasoning?.mode ?? undefined,
  };
  return Object.values(parsed).some((value) => value !== undefined) ? parsed : undefined;
}

/** The name of a JSON schema that came without one; providers demand it. */
const DEFAULT_SCHEMA_NAME = "response";

export function parseFormat({ response_format: format }: ChatRequest): OutputFormat {
  if (!format) return { type: "text" };
  if (format.type !== "json_schema") return { type: format.type };
  const { name, schema, description, strict } = format.json_schema;
  if (!schema) return { type: "json_object" };
  return {
    type: "json_schema",
    name: name || DEFAULT_SCHEMA_NAME,
    schema,
    description: description ?? undefined,
    strict: strict ?? undefined,
  };
}

/**
 * Lists what the answer has to hold besides the text. Encrypted reasoning are asked for only where thoughts are:
 * models without any refuse the question, and only with them can thoughts be brought back.
 */
export function parseInclude(body: ChatRequest, reasoning: ReasoningOptions | undefined): readonly string[] {
  return [
    ...(body.logprobs ? ["message.output_text.logprobs"] : []),
    ...(reasoning === undefined ? [] : ["reasoning.encrypted_content"]),
  ];
}
