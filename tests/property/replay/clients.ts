/** A client of each API that brings back what it got, whole or streamed, and answers every call. */

import { asList, asObject, isObject, type Json } from "../../support/event_stream.ts";
import { framesOf } from "../../money/rig.ts";

export interface Client {
  readonly path: string;
  readonly begin: readonly Json[];
  readonly body: (conversation: readonly Json[]) => Json;
  /** The conversation goes on with the answer and the results of its calls. */
  readonly next: (answer: Json) => readonly Json[];
  /** The whole answer of which the frames of a stream are the pieces. */
  readonly whole: (frames: readonly Json[]) => Json;
}

const parameters = { type: "object", properties: { at: { type: "string" } } };
const records = (value: unknown): readonly Json[] => Array.isArray(value) ? value.filter(isObject) : [];

const responses: Client = {
  path: "responses",
  begin: [{ role: "user", content: "Look around." }],
  body: (input) => ({
    input,
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "low" },
    tools: [{ type: "function", name: "look", parameters }],
  }),
  next: ({ output }) => [
    ...records(output),
    ...records(output).filter(({ type }) => type === "function_call")
      .map(({ call_id }) => ({ type: "function_call_output", call_id, output: "seen" })),
  ],
  whole: (frames) => asObject(frames.findLast(({ type }) => type === "response.completed")?.response),
};

const chat: Client = {
  path: "chat/completions",
  begin: [{ role: "user", content: "Look around." }],
  body: (messages) => ({
    messages,
    reasoning_effort: "low",
    tools: [{ type: "function", function: { name: "look", parameters } }],
  }),
  next: ({ choices }) => {
    const message = asObject(asObject(asList(choices)[0]).message);
    const results = records(message.tool_calls).map(({ id }) => ({
      role: "tool",
      tool_call_id: id,
      content: "seen",
    }));
    return [message, ...results];
  },
  whole: (frames) => {
    const message: Record<string, unknown> = { role: "assistant", content: null };
    for (const { choices } of frames) {
      for (const { delta } of records(choices)) if (isObject(delta)) addDelta(message, delta);
    }
    return { choices: [{ message }] };
  },
};

/** As OpenRouter's clients do it: pieces of one kind and number are one. */
function addDelta(message: Record<string, unknown>, delta: Json): void {
  const { content, tool_calls, reasoning_details } = delta;
  if (typeof content === "string" && content !== "") message.content = `${message.content ?? ""}${content}`;
  for (const piece of records(reasoning_details)) {
    message.reasoning_details = joined(records(message.reasoning_details), {
      piece,
      keys: ["type", "index"],
    });
  }
  for (const piece of records(tool_calls)) {
    message.tool_calls = joined(records(message.tool_calls), { piece, keys: ["index"] });
  }
}

interface Piece {
  readonly piece: Json;
  /** Fields by which it finds what it belongs to. */
  readonly keys: readonly string[];
}

function joined(list: readonly Json[], { piece, keys }: Piece): readonly Json[] {
  const at = list.findIndex((one) => keys.every((key) => one[key] === piece[key]));
  const before = list[at];
  return before === undefined ? [...list, piece] : list.toSpliced(at, 1, grown(before, piece));
}

function grown(before: Json, piece: Json): Json {
  const fields = Object.entries(piece).map(([key, value]) => {
    const old = before[key];
    const isText = ["text", "summary", "arguments"].includes(key);
    if (isText && typeof value === "string") return [key, `${old ?? ""}${value}`];
    return [key, isObject(value) && isObject(old) ? grown(old, value) : value];
  });
  return { ...before, ...Object.fromEntries(fields) };
}

const messages: Client = {
  path: "messages",
  begin: [{ role: "user", content: "Look around." }],
  body: (messages) => ({
    messages,
    max_tokens: 4_000,
    thinking: { type: "enabled", budget_tokens: 1_024 },
    tools: [{ name: "look", input_schema: parameters }],
  }),
  next: ({ content }) => [
    { role: "assistant", content },
    {
      role: "user",
      content: records(content).filter(({ type }) => type === "tool_use")
        .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "seen" })),
    },
  ],
  whole: (frames) => {
    const blocks: Record<string, unknown>[] = [];
    const inputs: string[] = [];
    for (const { type, index, content_block, delta } of frames) {
      const at = Number(index);
      if (type === "content_block_start") blocks[at] = { ...asObject(content_block) };
      const block = blocks[at];
      if (type !== "content_block_delta" || block === undefined) continue;
      const { partial_json, thinking, text, signature } = asObject(delta);
      if (typeof partial_json === "string") inputs[at] = (inputs[at] ?? "") + partial_json;
      if (typeof text === "string") block.text = `${block.text}${text}`;
      if (typeof thinking === "string") block.thinking = `${block.thinking}${thinking}`;
      if (typeof signature === "string") block.signature = signature;
    }
    inputs.forEach((json, at) => Object.assign(blocks[at] ?? {}, { input: JSON.parse(json) }));
    return { content: blocks };
  },
};

export const clients = { responses, chat, messages } as const;

interface Received {
  readonly text: string;
  readonly stream: boolean;
}

export const answerOf = (client: Client, { text, stream }: Received): Json =>
  stream ? client.whole(framesOf(text)) : asObject(JSON.parse(text));
