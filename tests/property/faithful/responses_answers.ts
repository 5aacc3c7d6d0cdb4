/** Answers of the Responses API, as streams and as wholes: items, parts, events and fields that nobody knows yet too. */

import fc from "fast-check";
import { type Json, objects } from "../../mocks/published.ts";
import { address, constant, listOf, name, record, text, value } from "./arbitraries.ts";

const annotation = record({
  type: constant("url_citation"),
  url: address,
  title: text,
  start_index: fc.nat(3),
  end_index: fc.nat(9),
});
const said = record({
  type: constant("output_text"),
  text,
  annotations: fc.array(annotation, { maxLength: 2 }),
  logprobs: constant([]),
});
const refused = record({ type: constant("refusal"), refusal: text });

const done = { status: constant("completed") };
const input = fc.dictionary(name, text, { maxKeys: 2 }).map((one) => JSON.stringify(one));

const item = fc.oneof(
  record({
    type: constant("message"),
    role: constant("assistant"),
    content: listOf(fc.oneof(said, refused)),
    ...done,
  }),
  record({ type: constant("function_call"), name, arguments: input, ...done }),
  record({ type: constant("custom_tool_call"), name, input: text, ...done }),
  record({
    type: constant("web_search_call"),
    action: record({ type: constant("search"), query: text }),
    ...done,
  }),
  record({ type: constant("mcp_call"), server_label: name, name, arguments: input, output: text, ...done }),
  record({ type: constant("later_item"), content: value, ...done }),
);

export interface ResponsesAnswer {
  readonly output: readonly Json[];
  /** An event that nobody knows, before each item. */
  readonly event: Json | undefined;
  /** A field of each delta that nobody knows. */
  readonly own: Json;
  readonly size: number;
}

/** Ids are unique in an answer. */
const numbered = (items: readonly Json[]): readonly Json[] =>
  items.map((one, at) => ({
    ...one,
    id: `${String(one.type).slice(0, 3)}_${at}`,
    ...(/^(function|custom_tool)_call$/.test(String(one.type)) ? { call_id: `call_${at}` } : {}),
  }));

export const responsesAnswers: fc.Arbitrary<ResponsesAnswer> = fc.record({
  output: listOf(item).map(numbered),
  event: fc.option(record({ type: constant("response.later.event") }, { words: text }), { nil: undefined }),
  own: record({}),
  size: fc.integer({ min: 1, max: 9 }),
});

const usage = {
  input_tokens: 5,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 12,
};

export const wholeResponse = ({ output }: Pick<ResponsesAnswer, "output">): Json => ({
  id: "resp_up",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  output,
  usage,
});

export function responseEvents({ output, event, own, size }: ResponsesAnswer): readonly Json[] {
  const begun = { ...wholeResponse({ output: [] }), status: "in_progress" };
  return [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...output.flatMap((one, output_index) => [
      ...(event === undefined ? [] : [event]),
      { type: "response.output_item.added", output_index, item: opened(one) },
      ...grown(one, size).map((delta) => ({ ...own, ...delta, output_index, item_id: one.id })),
      { type: "response.output_item.done", output_index, item: one },
    ]),
    { type: "response.completed", response: wholeResponse({ output }) },
  ].map((one, sequence_number) => ({ ...one, sequence_number }));
}

const opened = (item: Json): Json => ({
  ...item,
  status: "in_progress",
  ...(item.type === "message" ? { content: [] } : {}),
  ...(item.type === "function_call" ? { arguments: "" } : {}),
  ...(item.type === "custom_tool_call" ? { input: "" } : {}),
});

function grown(item: Json, size: number): readonly Json[] {
  const deltas = (type: string, text: unknown, more: Json = {}): readonly Json[] =>
    (String(text).match(new RegExp(`[^]{1,${size}}`, "g")) ?? []).map((delta) => ({ type, delta, ...more }));
  if (item.type === "function_call") return deltas("response.function_call_arguments.delta", item.arguments);
  if (item.type === "custom_tool_call") return deltas("response.custom_tool_call_input.delta", item.input);
  if (item.type !== "message") return [];
  return objects(item.content).flatMap((part, content_index) =>
    part.type === "refusal"
      ? deltas("response.refusal.delta", part.refusal, { content_index })
      : deltas("response.output_text.delta", part.text, { content_index, logprobs: [] })
  );
}
