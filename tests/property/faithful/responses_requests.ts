/** Legal requests of the Responses API: every field, item and tool that is published, and top-level fields that are not. */

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

/** The provider refuses fields that it does not publish: an object has its own ones only. */
function object(
  required: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  optional: Readonly<Record<string, fc.Arbitrary<unknown>>> = {},
): fc.Arbitrary<Json> {
  return fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) });
}

const point = object({ mode: constant("explicit") }, { ttl: constant("30m") });
const mark = { prompt_cache_breakpoint: point };
const idOf = (prefix: string) => fc.stringMatching(/^[a-z0-9]{6,12}$/).map((one) => `${prefix}_${one}`);

const inputText = object({ type: constant("input_text"), text }, mark);
const inputImage = fc.oneof(
  object({
    type: constant("input_image"),
    detail: fc.constantFrom("auto", "low", "original"),
    image_url: address,
  }, mark),
  object({ type: constant("input_image"), detail: constant("auto"), file_id: id }, mark),
);
const inputFile = fc.oneof(
  object({
    type: constant("input_file"),
    filename: name,
    file_data: base64.map((one) => `data:text/csv;base64,${one}`),
  }, {
    detail: constant("low"),
    ...mark,
  }),
  object({ type: constant("input_file"), file_url: address }, mark),
  object({ type: constant("input_file"), file_id: id }),
);
const inputAudio = object({
  type: constant("input_audio"),
  input_audio: object({ data: base64, format: constant("wav") }),
}, mark);
const shown = fc.oneof(inputText, inputImage, inputFile);

const user = object({
  type: constant("message"),
  role: fc.constantFrom("user", "system", "developer"),
  content: listOf(fc.oneof(shown, inputAudio)),
}, { id: idOf("msg"), status: constant("completed") });
const easy = object({ role: fc.constantFrom("user", "developer"), content: text }, {
  type: constant("message"),
});

const annotation = object({
  type: constant("url_citation"),
  url: address,
  title: text,
  start_index: fc.nat(3),
  end_index: fc.nat(9),
});
const said = object({
  type: constant("output_text"),
  text,
  annotations: fc.array(annotation, { maxLength: 2 }),
}, {
  logprobs: constant([]),
});
const answer = object({
  type: constant("message"),
  role: constant("assistant"),
  id: idOf("msg"),
  status: fc.constantFrom("completed", "incomplete"),
  content: listOf(fc.oneof(said, object({ type: constant("refusal"), refusal: text }))),
}, { phase: fc.constantFrom("commentary", "final_answer") });
const easyAnswer = object({ role: constant("assistant"), content: text }, {
  phase: constant("final_answer"),
});

const reasoning = object({
  type: constant("reasoning"),
  id: idOf("rs"),
  summary: fc.array(object({ type: constant("summary_text"), text }), { maxLength: 2 }),
  encrypted_content: base64,
}, { status: constant("completed") });

const caller = object({ type: constant("program"), caller_id: id });
const calledWith = fc.dictionary(name, text, { maxKeys: 2 }).map((one) => JSON.stringify(one));

const calls = fc.oneof(
  fc.tuple(
    object({ type: constant("function_call"), name, arguments: calledWith }, {
      id: idOf("fc"),
      status: constant("completed"),
      namespace: name,
      caller,
      async: flag,
    }),
    object({ type: constant("function_call_output"), output: fc.oneof(text, listOf(shown)) }, {
      id: idOf("fco"),
      caller,
      name,
    }),
  ),
  fc.tuple(
    object({ type: constant("custom_tool_call"), name, input: text }, { id: idOf("ctc"), caller }),
    object({ type: constant("custom_tool_call_output"), output: fc.oneof(text, listOf(shown)) }, { caller }),
  ),
  fc.tuple(
    object({ type: constant("shell_call"), action: object({ commands: listOf(text) }) }, {
      id: idOf("sh"),
      environment: value,
    }),
    object({
      type: constant("shell_call_output"),
      output: listOf(
        object({ stdout: text, stderr: text, outcome: constant({ type: "exit", exit_code: 0 }) }),
      ),
    }, { max_output_length: fc.nat(9) }),
  ),
  fc.tuple(
    object({
      type: constant("apply_patch_call"),
      operation: object({ type: constant("delete_file"), path: name }),
      status: constant("completed"),
    }),
    object({ type: constant("apply_patch_call_output"), status: constant("completed") }, { output: text }),
  ),
);

const hosted = fc.oneof(
  object({
    type: constant("web_search_call"),
    id: idOf("ws"),
    status: constant("completed"),
    action: object({ type: constant("search"), query: text }),
  }),
  object({
    type: constant("file_search_call"),
    id: idOf("fs"),
    status: constant("completed"),
    queries: listOf(text),
  }),
  object({
    type: constant("image_generation_call"),
    id: idOf("ig"),
    status: constant("completed"),
    result: base64,
  }),
  object({
    type: constant("code_interpreter_call"),
    id: idOf("ci"),
    status: constant("completed"),
    code: text,
    container_id: id,
  }),
  object({ type: constant("mcp_call"), id: idOf("mcp"), server_label: name, name, arguments: calledWith }, {
    output: text,
  }),
  object({
    type: constant("mcp_list_tools"),
    id: idOf("mcpl"),
    server_label: name,
    tools: listOf(object({ name })),
  }),
  object({ type: constant("compaction"), encrypted_content: base64 }, { id: idOf("cmp") }),
  object({ type: constant("tool_search_call"), arguments: object({ query: text }) }, {
    call_id: id,
    execution: constant("server"),
  }),
  object({
    type: constant("tool_search_output"),
    tools: listOf(object({ type: constant("function"), name })),
  }, { call_id: id }),
  object({ type: constant("program"), id, call_id: id, code: text }),
);

const group = fc.oneof(
  fc.oneof(user, easy, answer, easyAnswer, reasoning, hosted).map((one): readonly Json[] => [one]),
  calls,
);

/** A call and its result have one id. */
const numbered = (groups: readonly (readonly Json[])[]): readonly Json[] =>
  groups.flatMap((all, at) => all.length === 1 ? all : all.map((one) => ({ ...one, call_id: `call_${at}` })));

const input = fc.oneof(
  text,
  fc.tuple(fc.array(group, { maxLength: 4 }), user).map(([groups, last]) => [...numbered(groups), last]),
);

const functionTool = object({ type: constant("function"), name, parameters: closedSchema }, {
  description: text,
  strict: flag,
  defer_loading: constant(false),
  allowed_callers: listOf(constant("direct")),
  output_schema: constant({ type: "object" }),
  async: flag,
});
const grammar = object({
  type: constant("grammar"),
  syntax: fc.constantFrom("lark", "regex"),
  definition: text,
});
const customTool = object({ type: constant("custom"), name }, {
  description: text,
  format: fc.oneof(grammar, constant({ type: "text" })),
});
const namespace = object({
  type: constant("namespace"),
  name,
  description: text,
  tools: fc.tuple(functionTool),
});
const hostedTool = fc.oneof(
  object({ type: constant("web_search") }, {
    search_context_size: constant("low"),
    filters: constant({ allowed_domains: ["example.org"] }),
    external_web_access: flag,
  }),
  object({ type: constant("file_search"), vector_store_ids: listOf(id) }, { max_num_results: constant(3) }),
  object({ type: constant("code_interpreter"), container: constant({ type: "auto" }) }),
  object({ type: constant("mcp"), server_label: name, server_url: address }, {
    require_approval: constant("never"),
  }),
  object({ type: constant("image_generation") }, { quality: constant("low"), size: constant("auto") }),
  object({ type: fc.constantFrom("local_shell", "shell", "apply_patch", "programmatic_tool_calling") }),
);

const offered = fc.uniqueArray(fc.oneof(functionTool, functionTool, customTool, namespace, hostedTool), {
  minLength: 1,
  maxLength: 4,
  selector: (tool) => String(tool.name ?? tool.type),
}).chain((tools) => {
  const [first = {}] = tools;
  const named = first.name === undefined || first.type === "namespace" || first.type === "mcp"
    ? "auto"
    : { type: first.type, name: first.name };
  return fc.record({
    tools: fc.constant(tools),
    tool_choice: fc.constantFrom("auto", "none", "required", named),
    parallel_tool_calls: flag,
  }, { requiredKeys: ["tools"] });
});

const format = fc.oneof(
  object({ type: constant("json_schema"), name, schema: closedSchema }, { description: text, strict: flag }),
  constant({ type: "json_object" }),
  constant({ type: "text" }),
);

export const responsesRequests: fc.Arbitrary<Json> = fc.tuple(
  record({ model: constant("gpt-6-sol"), input }, {
    instructions: text,
    stream: flag,
    store: constant(false),
    max_output_tokens: fc.integer({ min: 16, max: 99 }),
    temperature: fc.constantFrom(0, 0.5, 1),
    top_p: fc.constantFrom(0.5, 1),
    top_logprobs: fc.nat(5),
    reasoning: object({}, {
      effort: fc.constantFrom("low", "high"),
      summary: constant("auto"),
      context: constant("all_turns"),
    }),
    text: object({}, { format, verbosity: fc.constantFrom("low", "high") }),
    truncation: fc.constantFrom("auto", "disabled"),
    include: listOf(constant("reasoning.encrypted_content")),
    service_tier: fc.constantFrom("auto", "flex", "priority"),
    prompt_cache_key: text,
    prompt_cache_options: object({ mode: constant("explicit") }, { ttl: constant("30m") }),
    prompt_cache_retention: constant("24h"),
    context_management: value,
    moderation: value,
    stream_options: constant({ include_obfuscation: false }),
    metadata: constant({ a: "b" }),
    user: text,
    safety_identifier: text,
    background: constant(false),
  }),
  fc.oneof(fc.constant({}), offered),
).map(([body, list]) => JSON.parse(JSON.stringify({ ...body, ...list })));
