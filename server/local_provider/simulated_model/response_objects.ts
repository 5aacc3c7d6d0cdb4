/** The answer as objects of the Responses wire: the response, its items, its usage. */

import type { SimulatorRequest } from "./parse_request.ts";
import { type RenderedImages, simulatedImageEnd, simulatedImageStart } from "../images/image_item.ts";
import { requestedLogprobs, simulateLogprob, type TokenLogprob } from "./logprobs.ts";
import { type GeneratedItem, type GeneratedOutput, textOfChunks } from "./generate_output.ts";
import type { Chunk } from "../../billing/tokenizer/tokens.ts";

type Json = Readonly<Record<string, unknown>>;

/** Everything that is said about one request. */
export interface SimulatedResponse {
  readonly id: string;
  readonly request: SimulatorRequest;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly output: GeneratedOutput;
  readonly inputTokens: number;
  readonly images: RenderedImages;
}

/** The response before its first item. */
export function simulatedResponseStart(answer: SimulatedResponse): Json {
  return { ...shell(answer), status: "in_progress", output: [], usage: null };
}

/** The response as it ends; `completedAt` in Unix seconds. */
export function simulatedResponseEnd(answer: SimulatedResponse, completedAt: number): Json {
  const { isComplete: whole, items } = answer.output;
  return {
    ...shell(answer),
    status: whole ? "completed" : "incomplete",
    completed_at: whole ? completedAt : null,
    incomplete_details: whole ? null : { reason: "max_output_tokens" },
    output: items.map((item) => simulatedItemEnd(answer, item)),
    usage: renderSimulatedUsage(answer),
  };
}

function renderSimulatedUsage({ inputTokens, output: speech }: SimulatedResponse): Json {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: speech.outputTokens,
    output_tokens_details: { reasoning_tokens: speech.reasoningTokens },
    total_tokens: inputTokens + speech.outputTokens,
  };
}

/** Fields in the order in which the original sends them, with what the request said or the original's defaults. */
function shell({ id, request: requested, createdAt }: SimulatedResponse): Json {
  return {
    id,
    object: "response",
    created_at: createdAt,
    status: "in_progress",
    background: false,
    completed_at: null,
    error: null,
    frequency_penalty: requested.frequency_penalty ?? 0,
    incomplete_details: null,
    instructions: requested.instructions ?? null,
    max_output_tokens: requested.max_output_tokens ?? null,
    max_tool_calls: requested.max_tool_calls ?? null,
    model: requested.model,
    output: [],
    parallel_tool_calls: requested.parallel_tool_calls ?? true,
    presence_penalty: requested.presence_penalty ?? 0,
    previous_response_id: null,
    prompt_cache_key: requested.prompt_cache_key ?? null,
    reasoning: { effort: requested.reasoning?.effort ?? null, summary: requested.reasoning?.summary ?? null },
    safety_identifier: requested.safety_identifier ?? null,
    service_tier: "default",
    store: false,
    temperature: requested.temperature ?? 1,
    text: {
      format: requested.text?.format ?? { type: "text" },
      verbosity: requested.text?.verbosity ?? "medium",
    },
    tool_choice: requested.tool_choice ?? "auto",
    tools: requested.tools ?? [],
    top_logprobs: requested.top_logprobs ?? 0,
    top_p: requested.top_p ?? 1,
    truncation: requested.truncation ?? "disabled",
    usage: null,
    user: null,
    metadata: requested.metadata ?? {},
  };
}

/** An item as it opens: nothing said yet. */
export function simulatedItemStart(item: GeneratedItem): Json {
  if (item.type === "reasoning") return { id: item.id, type: "reasoning", summary: [] };
  if (item.type === "call") return { ...callHead(item), status: "in_progress", ...callInput(item, "") };
  if (item.type === "picture") return simulatedImageStart(item);
  return { id: item.id, type: "message", status: "in_progress", content: [], role: "assistant" };
}

/** An item with everything in it. */
export function simulatedItemEnd(answer: SimulatedResponse, item: GeneratedItem): Json {
  const status = item.whole ? "completed" : "incomplete";
  if (item.type === "reasoning") return doneReasoning(item);
  if (item.type === "picture") return simulatedImageEnd(item, answer.images);
  if (item.type === "call") {
    return { ...callHead(item), status, ...callInput(item, textOfChunks(item.pieces)) };
  }
  return {
    id: item.id,
    type: "message",
    status,
    content: [simulatedPartEnd(answer, item)],
    role: "assistant",
  };
}

function doneReasoning(item: Extract<GeneratedItem, { type: "reasoning" }>): Json {
  const summary = item.summary.map((text) => ({ type: "summary_text", text }));
  const encrypted = item.encrypted === undefined ? {} : { encrypted_content: item.encrypted };
  return { id: item.id, type: "reasoning", ...encrypted, summary };
}

type CallItem = Extract<GeneratedItem, { type: "call" }>;

function callHead({ id, callId, tool }: CallItem): Json {
  const type = tool.kind === "function" ? "function_call" : "custom_tool_call";
  const namespace = tool.namespace === undefined ? {} : { namespace: tool.namespace };
  return { id, type, call_id: callId, name: tool.name, ...namespace };
}

function callInput({ tool }: CallItem, text: string): Json {
  return tool.kind === "function" ? { arguments: text } : { input: text };
}

export function simulatedPartStart(item: GeneratedItem): Json {
  if (item.type === "refusal") return { type: "refusal", refusal: "" };
  return { type: "output_text", annotations: [], logprobs: [], text: "" };
}

export function simulatedPartEnd(answer: SimulatedResponse, item: GeneratedItem): Json {
  const text = textOfChunks(item.pieces);
  if (item.type === "refusal") return { type: "refusal", refusal: text };
  return { type: "output_text", annotations: [], logprobs: tokenLogprobs(answer.request, item.pieces), text };
}

/** Empty unless the caller asked for them. */
export function tokenLogprobs(
  requested: SimulatorRequest,
  chunks: readonly Chunk[],
): readonly TokenLogprob[] {
  const wanted = requestedLogprobs(requested);
  return wanted === undefined ? [] : chunks.map((chunk) => simulateLogprob(chunk, wanted));
}
