/** Answers of the chat API, as streams and as wholes, with fields that are not published yet. */

import fc from "fast-check";
import { isObject, type Json, objects } from "../../mocks/published.ts";
import { constant, id, name, record, text } from "./arbitraries.ts";

const call = fc.record({
  id,
  name,
  input: fc.dictionary(name, text, { maxKeys: 2 }).map((one) => JSON.stringify(one)),
});

export interface ChatAnswer {
  readonly content: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  /** Fields that are not published: of the message, beside it, and at the top. */
  readonly message: Json;
  readonly choice: Json;
  readonly answer: Json;
  /** Characters of each chunk. */
  readonly size: number;
}

const laterText = record({}, { later_text: text, citations: fc.array(text, { minLength: 1, maxLength: 3 }) });

export const chatAnswers: fc.Arbitrary<ChatAnswer> = fc.record({
  content: text,
  calls: fc.uniqueArray(call, { maxLength: 2, selector: (one) => one.id }),
  message: laterText,
  choice: record({}, { native_finish_reason: constant("eos") }),
  answer: record({}, { citations: fc.array(text, { minLength: 1, maxLength: 3 }) }),
  size: fc.integer({ min: 1, max: 9 }),
});

const top = { id: "chatcmpl_up", created: 1, model: "m" };
const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };
const reason = ({ calls }: ChatAnswer) => calls.length > 0 ? "tool_calls" : "stop";

export const wholeChat = (chat: ChatAnswer): Json => ({
  ...chat.answer,
  ...top,
  object: "chat.completion",
  choices: [{
    ...chat.choice,
    index: 0,
    message: {
      ...chat.message,
      role: "assistant",
      content: chat.content,
      ...(chat.calls.length === 0 ? {} : { tool_calls: chat.calls.map(callOf) }),
    },
    finish_reason: reason(chat),
  }],
  usage,
});

const callOf = ({ id, name, input }: ChatAnswer["calls"][number]): Json => ({
  id,
  type: "function",
  function: { name, arguments: input },
});

export function chatChunks(chat: ChatAnswer): readonly Json[] {
  const chunk = (delta: Json, more: Json = {}): Json => ({
    ...top,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  });
  return [
    { ...chunk({ role: "assistant", content: "" }), ...chat.answer },
    ...pieces(chat.content, chat.size).map((content) => chunk({ content })),
    ...Object.entries(chat.message).flatMap(([key, value]) =>
      split(value, chat.size).map((one) => chunk({ [key]: one }))
    ),
    ...chat.calls.flatMap((one, index) => [
      chunk({ tool_calls: [{ index, ...callOf({ ...one, input: "" }) }] }),
      ...pieces(one.input, chat.size).map((text) =>
        chunk({ tool_calls: [{ index, function: { arguments: text } }] })
      ),
    ]),
    chunk({}, { ...chat.choice, finish_reason: reason(chat) }),
    { ...top, object: "chat.completion.chunk", choices: [], usage },
  ];
}

const pieces = (text: string, size: number): readonly string[] =>
  text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

/** Texts and lists come in pieces. */
function split(value: unknown, size: number): readonly unknown[] {
  if (typeof value === "string") return pieces(value, size);
  return Array.isArray(value) ? value.map((one) => [one]) : [value];
}

/** Adds up a stream as a client does: texts and lists are joined, each other field is said once. */
export function addedUp(chunks: readonly Json[]): Json {
  let all: Json = {};
  let beside: Json = {};
  const message: Record<string, unknown> = {};
  const calls: Record<string, string>[] = [];
  for (const { choices, ...rest } of chunks) {
    all = { ...all, ...rest };
    for (const { delta, ...choice } of objects(choices)) {
      beside = { ...beside, ...choice };
      const { tool_calls, ...said } = isObject(delta) ? delta : {};
      for (const [key, value] of Object.entries(said)) message[key] = grown(message[key], value);
      for (const one of objects(tool_calls)) addCall(calls, one);
    }
  }
  const tool_calls = calls.map(({ id = "", name = "", input = "" }) => callOf({ id, name, input }));
  return {
    ...all,
    choices: [{ ...beside, message: { ...message, ...(calls.length === 0 ? {} : { tool_calls }) } }],
  };
}

function grown(before: unknown, value: unknown): unknown {
  if (typeof value === "string" && typeof before === "string") return before + value;
  return Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value ?? before;
}

function addCall(calls: Record<string, string>[], { index, id, function: called }: Json): void {
  const { name, arguments: text = "" } = isObject(called) ? called : {};
  const call = calls[Number(index)] ??= { id: String(id), name: String(name), input: "" };
  call.input += String(text);
}
