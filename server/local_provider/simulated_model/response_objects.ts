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
  const { isComplete, items } = answer.output;
  return {
    ...shell(answer),
    status: isComplete ? "completed" : "incomplete",
    completed_at: isComplete ? completedAt : null,
    incomplete_details: isComplete ? null : { reason: "max_output_tokens" },
    output: items.map((item) => simulatedItemEnd(answer, item)),
    usage: renderSimulatedUsage(answer),
  };
}

function renderSimulatedUsage({ inputTokens, output }: SimulatedResponse): Json {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output.outputTokens,
    output_tokens_details: { reasoning_tokens: output.reasoningTokens },
    total_tokens: inputTokens + output.outputTokens,
  };
}

/** Fields in the order in which the original sends them, with what the request said or the original's defaults. */
function shell({ id, request, createdAt }: SimulatedResponse): Json {
  return {
    id,
    object: "response",
    created_at: createdAt,
    status: "in_progress",
    background: false,
    completed_at: null,
    error: null,
    frequency_penalty: request.frequency_penalty ?? 0,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    model: request.model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    presence_penalty: request.presence_penalty ?? 0,
    previous_response_id: null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: "default",
    store: false,
    temperature: request.temperature ?? 1,
    text: {
      format: request.text?.format ?? { type: "text" },
      verbosity: request.text?.verbosity ?? "medium",
    },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? "disabled",
    usage: null,
    user: null,
    metadata: request.metadata ?? {},
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
