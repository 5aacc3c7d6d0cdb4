/** A provider that answers whatever the test says, over real HTTP, and remembers what it was asked. */

import { asObject, type Json } from "./event_stream.ts";

export type Wire = "responses" | "chat";
export const wires: readonly Wire[] = ["responses", "chat"];

export interface Requested {
  readonly path: string;
  readonly headers: Headers;
  readonly body: Json;
}

export interface Scripted {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** Every request, in the order in which they came. */
  readonly requested: readonly Requested[];
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Answer of the provider to the request with this number, counted from 0. */
export type Script = (requested: Requested, number: number) => Response | Promise<Response>;

export function scripted(script: Script): Scripted {
  const requested: Requested[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const text = await request.text();
    const { pathname } = new URL(request.url);
    const one = { path: pathname, headers: request.headers, body: asObject(JSON.parse(text)) };
    requested.push(one);
    return await script(one, requested.length - 1);
  });
  const close = () => server.shutdown();
  return {
    baseUrl: `http://127.0.0.1:${server.addr.port}/v1`,
    requested,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Answers with text, streamed or whole as it was asked to be. */
export function says(wire: Wire, text: string): Script {
  return ({ body }) =>
    body.stream === true ? sse(textFrames(wire, text)) : Response.json(wholeText(wire, text));
}

export function sse(frames: readonly string[]): Response {
  return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });
}

export const frame = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

const usageOf = { responses: responsesUsage, chat: chatUsage };

function responsesUsage(words: number) {
  return {
    input_tokens: 7,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: words,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 7 + words,
  };
}

function chatUsage(words: number) {
  return { prompt_tokens: 7, completion_tokens: words, total_tokens: 7 + words };
}

const wordsOf = (text: string) => text.match(/\s*\S+/g) ?? [];

/** A whole answer as the provider's own service would tell it. */
export function wholeText(wire: Wire, text: string): Json {
  const usage = usageOf[wire](wordsOf(text).length);
  if (wire === "chat") {
    const choice = { index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" };
    return { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "m", choices: [choice], usage };
  }
  return responseObject({ output: [messageItem(text)], usage });
}

export function responseObject(changes: Json): Json {
  return { id: "resp_up", object: "response", created_at: 1, status: "completed", model: "m", ...changes };
}

export function messageItem(text: string): Json {
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  return { type: "message", id: "msg_up", role: "assistant", status: "completed", content: [part] };
}

/** The same as a stream: the first frames open it, then a frame a word, then those that end it. */
export function textFrames(wire: Wire, text: string): readonly string[] {
  return [
    ...openingFrames(wire),
    ...wordsOf(text).map((word) => deltaFrame(wire, word)),
    ...endFrames(wire, text),
  ];
}

export function openingFrames(wire: Wire): readonly string[] {
  if (wire === "chat") return [chatChunk({ delta: { role: "assistant", content: "" } })];
  const response = responseObject({ status: "in_progress", output: [] });
  const item = { type: "message", id: "msg_up", role: "assistant", status: "in_progress", content: [] };
  const part = { type: "output_text", text: "", annotations: [] };
  return [
    frame({ type: "response.created", response }),
    frame({ type: "response.in_progress", response }),
    frame({ type: "response.output_item.added", output_index: 0, item }),
    frame({
      type: "response.content_part.added",
      item_id: "msg_up",
      output_index: 0,
      content_index: 0,
      part,
    }),
  ];
}

export function deltaFrame(wire: Wire, delta: string): string {
  if (wire === "chat") return chatChunk({ delta: { content: delta } });
  const place = { item_id: "msg_up", output_index: 0, content_index: 0 };
  return frame({ type: "response.output_text.delta", ...place, delta });
}

export interface Ending {
  /** Stands in for true counts. */
  readonly usage: unknown;
}

export function endFrames(wire: Wire, text: string, ending?: Ending): readonly string[] {
  const usage = ending === undefined ? usageOf[wire](wordsOf(text).length) : ending.usage;
  if (wire === "chat") {
    return [chatChunk({ delta: {}, finish_reason: "stop" }), chatChunk(undefined, usage), "data: [DONE]\n\n"];
  }
  const item = messageItem(text);
  const place = { item_id: "msg_up", output_index: 0, content_index: 0 };
  return [
    frame({ type: "response.output_text.done", ...place, text }),
    frame({ type: "response.output_item.done", output_index: 0, item }),
    frame({ type: "response.completed", response: responseObject({ output: [item], usage }) }),
  ];
}

export function chatChunk(choice: Json | undefined, usage?: unknown): string {
  return frame({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: choice === undefined ? [] : [{ index: 0, finish_reason: null, ...choice }],
    ...(usage === undefined ? {} : { usage }),
  });
}

const turnUsage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };

/** A whole turn of a chat model, streamed or at once as the request wants; it says `said`, which may be calls. */
export function chatTurn({ stream }: Json, said: Json): Response {
  const finish_reason = said.tool_calls === undefined ? "stop" : "tool_calls";
  if (stream !== true) {
    const choices = [{ index: 0, message: { role: "assistant", ...said }, finish_reason }];
    return Response.json({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices,
      usage: turnUsage,
    });
  }
  return sse([
    chatChunk({ delta: { role: "assistant", ...said } }),
    chatChunk({ delta: {}, finish_reason }),
    chatChunk(undefined, turnUsage),
    "data: [DONE]\n\n",
  ]);
}
