/** Responses of several texts with calls and thoughts between them, on each wire, whole and in pieces. */

import type { WireId } from "../../server/protocols/canonical/item.ts";
import type { Json } from "../support/event_stream.ts";
import { chatChunk, type Requested, sse } from "../support/scripted.ts";

/** An item of a provider's response; items are said one after the other. */
export type SaidItem =
  | { readonly type: "text" | "thought"; readonly text: string }
  | { readonly type: "call" };

export interface SaidItems {
  readonly items: readonly SaidItem[];
  /** Characters of a text in one event of a stream. */
  readonly size: number;
}

export type SayItems = (said: SaidItems) => (requested: Requested) => Response;

const event = (value: Json) => `event: ${String(value.type)}\ndata: ${JSON.stringify(value)}\n\n`;

const piecesOf = (text: string, size: number): readonly string[] =>
  text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

function responsesItem(item: SaidItem, at: number): Json {
  if (item.type === "call") {
    return {
      type: "function_call",
      id: `fc_${at}`,
      call_id: `call_${at}`,
      name: "send",
      arguments: "{}",
      status: "completed",
    };
  }
  if (item.type === "thought") {
    return {
      type: "reasoning",
      id: `rs_${at}`,
      summary: [],
      content: [{ type: "reasoning_text", text: item.text }],
    };
  }
  return {
    type: "message",
    id: `msg_${at}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: item.text, annotations: [] }],
  };
}

function responsesFrames(item: SaidItem, { at, size }: { readonly at: number; readonly size: number }) {
  const whole = responsesItem(item, at);
  const begun = item.type === "call" ? { ...whole, arguments: "" } : { ...whole, content: [] };
  const place = { item_id: whole.id, output_index: at, content_index: 0 };
  const type = item.type === "thought" ? "response.reasoning_text.delta" : "response.output_text.delta";
  return [
    event({ type: "response.output_item.added", output_index: at, item: begun }),
    ...(item.type === "call"
      ? [event({ type: "response.function_call_arguments.delta", ...place, delta: "{}" })]
      : piecesOf(item.text, size).map((delta) => event({ type, ...place, delta }))),
    event({ type: "response.output_item.done", output_index: at, item: whole }),
  ];
}

const sayResponses: SayItems = ({ items, size }) => ({ body }) => {
  const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12 };
  const base = { id: "resp_1", object: "response", created_at: 1, model: "m", usage };
  const response = { ...base, status: "completed", output: items.map(responsesItem) };
  if (body.stream !== true) return Response.json(response);
  return sse([
    event({ type: "response.created", response: { ...base, status: "in_progress", output: [] } }),
    ...items.flatMap((item, at) => responsesFrames(item, { at, size })),
    event({ type: "response.completed", response }),
  ]);
};

const callOf = (at: number): Json => ({
  id: `call_${at}`,
  type: "function",
  function: { name: "send", arguments: "{}" },
});

/** A whole message has one text, whatever stands between its pieces in a stream. */
const sayChat: SayItems = ({ items, size }) => ({ body }) => {
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
  const calls = items.flatMap((item, at) => item.type === "call" ? [callOf(at)] : []);
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const textOf = (type: SaidItem["type"]) =>
    items.map((item) => item.type === type && item.type !== "call" ? item.text : "").join("");
  if (body.stream !== true) {
    const message = {
      role: "assistant",
      content: textOf("text"),
      reasoning: textOf("thought"),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    const choices = [{ index: 0, message, finish_reason }];
    return Response.json({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices,
      usage,
    });
  }
  let index = 0;
  return sse([
    ...items.flatMap((item, at) =>
      item.type === "call"
        ? [chatChunk({ delta: { tool_calls: [{ index: index++, ...callOf(at) }] } })]
        : piecesOf(item.text, size).map((piece) =>
          chatChunk({ delta: item.type === "text" ? { content: piece } : { reasoning: piece } })
        )
    ),
    chatChunk({ delta: {}, finish_reason }),
    chatChunk(undefined, usage),
    "data: [DONE]\n\n",
  ]);
};

function messagesBlock(item: SaidItem, at: number): Json {
  if (item.type === "call") return { type: "tool_use", id: `toolu_${at}`, name: "send", input: {} };
  return item.type === "text"
    ? { type: "text", text: item.text }
    : { type: "thinking", thinking: item.text, signature: "sig" };
}

const messagesDelta = (item: SaidItem, piece: string): Json =>
  item.type === "text" ? { type: "text_delta", text: piece } : { type: "thinking_delta", thinking: piece };

function messagesFrames(item: SaidItem, { at, size }: { readonly at: number; readonly size: number }) {
  const block = messagesBlock(item, at);
  const begun = item.type === "call"
    ? block
    : item.type === "text"
    ? { type: "text", text: "" }
    : { type: "thinking", thinking: "", signature: "" };
  const deltas = item.type === "call"
    ? []
    : piecesOf(item.text, size).map((piece) => messagesDelta(item, piece));
  return [
    event({ type: "content_block_start", index: at, content_block: begun }),
    ...deltas.map((delta) => event({ type: "content_block_delta", index: at, delta })),
    event({ type: "content_block_stop", index: at }),
  ];
}

const sayMessages: SayItems = ({ items, size }) => ({ body }) => {
  const usage = { input_tokens: 7, output_tokens: 5 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", usage };
  const stop_reason = items.some(({ type }) => type === "call") ? "tool_use" : "end_turn";
  if (body.stream !== true) {
    return Response.json({ ...message, content: items.map(messagesBlock), stop_reason });
  }
  return sse([
    event({ type: "message_start", message: { ...message, content: [] } }),
    ...items.flatMap((item, at) => messagesFrames(item, { at, size })),
    event({ type: "message_delta", delta: { stop_reason }, usage }),
    event({ type: "message_stop" }),
  ]);
};

export const sayItems: readonly (readonly [wire: WireId, say: SayItems])[] = [
  ["responses", sayResponses],
  ["chat", sayChat],
  ["messages", sayMessages],
];
