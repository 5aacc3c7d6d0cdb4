/** Legal requests of the chat API: every field that is published, and some that are not yet. */

import fc from "fast-check";
import type { Json } from "../../mocks/published.ts";
import {
  address,
  base64,
  closedSchema,
  constant,
  flag,
  id,
  listOf,
  name,
  record,
  text,
  value,
} from "./arbitraries.ts";

const point = fc.record({ mode: constant("explicit"), ttl: constant("30m") }, { requiredKeys: ["mode"] });

const textPart = record({ type: constant("text"), text }, { prompt_cache_breakpoint: point });
const plainPart = record({ type: constant("text"), text });

const imagePart = record({
  type: constant("image_url"),
  image_url: record({ url: address }, { detail: fc.constantFrom("auto", "low", "high") }),
}, { prompt_cache_breakpoint: point });

const audioPart = record({
  type: constant("input_audio"),
  input_audio: record({ data: base64, format: fc.constantFrom("wav", "mp3") }),
});

const filePart = record({
  type: constant("file"),
  file: fc.oneof(
    record({ filename: name, file_data: base64.map((data) => `data:application/pdf;base64,${data}`) }),
    record({ file_id: id }),
  ),
});

const instruction = record({
  role: fc.constantFrom("system", "developer"),
  content: fc.oneof(text, listOf(textPart)),
});

const user = record({
  role: constant("user"),
  content: fc.oneof(text, listOf(fc.oneof(textPart, imagePart, audioPart, filePart))),
}, { name });

const functionCall = record({
  type: constant("function"),
  function: fc.record({
    name,
    arguments: fc.dictionary(name, text, { maxKeys: 2 }).map((one) => JSON.stringify(one)),
  }),
});
const customCall = record({ type: constant("custom"), custom: fc.record({ name, input: text }) });

const thoughts = fc.record({
  reasoning_content: text,
  annotations: listOf(value),
  refusal: text,
}, { requiredKeys: [] });

/** A turn: what is asked, what is answered or called, and what the tools say. */
const turn = fc.record({
  user,
  said: fc.oneof(text, listOf(plainPart)),
  assistant: record({}, { name }),
  thoughts,
  calls: fc.array(
    fc.tuple(fc.oneof(functionCall, customCall), fc.oneof(text, listOf(textPart)), record({})),
    { maxLength: 2 },
  ),
});

function messagesOf(
  turns: readonly (typeof turn extends fc.Arbitrary<infer T> ? T : never)[],
): readonly Json[] {
  let calls = 0;
  return turns.flatMap(({ user, said, assistant, thoughts, calls: called }): readonly Json[] => {
    const named = called.map(([call, content, own]) => ({ call, content, own, id: `call_${++calls}` }));
    const tool_calls = named.map(({ call, id }) => ({ ...call, id }));
    return [
      user,
      {
        ...assistant,
        ...thoughts,
        role: "assistant",
        content: said,
        ...(named.length === 0 ? {} : { tool_calls }),
      },
      ...named.map(({ content, own, id }) => ({ ...own, role: "tool", tool_call_id: id, content })),
    ];
  });
}

const messages = fc.tuple(fc.array(instruction, { maxLength: 2 }), fc.array(turn, { maxLength: 2 }), user)
  .map((
    [first, turns, last],
  ) => [...first, ...messagesOf(turns), last]);

const functionTool = record({
  type: constant("function"),
  function: record({ name }, { description: text, parameters: closedSchema, strict: flag }),
});
const customTool = record({ type: constant("custom"), custom: record({ name }, { description: text }) });

const nameOf = (tool: Json): string =>
  JSON.stringify(tool.function ?? tool.custom).match(/"name":"([^"]*)"/)?.[1] ?? "";
const tools = fc.uniqueArray(fc.oneof(functionTool, functionTool, customTool), {
  minLength: 1,
  maxLength: 3,
  selector: nameOf,
});

const choices = (offered: readonly Json[]): fc.Arbitrary<unknown> => {
  const [first = {}] = offered;
  const kind = String(first.type);
  const named = { type: kind, [kind]: { name: nameOf(first) } };
  return fc.oneof(
    fc.constantFrom("auto", "none", "required"),
    record({ type: constant(kind), [kind]: constant(named[kind]) }),
    fc.constantFrom("auto", "required").map((mode) => ({
      type: "allowed_tools",
      allowed_tools: { mode, tools: [named] },
    })),
  );
};

const offered = tools.chain((list) =>
  fc.record({ tools: fc.constant(list), tool_choice: choices(list), parallel_tool_calls: flag }, {
    requiredKeys: ["tools"],
  })
);

const format = fc.oneof(
  record({ type: constant("text") }),
  record({ type: constant("json_object") }),
  record({
    type: constant("json_schema"),
    json_schema: record({ name, schema: closedSchema }, { description: text, strict: flag }),
  }),
);

const share = fc.constantFrom(0, 0.25, 0.5, 1);

export const chatRequests: fc.Arbitrary<Json> = fc.tuple(
  record({ model: constant("acme-1"), messages }, {
    stream: flag,
    max_tokens: fc.integer({ min: 1, max: 99 }),
    temperature: share,
    top_p: share,
    frequency_penalty: share,
    presence_penalty: share,
    seed: fc.nat(9),
    stop: fc.oneof(text, listOf(text)),
    logit_bias: constant({ "50256": -100 }),
    top_logprobs: fc.integer({ min: 1, max: 5 }),
    response_format: format,
    reasoning_effort: fc.constantFrom("none", "low", "high"),
    verbosity: fc.constantFrom("low", "high"),
    modalities: constant(["text"]),
    service_tier: fc.constantFrom("auto", "flex", "priority"),
    prompt_cache_key: text,
    prompt_cache_options: constant({ mode: "explicit" }),
    prompt_cache_retention: constant("24h"),
    moderation: value,
    metadata: constant({ a: "b" }),
    user: text,
    store: constant(false),
    n: constant(1),
  }),
  fc.oneof(fc.constant({}), offered),
  record({}),
).map(([body, list, own]) => {
  const all = {
    ...body,
    ...list,
    ...(body.stream === true ? { stream_options: { ...own, include_usage: true } } : {}),
  };
  return JSON.parse(JSON.stringify(all));
});
