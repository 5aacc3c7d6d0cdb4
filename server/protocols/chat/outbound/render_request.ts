/** The canonical request → the body of POST /chat/completions. */

import { isRecord, omitUndefined } from "../../../../shared/util/json.ts";
import type { ModelRequest, ReasoningOptions } from "../../canonical/request.ts";
import { nestedFields, passes, passthroughFields, takes } from "../../common/outbound/render_body.ts";
import { listed, type RareField, unsentOf } from "../../common/outbound/unsent_fields.ts";
import type { EndpointTraits, RenderedRequest } from "../../wire.ts";
import { renderFormat } from "./render_format.ts";
import { renderMessages } from "./render_messages.ts";
import { renderTools } from "./render_tools.ts";
import type { JsonObject } from "../../canonical/item.ts";

/** Throws an ApiError where the caller demands what this wire cannot say. */
export function renderRequest(request: ModelRequest, endpoint: EndpointTraits): RenderedRequest {
  const tools = renderTools(request, endpoint.traits);
  const format = renderFormat(request.format);
  const { instructions, input } = request;
  const conversation = renderMessages({ instructions, input, names: tools.names, endpoint });
  const body = omitUndefined({
    model: endpoint.upstreamModel,
    messages: conversation.messages,
    ...tools.body,
    max_completion_tokens: endpoint.maxOutputTokens ?? request.maxOutputTokens,
    response_format: format && withOwnFormat(format, request.extra?.chat),
    ...renderOutput(request),
    ...renderSampling(request, endpoint),
    ...renderReasoning(request.reasoning),
    ...renderDelivery(request, endpoint),
  });
  const dropped = new Set([...tools.dropped, ...conversation.dropped]);
  reportUnsupported(request, { endpoint, dropped });
  return { path: "/chat/completions", body, dropped: [...dropped] };
}

/** With the fields of the format and of its schema that only clients of this same wire write. */
function withOwnFormat(body: JsonObject, own: JsonObject | undefined): JsonObject {
  const beside = nestedFields(own, { at: "response_format", inner: "json_schema" });
  const inside = nestedFields(own, { at: "response_format.json_schema" });
  const { json_schema: schema } = body;
  const whole = inside !== undefined && isRecord(schema) ? { json_schema: { ...inside, ...schema } } : {};
  return { ...beside, ...body, ...whole };
}

/** Renders the fields that shape the answer. */
function renderOutput(request: ModelRequest): JsonObject {
  return {
    verbosity: request.verbosity,
    modalities: request.modalities?.includes("image") ? request.modalities : undefined,
  };
}

/** Keys that only compatible servers know: they go where the row of the endpoint or of its model lists them. */
function unlistedFields({ sampling, imageConfig }: ModelRequest): JsonObject {
  return {
    top_k: sampling.topK,
    top_a: sampling.topA,
    min_p: sampling.minP,
    repetition_penalty: sampling.repetitionPenalty,
    image_config: imageConfig,
  };
}

function renderSampling(request: ModelRequest, endpoint: EndpointTraits): JsonObject {
  const { sampling, include, stop } = request;
  const asksLogprobs = include.includes("message.output_text.logprobs");
  const topLogprobs = sampling.topLogprobs ?? 0;
  return {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    ...listed(unlistedFields(request), endpoint),
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    seed: sampling.seed,
    stop,
    logit_bias: sampling.logitBias,
    logprobs: asksLogprobs || topLogprobs > 0 ? true : undefined,
    top_logprobs: topLogprobs > 0 ? topLogprobs : undefined,
  };
}

/** Renders the user, the service tier and the form of delivery. Usage comes in a stream only when asked for. */
function renderDelivery(request: ModelRequest, endpoint: EndpointTraits): JsonObject {
  const { promptCacheOptions } = request;
  return {
    service_tier: request.serviceTier === "fast" ? "priority" : request.serviceTier,
    prompt_cache_key: request.promptCacheKey,
    prompt_cache_options: promptCacheOptions &&
      omitUndefined({ mode: promptCacheOptions.mode, ttl: promptCacheOptions.ttl }),
    safety_identifier: endpoint.safetyIdentifier,
    stream: request.stream,
    stream_options: request.stream
      ? { ...nestedFields(request.extra?.chat, { at: "stream_options" }), include_usage: true }
      : undefined,
    ...passthroughFields(request.extra?.chat, (key) => isPassed(key, endpoint)),
  };
}

/** Keys that OpenAI publishes besides those that the canonical request has. */
const published: readonly string[] = ["moderation", "prompt_cache_retention"];
/** The same, of what changes the price. */
const dearer: readonly string[] = ["prediction", "web_search_options"];

function isPassed(key: string, endpoint: EndpointTraits): boolean {
  if (published.includes(key) || passes(endpoint, key)) return true;
  return dearer.includes(key) && takes(endpoint, key);
}

/** Inside objects nothing changes the price that does not do so by itself. */
const isInside = (key: string) => /^(?:stream_options|response_format|tool_choice)\./.test(key);

interface DroppedInput {
  readonly endpoint: EndpointTraits;
  readonly dropped: Set<string>;
}

/** Reports the requested parameters that this wire has no key for. */
function reportUnsupported(request: ModelRequest, { endpoint, dropped }: DroppedInput): void {
  const unknown = unlistedFields(request);
  for (const key in unknown) {
    if (unknown[key] !== undefined && !takes(endpoint, key)) dropped.add(key);
  }
  if (request.reasoning?.maxTokens !== undefined) dropped.add("reasoning.max_tokens");
  const unsent = unsentOf(request, {
    wire: "chat",
    fields: sentFields,
    passes: (key) => isInside(key) || isPassed(key, endpoint),
    toolKeys: "all",
  });
  for (const name of unsent) dropped.add(name);
}

const sentFields: readonly RareField[] = [
  "detail",
  "prompt_cache_breakpoint",
  "prompt_cache_key",
  "prompt_cache_options",
  "safety_identifier",
];

/** The wire has one word for it; `enabled: false` is its `none`. */
function renderReasoning(reasoning: ReasoningOptions | undefined): JsonObject {
  return { reasoning_effort: reasoning?.effort ?? (reasoning?.enabled === false ? "none" : undefined) };
}
