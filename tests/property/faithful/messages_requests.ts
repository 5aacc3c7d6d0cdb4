/** Legal requests of the Messages API: every block and field that is published, and some that are not yet. */

import fc from "fast-check";
import { isObject, type Json, objects } from "../../mocks/published.ts";
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

const mark = record({ type: constant("ephemeral") }, { ttl: constant("5m"), scope: constant("global") });

const imageSource = fc.oneof(
  record({ type: constant("base64"), media_type: fc.constantFrom("image/png", "image/webp"), data: base64 }),
  record({ type: constant("url"), url: address }),
  record({ type: constant("file"), file_id: id }),
);

const webCitation = record({
  type: constant("web_search_result_location"),
  url: address,
  title: text,
  cited_text: text,
  encrypted_index: base64,
});
const placeCitation = record({
  type: fc.constantFrom("char_location", "page_location", "content_block_location"),
  cited_text: text,
  document_index: fc.nat(3),
  document_title: text,
}, { start_char_index: fc.nat(9), end_char_index: fc.nat(99) });

const textBlock = record({ type: constant("text"), text });
const citedBlock = record({ type: constant("text"), text }, {
  citations: listOf(fc.oneof(webCitation, placeCitation)),
});
const imageBlock = record({ type: constant("image"), source: imageSource }, {
  transformations: listOf(record({ type: constant("crop") })),
});
const citing = record({ enabled: flag });

const documentBlock = record({
  type: constant("document"),
  source: fc.oneof(
    record({ type: constant("base64"), media_type: constant("application/pdf"), data: base64 }),
    record({ type: constant("text"), media_type: constant("text/plain"), data: text }),
    record({ type: constant("url"), url: address.map((one) => `${one}.pdf`) }),
    record({ type: constant("file"), file_id: id }),
    record({ type: constant("content"), content: fc.oneof(text, listOf(fc.oneof(textBlock, imageBlock))) }),
  ),
}, { title: text, context: text, citations: citing });

const searchResult = record({
  type: constant("search_result"),
  source: address,
  title: text,
  content: listOf(textBlock),
}, { citations: citing });

/** A block of a kind that is newer than this gateway. */
const laterBlock = record({ type: fc.constantFrom("later_block", "audio_note"), content: value }, { text });

const shown = fc.oneof(textBlock, imageBlock, documentBlock, searchResult, laterBlock);
const reference = record({ type: constant("tool_reference"), tool_name: name });

const resultOf = fc.tuple(
  record({ type: constant("tool_result") }, {
    content: fc.oneof(text, listOf(fc.oneof(shown, reference))),
    is_error: constant(true),
    toolset_name: name,
  }),
  flag,
).map(([result, isMarked]): Json => {
  const { content } = result;
  if (!isMarked || !Array.isArray(content)) return result;
  const marked = content.map((one, at) =>
    at === content.length - 1 ? { ...one, cache_control: { type: "ephemeral" } } : one
  );
  return { ...result, content: marked };
});

const caller = fc.oneof(
  record({ type: constant("direct") }),
  record({ type: constant("code_execution_20250825"), tool_id: id }),
);
const call = record({ type: constant("tool_use"), name, input: fc.dictionary(name, value, { maxKeys: 2 }) }, {
  caller,
  toolset_name: name,
});

const thinking = fc.oneof(
  record({ type: constant("thinking"), thinking: text, signature: base64 }),
  record({ type: constant("redacted_thinking"), data: base64 }),
);

/** Blocks that a tool of the provider's own left: a call and its result, side by side. */
const searched = fc.tuple(
  id,
  listOf(record({ type: constant("web_search_result"), url: address, title: text })),
).map((
  [callId, content],
): readonly Json[] => [
  { type: "server_tool_use", id: callId, name: "web_search", input: { query: "q" } },
  { type: "web_search_tool_result", tool_use_id: callId, content },
]);
const alone = record({ type: constant("tool_search_tool_result"), tool_use_id: id, content: value });
const compaction = record({ type: constant("compaction"), content: text });

const said = fc.oneof(citedBlock, laterBlock, alone, compaction).map((one): readonly Json[] => [one]);

/** A turn: what the user says, what the assistant thinks, says and calls, and what its tools answer. */
const turn = fc.record({
  user: fc.oneof(text, listOf(shown)),
  thoughts: fc.array(thinking, { maxLength: 1 }),
  said: fc.array(fc.oneof(said, searched), { minLength: 1, maxLength: 3 }),
  calls: fc.array(fc.tuple(call, resultOf), { maxLength: 2 }),
  more: fc.array(shown, { maxLength: 1 }),
  note: fc.option(text, { nil: undefined }),
  /** Whether calls stand in front of what is said, and results the other way round. */
  isMixed: flag,
});

function messagesOf(
  turns: readonly (typeof turn extends fc.Arbitrary<infer T> ? T : never)[],
  last: unknown,
): readonly Json[] {
  let calls = 0;
  const messages = turns.flatMap(({ user, thoughts, said, calls: called, more, note, isMixed }) => {
    const named = called.map(([call, result]) => ({ call, result, id: `toolu_${++calls}` }));
    const answers = named.map(({ result, id }) => ({ ...result, tool_use_id: id }));
    const blocks = named.map(({ call, id }) => ({ ...call, id }));
    return [
      { role: "user", content: user },
      {
        role: "assistant",
        content: [...thoughts, ...(isMixed ? [...blocks, ...said.flat()] : [...said.flat(), ...blocks])],
      },
      ...(answers.length === 0
        ? []
        : [{ role: "user", content: [...(isMixed ? answers.toReversed() : answers), ...more] }]),
      ...(note === undefined ? [] : [{ role: "system", content: note }]),
    ];
  });
  return [...messages, { role: "user", content: last }];
}

const messages = fc.tuple(fc.array(turn, { maxLength: 2 }), fc.oneof(text, listOf(shown))).map((
  [turns, last],
) => messagesOf(turns, last));

const ownTool = record({ type: constant("web_search_20260209"), name: constant("web_search") }, {
  max_uses: fc.integer({ min: 1, max: 5 }),
  allowed_domains: listOf(constant("example.org")),
});
const toolset = record({ type: constant("mcp_toolset"), mcp_server_name: name });

const clientTool = record({ name, input_schema: closedSchema }, {
  description: text,
  strict: flag,
  defer_loading: flag,
  allowed_callers: listOf(constant("direct")),
  input_examples: listOf(constant({ a: 1 })),
  eager_input_streaming: flag,
  cache_control: mark,
});

const tools = fc.uniqueArray(fc.oneof(clientTool, clientTool, ownTool, toolset), {
  minLength: 1,
  maxLength: 3,
  selector: ({ name, type }) => `${type === "mcp_toolset" ? type : name}`,
});

const choice = fc.oneof(
  record({ type: fc.constantFrom("auto", "any") }, { disable_parallel_tool_use: constant(true) }),
  record({ type: constant("none") }),
);

/** Two or more marks of one lifetime stay below the four that the provider takes. */
const marked = fc.tuple(messages, fc.option(mark, { nil: undefined })).map(([all, cache_control]) => {
  const last = all.at(-1);
  const content = last?.content;
  if (cache_control === undefined || !Array.isArray(content)) return all;
  const blocks = content.map((block, at) => at === content.length - 1 ? { ...block, cache_control } : block);
  return [...all.slice(0, -1), { ...last, content: blocks }];
});

const sampling = fc.oneof(
  fc.record({ thinking: record({ type: constant("adaptive"), display: constant("summarized") }) }),
  fc.constant({ thinking: { type: "disabled" } }),
  fc.record({ thinking: record({ type: constant("enabled"), budget_tokens: constant(2_000) }) }),
  fc.record({ temperature: fc.constantFrom(0, 0.25, 1) }),
  fc.record({ top_k: fc.nat(40) }),
  fc.constant({}),
);

const outputConfig = record({}, {
  effort: fc.constantFrom("low", "high"),
  format: record({ type: constant("json_schema"), schema: closedSchema }),
})
  .filter((one) => Object.keys(one).length > 0);

export const messagesRequests: fc.Arbitrary<Json> = fc.tuple(
  record({
    model: constant("claude-opus-4-6"),
    max_tokens: fc.integer({ min: 3_000, max: 9_000 }),
    messages: marked,
  }, {
    system: fc.oneof(text, listOf(citedBlock)),
    stop_sequences: listOf(text),
    stream: flag,
    service_tier: fc.constantFrom("auto", "standard_only"),
    output_config: outputConfig,
    diagnostics: value,
    metadata: fc.record({ user_id: text }),
    context_management: value,
    container: id,
    mcp_servers: value,
  }),
  fc.oneof(fc.constant({}), fc.record({ tools }), fc.record({ tools, tool_choice: choice })),
  sampling,
).map(([body, offered, options]) => JSON.parse(JSON.stringify(legal({ ...body, ...offered, ...options }))));

/** The provider takes four marks, and refuses thinking beside a forced call, and a budget in a turn of calls that was begun without thoughts. */
function legal(body: Json): Json {
  const { thinking, tool_choice: choice, messages, tools } = body;
  const marks = JSON.stringify(body).split('"cache_control":').length - 1;
  if (marks > 4) {
    return legal({
      ...body,
      tools: objects(tools).map(({ cache_control: _, ...tool }) => tool),
    });
  }
  if (!isObject(thinking)) return body;
  const isForced = isObject(choice) && choice.type === "any";
  const turns = objects(messages).map(({ content }) => objects(content));
  const isUnthought = turns.some((blocks) =>
    blocks.some(({ type }) => type === "tool_use") && !String(blocks[0]?.type).endsWith("thinking")
  );
  return isForced || (thinking.type === "enabled" && isUnthought) ? { ...body, thinking: undefined } : body;
}
