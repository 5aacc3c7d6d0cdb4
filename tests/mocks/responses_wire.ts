/** A plan in the bytes of the Responses API, streamed and whole, as OpenAI sends them. */

import type { Plan, Planned } from "./plan.ts";
import { piecesOf } from "./plan.ts";
import type { Json } from "./published.ts";

/** Fields of the result that repeat the request. */
export interface Echo {
  readonly id: string;
  readonly model: string;
  readonly tools: unknown;
  readonly stamp: number;
}

export type WireEvent = { readonly type: string } & Json;

const prefixes = { text: "msg", refusal: "msg", reasoning: "rs", search: "ws" } as const;

function idOf(item: Planned, { echo, index }: { readonly echo: Echo; readonly index: number }): string {
  const prefix = item.type === "call" ? (item.kind === "custom" ? "ctc" : "fc") : prefixes[item.type];
  return `${prefix}_${echo.id.replace(/^resp_/, "")}${index}`;
}

interface Closed {
  readonly id: string;
  readonly status: "completed" | "incomplete";
}

/** Status of an item: the last one of an answer that was cut is incomplete, all before it are complete. */
function statusOf({ finish, items }: Plan, index: number): Closed["status"] {
  return finish === "stop" || index !== items.length - 1 ? "completed" : "incomplete";
}

/** An item as it ends up in `output`. */
function wholeItem(item: Planned, { id, status }: Closed): Json {
  switch (item.type) {
    case "text":
    case "refusal":
      return { id, type: "message", status, content: [partOf(item)], role: "assistant" };
    case "reasoning":
      return {
        id,
        type: "reasoning",
        ...(item.encrypted === undefined ? {} : { encrypted_content: item.encrypted }),
        ...(item.thoughts === "" ? {} : { content: [{ type: "reasoning_text", text: item.thoughts }] }),
        summary: item.summary.map((text) => ({ type: "summary_text", text })),
      };
    case "call":
      return { ...callHead(item, id), status, [argumentsKey(item)]: item.arguments };
    case "search":
      return { id, type: "web_search_call", status, action: { type: "search", query: item.query } };
    default:
      return item satisfies never;
  }
}

type Call = Extract<Planned, { type: "call" }>;
type Speech = Extract<Planned, { type: "text" | "refusal" }>;

const argumentsKey = ({ kind }: Call) => kind === "custom" ? "input" : "arguments";

function callHead({ kind, callId, name, namespace }: Call, id: string): Json {
  const type = kind === "custom" ? "custom_tool_call" : "function_call";
  return { id, type, call_id: callId, name, ...(namespace === undefined ? {} : { namespace }) };
}

function citationsOf({ citing, text }: Speech): readonly Json[] {
  if (citing === undefined) return [];
  return [{ type: "url_citation", start_index: 0, end_index: text.length, title: "Source", url: citing }];
}

function partOf(item: Speech, text = item.text): Json {
  if (item.type === "refusal") return { type: "refusal", refusal: text };
  const annotations = text === "" ? [] : citationsOf(item);
  return { type: "output_text", annotations, logprobs: [], text };
}

/** The result object; the same in lifecycle events and as the answer that is not streamed. */
export function resultOf(plan: Plan, echo: Echo): Json {
  const incomplete = plan.finish !== "stop";
  return {
    ...progressOf(echo),
    status: incomplete ? "incomplete" : "completed",
    completed_at: echo.stamp + 1,
    incomplete_details: incomplete
      ? { reason: plan.finish === "length" ? "max_output_tokens" : "content_filter" }
      : null,
    output: plan.items.map((item, index) =>
      wholeItem(item, { id: idOf(item, { echo, index }), status: statusOf(plan, index) })
    ),
    service_tier: "default",
    usage: usageOf(plan),
  };
}

function progressOf({ id, model, tools, stamp }: Echo): Json {
  return {
    id,
    object: "response",
    created_at: stamp,
    status: "in_progress",
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    prompt_cache_retention: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: "auto",
    store: false,
    temperature: 1.0,
    text: { format: { type: "text" }, verbosity: "medium" },
    tool_choice: "auto",
    tools: tools ?? [],
    top_logprobs: 0,
    top_p: 1.0,
    truncation: "disabled",
    usage: null,
    user: null,
    metadata: {},
  };
}

function usageOf({ counts }: Plan): Json | null {
  if (counts === undefined) return null;
  return {
    input_tokens: counts.input,
    input_tokens_details: { cached_tokens: counts.cached },
    output_tokens: counts.output,
    output_tokens_details: { reasoning_tokens: counts.reasoning },
    total_tokens: counts.input + counts.output,
  };
}

/** The whole stream, from `response.created` to the terminal event, numbered. */
export function eventsOf(plan: Plan, echo: Echo): readonly WireEvent[] {
  const result = resultOf(plan, echo);
  const progress = progressOf(echo);
  const events: readonly WireEvent[] = [
    { type: "response.created", response: progress },
    { type: "response.in_progress", response: progress },
    ...plan.items.flatMap((item, index) => {
      const id = idOf(item, { echo, index });
      return itemEvents(item, {
        id,
        index,
        plan,
        done: wholeItem(item, { id, status: statusOf(plan, index) }),
      });
    }),
    { type: plan.finish === "stop" ? "response.completed" : "response.incomplete", response: result },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

interface Streamed {
  readonly id: string;
  readonly index: number;
  readonly plan: Plan;
  readonly done: Json;
}

function itemEvents(item: Planned, streamed: Streamed): readonly WireEvent[] {
  const { index: output_index, done } = streamed;
  return [
    { type: "response.output_item.added", output_index, item: opened(item, streamed.id) },
    ...contentEvents(item, streamed),
    { type: "response.output_item.done", output_index, item: done },
  ];
}

function opened(item: Planned, id: string): Json {
  const status = "in_progress";
  if (item.type === "call") return { ...callHead(item, id), status, [argumentsKey(item)]: "" };
  if (item.type === "reasoning") return { id, type: "reasoning", summary: [] };
  if (item.type === "search") return { id, type: "web_search_call", status };
  return { id, type: "message", status, content: [], role: "assistant" };
}

function contentEvents(item: Planned, streamed: Streamed): readonly WireEvent[] {
  switch (item.type) {
    case "text":
    case "refusal":
      return speechEvents(item, streamed);
    case "reasoning":
      return [...thoughtEvents(item.thoughts, streamed), ...summaryEvents(item.summary, streamed)];
    case "call":
      return callEvents(item, streamed);
    case "search":
      return ["in_progress", "searching", "completed"].map((step) => ({
        type: `response.web_search_call.${step}`,
        ...where(streamed),
      }));
    default:
      return item satisfies never;
  }
}

const where = ({ id, index }: Streamed) => ({ item_id: id, output_index: index });

/** Deltas carry random padding at the provider; here it only has to be there. */
function deltas(
  text: string,
  { plan, ...streamed }: Streamed & { readonly event: Json },
): readonly WireEvent[] {
  const { event, id, index } = streamed;
  const type = String(event.type);
  return piecesOf(text, plan.pieces).map((delta, turn) => ({
    ...event,
    type,
    item_id: id,
    output_index: index,
    delta,
    obfuscation: "x".repeat(1 + turn % 7),
  }));
}

function speechEvents(item: Speech, streamed: Streamed): readonly WireEvent[] {
  const name = item.type === "text" ? "output_text" : "refusal";
  const at = { ...where(streamed), content_index: 0 };
  const logprobs = item.type === "text" ? { logprobs: [] } : {};
  const event = { type: `response.${name}.delta`, content_index: 0, ...logprobs };
  return [
    { type: "response.content_part.added", ...at, part: partOf(item, "") },
    ...deltas(item.text, { ...streamed, event }),
    ...citationsOf(item).map((annotation, annotation_index) => ({
      type: "response.output_text.annotation.added",
      ...at,
      annotation_index,
      annotation,
    })),
    {
      type: `response.${name}.done`,
      ...at,
      [item.type === "text" ? "text" : "refusal"]: item.text,
      ...logprobs,
    },
    { type: "response.content_part.done", ...at, part: partOf(item) },
  ];
}

function thoughtEvents(text: string, streamed: Streamed): readonly WireEvent[] {
  if (text === "") return [];
  const at = { ...where(streamed), content_index: 0 };
  const event = { type: "response.reasoning_text.delta", content_index: 0 };
  return [
    { type: "response.content_part.added", ...at, part: { type: "reasoning_text", text: "" } },
    ...deltas(text, { ...streamed, event }),
    { type: "response.reasoning_text.done", ...at, text },
    { type: "response.content_part.done", ...at, part: { type: "reasoning_text", text } },
  ];
}

function summaryEvents(summary: readonly string[], streamed: Streamed): readonly WireEvent[] {
  return summary.flatMap((text, summary_index) => {
    const at = { ...where(streamed), summary_index };
    const event = { type: "response.reasoning_summary_text.delta", summary_index };
    return [
      { type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } },
      ...deltas(text, { ...streamed, event }),
      { type: "response.reasoning_summary_text.done", ...at, text },
      { type: "response.reasoning_summary_part.done", ...at, part: { type: "summary_text", text } },
    ];
  });
}

function callEvents(item: Call, streamed: Streamed): readonly WireEvent[] {
  const name = item.kind === "custom" ? "custom_tool_call_input" : "function_call_arguments";
  const done = { type: `response.${name}.done`, ...where(streamed), [argumentsKey(item)]: item.arguments };
  return [...deltas(item.arguments, { ...streamed, event: { type: `response.${name}.delta` } }), done];
}

export const frameOf = (event: WireEvent): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
