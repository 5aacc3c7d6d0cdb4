/** A plan in the bytes of the Messages API, streamed and whole, as Anthropic sends them. */

import { piecesOf, type Plan, type Planned, valueOf } from "./plan.ts";
import type { Json } from "./published.ts";

export interface MessagesEcho {
  readonly id: string;
  readonly model: string;
}

type Event = { readonly type: string } & Json;

/** A block as it ends up in `content`, and the deltas that build it in a stream. */
interface Reported {
  readonly opening: Json;
  readonly deltas: readonly Json[];
  readonly whole: Json;
}

function reportedOf(item: Planned, { pieces: chunks }: Plan): readonly Reported[] {
  switch (item.type) {
    case "text":
      return [reportedText(item, chunks)];
    case "refusal":
      return [];
    case "reasoning":
      return [...reportedThought(item, chunks), ...reportedEncrypted(item)];
    case "call":
      return [reportedCall(item, chunks)];
    case "search":
      return reportedSearch(item.query);
    default:
      return item satisfies never;
  }
}

type Of<Type extends Planned["type"]> = Extract<Planned, { type: Type }>;
type Speech = Extract<Planned, { readonly type: "text" | "refusal" }>;

function reportedText({ text, citing }: Speech, chunks: Plan["pieces"]): Reported {
  const citation = {
    type: "web_search_result_location",
    url: citing,
    title: "Source",
    encrypted_index: "E",
    cited_text: "",
  };
  const cited = citing === undefined ? [] : [citation];
  return {
    opening: { type: "text", text: "", ...(citing === undefined ? {} : { citations: [] }) },
    deltas: [
      ...piecesOf(text, chunks).map((chunk) => ({ type: "text_delta", text: chunk })),
      ...cited.map((one) => ({ type: "citations_delta", citation: one })),
    ],
    whole: { type: "text", text, citations: citing === undefined ? null : cited },
  };
}

/** A summary is all that models show of their thoughts; here it is the thought itself. */
function reportedThought(
  { thoughts, summary }: Of<"reasoning">,
  chunks: Plan["pieces"],
): readonly Reported[] {
  const thinking = thoughts || summary.join("\n");
  if (thinking === "") return [];
  const signature = "EqQBCkYIAxgCKkD-mock-signature";
  return [{
    opening: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...piecesOf(thinking, chunks).map((chunk) => ({ type: "thinking_delta", thinking: chunk })),
      { type: "signature_delta", signature },
    ],
    whole: { type: "thinking", thinking, signature },
  }];
}

function reportedEncrypted({ encrypted: data }: Of<"reasoning">): readonly Reported[] {
  const whole = { type: "redacted_thinking", data };
  return data === undefined ? [] : [{ opening: whole, deltas: [], whole }];
}

/** Custom tools reach this wire as functions of one text; tools are named as they were offered. */
function reportedCall({ kind, callId, name, arguments: text }: Of<"call">, chunks: Plan["pieces"]): Reported {
  const json = kind === "custom" ? JSON.stringify({ input: text }) : text;
  const head = { type: "tool_use", id: callId, name };
  return {
    opening: { ...head, input: {} },
    deltas: ["", ...piecesOf(json, chunks)].map((chunk) => ({
      type: "input_json_delta",
      partial_json: chunk,
    })),
    whole: { ...head, input: valueOf(json) },
  };
}

function reportedSearch(query: string): readonly Reported[] {
  const head = { type: "server_tool_use", id: "srvtoolu_mock", name: "web_search" };
  const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_mock", content: [] };
  const json = JSON.stringify({ query });
  return [{
    opening: { ...head, input: {} },
    deltas: [{ type: "input_json_delta", partial_json: json }],
    whole: { ...head, input: { query } },
  }, { opening: found, deltas: [], whole: found }];
}

const reasons = { stop: "end_turn", length: "max_tokens", content_filter: "refusal" } as const;

function stopOf({ items, finish }: Plan): Json {
  const refusal = items.flatMap((item) => item.type === "refusal" ? [item.text] : [])[0];
  const calls = items.some((item) => item.type === "call");
  const reason = refusal !== undefined
    ? "refusal"
    : finish === "stop" && calls
    ? "tool_use"
    : reasons[finish];
  return {
    stop_reason: reason,
    stop_sequence: null,
    stop_details: refusal !== undefined ? { type: "refusal", category: null, explanation: refusal } : null,
  };
}

/** Renders the usage; what the cache held is no input here. */
function usageOf({ counts }: Plan): Json {
  if (counts === undefined) return {};
  const cached = Math.min(counts.cached, Math.max(0, counts.input));
  return {
    input_tokens: counts.input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: counts.output,
    output_tokens_details: { thinking_tokens: counts.reasoning },
    service_tier: "standard",
  };
}

const headOf = ({ id, model }: MessagesEcho): Json => ({ id, type: "message", role: "assistant", model });

/** The answer that is not streamed. */
export function messageOf(plan: Plan, echo: MessagesEcho): Json {
  const content = plan.items.flatMap((item) => reportedOf(item, plan)).map(({ whole }) => whole);
  return { ...headOf(echo), content, ...stopOf(plan), usage: usageOf(plan) };
}

/** The whole stream, with the `ping` that the provider sends behind the first event. */
export function messageEvents(plan: Plan, echo: MessagesEcho): readonly Event[] {
  const blocks = plan.items.flatMap((item) => reportedOf(item, plan));
  const output_tokens = Math.min(1, plan.counts?.output ?? 0);
  const usage = plan.counts === undefined ? {} : { ...usageOf(plan), output_tokens };
  return [
    {
      type: "message_start",
      message: { ...headOf(echo), content: [], stop_reason: null, stop_sequence: null, usage },
    },
    { type: "ping" },
    ...blocks.flatMap(({ opening, deltas }, index): readonly Event[] => [
      { type: "content_block_start", index, content_block: opening },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: stopOf(plan), usage: usageOf(plan) },
    { type: "message_stop" },
  ];
}

export const eventFrame = (event: Event): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
