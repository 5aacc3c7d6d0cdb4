/** Answers on every wire with counts of the test's choosing: whole, streamed, or a stream that never comes to its end. */

import type { MockedWire } from "../mocks/upstreams.ts";
import { awsMessage } from "./aws_messages.ts";
import type { Json } from "./event_stream.ts";
import { chatChunk, frame, messageItem, responseObject } from "./scripted.ts";

/** Counts in a provider's usage: absent is a field that is missing. */
export interface StatedCounts {
  readonly input?: number | null;
  readonly output?: number | null;
  readonly total?: number | null;
}

const encoder = new TextEncoder();

const fields: { readonly [W in MockedWire]: { readonly [C in keyof Required<StatedCounts>]: string } } = {
  responses: { input: "input_tokens", output: "output_tokens", total: "total_tokens" },
  chat: { input: "prompt_tokens", output: "completion_tokens", total: "total_tokens" },
  messages: { input: "input_tokens", output: "output_tokens", total: "total_tokens" },
  gemini: { input: "promptTokenCount", output: "candidatesTokenCount", total: "totalTokenCount" },
  bedrock: { input: "inputTokens", output: "outputTokens", total: "totalTokens" },
};

/** In the wire's own words. */
function usageOn(wire: MockedWire, counts: StatedCounts): Json {
  const { input, output, total } = fields[wire];
  const stated: Json = { [input]: counts.input, [output]: counts.output, [total]: counts.total };
  return Object.fromEntries(Object.entries(stated).filter(([, count]) => count !== undefined));
}

const named = (event: Json) => `event: ${event.type}\n${frame(event)}`;

interface Saying {
  readonly text: string;
  /** One after another, as the provider goes on. */
  readonly counts: readonly StatedCounts[];
  /** With the first event, where the wire has a place for counts there. */
  readonly begun?: StatedCounts;
  /** Bytes end without the end of the answer. */
  readonly open: boolean;
}

/** The frames of a stream: the text, then the counts, then the end. */
const streams: { readonly [W in MockedWire]: (saying: Saying) => readonly (string | Uint8Array)[] } = {
  responses: ({ text, counts, begun, open }) => {
    const item = messageItem(text);
    const at = (usage?: Json) => responseObject({ status: "in_progress", output: [], usage });
    const place = { item_id: "msg_up", output_index: 0, content_index: 0 };
    const stated = counts.map((one) => usageOn("responses", one));
    return [
      frame({ type: "response.created", response: at(begun && usageOn("responses", begun)) }),
      frame({ type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } }),
      frame({ type: "response.output_text.delta", ...place, delta: text }),
      ...stated.slice(0, open ? undefined : -1).map((usage) =>
        frame({ type: "response.in_progress", response: at(usage) })
      ),
      ...(open ? [] : [
        frame({ type: "response.output_item.done", output_index: 0, item }),
        frame({
          type: "response.completed",
          response: responseObject({ output: [item], usage: stated.at(-1) }),
        }),
      ]),
    ];
  },
  chat: ({ text, counts, begun, open }) => [
    chatChunk({ delta: { content: text } }, begun && usageOn("chat", begun)),
    ...(open ? [] : [chatChunk({ delta: {}, finish_reason: "stop" })]),
    ...counts.map((one) => chatChunk(undefined, usageOn("chat", one))),
    ...(open ? [] : ["data: [DONE]\n\n"]),
  ],
  messages: ({ text, counts, begun, open }) => [
    named({
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        usage: begun && usageOn("messages", begun),
      },
    }),
    named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    ...(open ? [] : [named({ type: "content_block_stop", index: 0 })]),
    ...counts.map((one) => named({ type: "message_delta", delta: {}, usage: usageOn("messages", one) })),
    ...(open ? [] : [
      named({ type: "message_delta", delta: { stop_reason: "end_turn" } }),
      named({ type: "message_stop" }),
    ]),
  ],
  gemini: ({ text, counts, begun, open }) => {
    const candidate = (parts: readonly Json[], more: Json = {}) => ({
      index: 0,
      content: { role: "model", parts },
      ...more,
    });
    return [
      frame({
        candidates: [candidate([{ text }])],
        usageMetadata: begun && usageOn("gemini", begun),
      }),
      ...counts.map((one) => frame({ candidates: [candidate([])], usageMetadata: usageOn("gemini", one) })),
      ...(open ? [] : [frame({ candidates: [candidate([], { finishReason: "STOP" })] })]),
    ];
  },
  bedrock: ({ text, counts, begun, open }) => {
    const message = (name: string, payload: Json) => awsMessage(name, JSON.stringify(payload));
    const all = begun === undefined ? counts : [begun, ...counts];
    const stated = all.map((one) => message("metadata", { usage: usageOn("bedrock", one) }));
    return [
      message("messageStart", { role: "assistant" }),
      message("contentBlockDelta", { contentBlockIndex: 0, delta: { text } }),
      ...stated.slice(0, open ? undefined : -1),
      ...(open ? [] : [message("messageStop", { stopReason: "end_turn" }), ...stated.slice(-1)]),
    ];
  },
};

/** A whole answer. */
const wholes: {
  readonly [W in MockedWire]: (saying: Pick<Saying, "text">, usage: Json | undefined) => Json;
} = {
  responses: ({ text }, usage) => responseObject({ output: [messageItem(text)], usage }),
  chat: ({ text }, usage) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage,
  }),
  messages: ({ text }, usage) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    usage,
  }),
  gemini: ({ text }, usageMetadata) => ({
    candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
    usageMetadata,
  }),
  bedrock: ({ text }, usage) => ({
    output: { message: { role: "assistant", content: [{ text }] } },
    stopReason: "end_turn",
    usage,
  }),
};

const bytesOf = (frames: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> => {
  const all = frames.map((one) => typeof one === "string" ? encoder.encode(one) : one);
  const bytes = new Uint8Array(all.reduce((size, one) => size + one.length, 0));
  all.reduce((from, one) => (bytes.set(one, from), from + one.length), 0);
  return bytes;
};

export type Manner = "streamed" | "whole" | "client left";

/** How a provider answers; one whose client leaves says all but the end and waits. */
export function countedAnswer(
  wire: MockedWire,
  { text, counts, begun, manner }: Omit<Saying, "open"> & { readonly manner: Manner },
): Response {
  const last = counts.at(-1);
  if (manner === "whole") {
    return Response.json(wholes[wire]({ text }, last === undefined ? undefined : usageOn(wire, last)));
  }
  const open = manner === "client left";
  const bytes = bytesOf(streams[wire]({ text, counts, begun, open }));
  const type = wire === "bedrock" ? "application/vnd.amazon.eventstream" : "text/event-stream";
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      controller.enqueue(bytes);
      if (!open) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": type } });
}
