/** Answers of the Messages API, as streams and as wholes: every block that is published, and some that are not yet. */

import fc from "fast-check";
import { isObject, type Json, objects } from "../../mocks/published.ts";
import { address, base64, constant, id, listOf, name, record, text, value } from "./arbitraries.ts";

const citation = fc.oneof(
  record({
    type: constant("web_search_result_location"),
    url: address,
    title: text,
    cited_text: text,
    encrypted_index: base64,
  }),
  record({
    type: fc.constantFrom("char_location", "later_location"),
    cited_text: text,
    document_index: fc.nat(3),
  }),
);

const textBlock = record({ type: constant("text"), text }, { citations: listOf(citation) });
const thinking = record({ type: constant("thinking"), thinking: text, signature: base64 });
const redacted = record({ type: constant("redacted_thinking"), data: base64 });
const call = record({
  type: constant("tool_use"),
  id,
  name,
  input: fc.dictionary(name, text, { maxKeys: 2 }),
}, {
  caller: record({ type: constant("direct") }),
});
const later = record({ type: fc.constantFrom("later_block", "audio_note"), content: value }, {
  text,
  thinking: text,
});

const searched = fc.tuple(
  id,
  listOf(record({ type: constant("web_search_result"), url: address, title: text })),
).map(
  ([callId, content]): readonly Json[] => [
    { type: "server_tool_use", id: callId, name: "web_search", input: { query: "q" } },
    { type: "web_search_tool_result", tool_use_id: callId, content },
  ],
);

const one = fc.oneof(textBlock, textBlock, thinking, redacted, call, later).map((
  block,
): readonly Json[] => [block]);

export interface MessagesAnswer {
  readonly content: readonly Json[];
  /** Fields of the message: those that come at its beginning, and those that come at its end. */
  readonly first: Json;
  readonly last: Json;
  /** An event that is not published, between the blocks. */
  readonly event: Json | undefined;
  /** Characters of each delta. */
  readonly size: number;
}

/** Ids of calls are unique in an answer. */
const numbered = (blocks: readonly Json[]): readonly Json[] => {
  const names = new Map<unknown, string>();
  return blocks.map((block, at) => {
    if (typeof block.id === "string") {
      names.set(block.id, `id_${at}`);
      return { ...block, id: `id_${at}` };
    }
    return typeof block.tool_use_id === "string"
      ? { ...block, tool_use_id: names.get(block.tool_use_id) }
      : block;
  });
};

export const messagesAnswers: fc.Arbitrary<MessagesAnswer> = fc.record({
  content: fc.array(fc.oneof(one, searched), { minLength: 1, maxLength: 5 }).map((all) =>
    numbered(all.flat())
  ),
  first: record({}, { container: record({ id }) }),
  last: record({}, { context_management: value }),
  event: fc.option(record({ type: constant("later_event") }, { words: text }), { nil: undefined }),
  size: fc.integer({ min: 1, max: 9 }),
});

/** With a call an answer ends as one, whatever a server calls its end (tests/differential/call_ends_test.ts). */
const stopOf = ({ content }: MessagesAnswer) => ({
  stop_reason: content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
  stop_sequence: null,
});
const usage = { input_tokens: 5, output_tokens: 7 };

export const wholeMessage = (answer: MessagesAnswer): Json => ({
  id: "msg_up",
  type: "message",
  role: "assistant",
  model: "claude-opus-4-6",
  content: answer.content,
  ...stopOf(answer),
  ...answer.first,
  ...answer.last,
  usage,
});

export function messageEvents(answer: MessagesAnswer): readonly Json[] {
  const { content, first, last, event, size } = answer;
  const message = {
    id: "msg_up",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    usage,
    ...first,
  };
  return [
    { type: "message_start", message },
    { type: "ping" },
    ...content.flatMap((block, index) => [
      ...blockEvents(block, size).map((one) => ({ ...one, index })),
      ...(event === undefined ? [] : [event]),
    ]),
    { type: "message_delta", delta: { ...stopOf(answer), ...last }, usage },
    { type: "message_stop" },
  ];
}

function blockEvents(block: Json, size: number): readonly Json[] {
  const { type, text, thinking, signature, input, citations, ...rest } = block;
  const grown = type === "text" || type === "thinking" || type === "tool_use" || type === "later_block";
  if (!grown) {
    return [{ type: "content_block_start", content_block: block }, { type: "content_block_stop" }];
  }
  const started = {
    type,
    ...(text === undefined ? {} : { text: "" }),
    ...(thinking === undefined ? {} : { thinking: "" }),
    ...(signature === undefined ? {} : { signature: "" }),
    ...(input === undefined ? {} : { input: {} }),
    ...rest,
  };
  const deltas = [
    ...pieces(thinking, size).map((thinking) => ({ type: "thinking_delta", thinking })),
    ...(signature === undefined ? [] : [{ type: "signature_delta", signature }]),
    ...pieces(text, size).map((text) => ({ type: "text_delta", text })),
    ...objects(citations).map((citation) => ({ type: "citations_delta", citation })),
    ...pieces(input === undefined ? undefined : JSON.stringify(input), size).map((partial_json) => ({
      type: "input_json_delta",
      partial_json,
    })),
    ...(type === "later_block"
      ? pieces("some later words", size).map((words) => ({ type: "later_delta", words }))
      : []),
  ];
  return [
    { type: "content_block_start", content_block: started },
    ...deltas.map((delta) => ({ type: "content_block_delta", delta })),
    { type: "content_block_stop" },
  ];
}

const pieces = (text: unknown, size: number): readonly string[] =>
  typeof text === "string" ? text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [] : [];

/** Adds up a stream as a client does: gives the message, and the events that the client does not know. */
export function accumulated(events: readonly Json[]): Json {
  const later: Json[] = [];
  const content: Record<string, unknown>[] = [];
  let message: Json = {};
  for (const event of events) {
    const { type, content_block: block, delta } = event;
    if (type === "message_start" && isObject(event.message)) message = { ...event.message, ...message };
    else if (type === "content_block_start" && isObject(block)) content.push({ ...block });
    else if (type === "content_block_delta" && isObject(delta)) grow(content.at(-1) ?? {}, delta);
    else if (type === "message_delta" && isObject(delta)) message = { ...message, ...delta };
    else if (type === "later_event") later.push(event);
  }
  return { ...message, content: content.map(finished), later };
}

function grow(block: Record<string, unknown>, { type, ...delta }: Json): void {
  if (type === "citations_delta") block.citations = [...objects(block.citations), delta.citation];
  else {
    const [field = "", piece] = Object.entries(delta)[0] ?? [];
    block[field] = `${block[field] ?? ""}${piece}`;
  }
}

function finished({ partial_json: json, ...block }: Record<string, unknown>): Json {
  return json === undefined ? block : { ...block, input: JSON.parse(String(json)) };
}
