import assert from "node:assert/strict";
import { validate } from "../validation/validate.ts";
import { includable, responseRequest } from "./request.ts";

/** The first complaint about a body that has an input and `fields`. */
function complain(fields: Readonly<Record<string, unknown>>): string {
  const checked = validate(responseRequest, { input: "Hello", ...fields });
  return checked.ok ? "taken" : checked.faults[0]?.message ?? "";
}

const x = (length: number) => "x".repeat(length);
const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, "v"]));
const tool = (type: string, parameters: unknown) => ({ tools: [{ type, parameters }] });
const plugin = (id: string, fields: Readonly<Record<string, unknown>>) => ({ plugins: [{ id, ...fields }] });
const item = (value: unknown) => ({ input: [value] });
const patterns = (count: number, length: number) => Array.from({ length: count }, () => x(length));

/** Just inside of every limit. */
const inside: readonly Readonly<Record<string, unknown>>[] = [
  { session_id: x(256), user: x(256) },
  { session_id: "😀".repeat(256) },
  { metadata: pairs(16) },
  { metadata: { [x(64)]: x(512) } },
  { metadata: {} },
  { max_tool_calls: 1 },
  { max_tool_calls: 30, max_output_tokens: 1 },
  { temperature: 0, top_p: 0, frequency_penalty: -2, presence_penalty: 2, top_logprobs: 0 },
  { temperature: 2, top_p: 1, frequency_penalty: 2, presence_penalty: -2, top_logprobs: 20 },
  { top_k: 40 },
  { include: [...includable] },
  { store: false, stream: null, previous_response_id: null, conversation: null, prompt: null },
  { provider: { max_price: { prompt: "0.000001", completion: 3 } } },
  plugin("auto-router", { allowed_models: patterns(1024, 64) }),
  plugin("auto-router", { excluded_models: patterns(64, 1024), cost_quality_tradeoff: 10 }),
  plugin("fusion", { analysis_models: Array(8).fill("a/b"), max_tool_calls: 16, tools: [] }),
  plugin("pareto-router", { max_price: 0, min_coding_score: 1 }),
  tool("service:web_search", { max_results: 25, max_characters: 100_000 }),
  tool("openrouter:bash", { sleep_after_seconds: 2_592_000 }),
  tool("service:subagent", { name: x(64), max_tool_calls: 25 }),
];

/** Just outside, with what is said. */
const outside: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
  [{ session_id: x(300) }, "session_id is 300 characters long; at most 256 are allowed"],
  [{ user: x(257) }, "user is 257 characters long; at most 256 are allowed"],
  [{ metadata: pairs(17) }, "metadata has 17 pairs; at most 16 are allowed"],
  [{ metadata: { a: x(513) } }, "metadata.a is 513 characters long; at most 512 are allowed"],
  [{ metadata: { a: 1 } }, "metadata.a is 1; a string is expected"],
  [{ metadata: { a: null } }, "metadata.a is null; a string is expected"],
  [{ metadata: { "a[0]": "v" } }, 'metadata has the key "a[0]"; brackets are not allowed'],
  [
    { metadata: { [x(65)]: "v" } },
    `metadata has the key "${x(60)}…" of 65 characters; at most 64 are allowed`,
  ],
  [
    { include: ["reasoning.encrypted_content", "something.new"] },
    `include[1] is "something.new"; allowed: ${includable.join(", ")}`,
  ],
  [{ max_tool_calls: 31 }, "max_tool_calls is 31; at most 30 is allowed"],
  [{ max_tool_calls: 0 }, "max_tool_calls is 0; at least 1 is needed"],
  [{ max_output_tokens: 0 }, "max_output_tokens is 0; at least 1 is needed"],
  [{ max_output_tokens: 1.5 }, "max_output_tokens is 1.5; a whole number is expected"],
  [{ temperature: 2.1 }, "temperature is 2.1; at most 2 is allowed"],
  [{ temperature: -0.1 }, "temperature is -0.1; at least 0 is needed"],
  [{ temperature: Infinity }, "temperature is Infinity; a number is expected"],
  [{ top_p: 1.1 }, "top_p is 1.1; at most 1 is allowed"],
  [{ frequency_penalty: -3 }, "frequency_penalty is -3; at least -2 is needed"],
  [{ presence_penalty: 3 }, "presence_penalty is 3; at most 2 is allowed"],
  [{ top_logprobs: 21 }, "top_logprobs is 21; at most 20 is allowed"],
  [{ top_k: null }, "top_k is null; a number is expected"],
  [{ stream: "yes" }, 'stream is "yes"; true or false is expected'],
  [{ store: true }, "store is true; responses are not stored, send false or leave it out"],
  [{ model: "" }, "model is empty"],
  [{ models: [5] }, "models[0] is 5; a string is expected"],
  [{ modalities: ["smell"] }, 'modalities[0] is "smell"; allowed: text, image'],
  [{ service_tier: "gold" }, 'service_tier is "gold"; allowed: auto, default, fast, flex, priority, scale'],
  [{ truncation: "some" }, 'truncation is "some"; allowed: auto, disabled'],
  [{ route: "x" }, 'route is "x"; allowed: fallback, sort'],
  [{ cache_control: { type: "eternal" } }, 'cache_control.type is "eternal"; allowed: ephemeral'],
  [{ cache_control: { type: "ephemeral", ttl: "2h" } }, 'cache_control.ttl is "2h"; allowed: 5m, 1h'],
  [{ stop_server_tools_when: [] }, "stop_server_tools_when is empty"],
  [
    { stop_server_tools_when: [{ type: "step_count_is" }] },
    "stop_server_tools_when[0].step_count is missing; a number is expected",
  ],
  [{ text: { verbosity: "loud" } }, 'text.verbosity is "loud"; allowed: low, medium, high, xhigh, max'],
  [
    { text: { format: { type: "xml" } } },
    'text.format.type is "xml"; allowed: text, json_object, json_schema',
  ],
  [
    { text: { format: { type: "json_schema", name: "a" } } },
    "text.format.schema is missing; an object is expected",
  ],
  [{ image_config: { a: null } }, "image_config.a is null; allowed: a string or a number or an array"],
  [
    { provider: { ordr: [] } },
    "provider.ordr is not a known key; allowed: order, only, ignore, allow_fallbacks, ",
  ],
  [{ provider: { sort: { bye: "price" } } }, "provider.sort.bye is not a known key; allowed: by, partition"],
  [
    { provider: { max_price: { prompt: "cheap" } } },
    "provider.max_price.prompt is not a decimal number such as 0.25",
  ],
  [{ tool_choice: "maybe" }, 'tool_choice is "maybe"; allowed: auto, none, required or an object'],
  [{ tool_choice: { type: "function" } }, "tool_choice.name is missing; a string is expected"],
  [
    { tools: [{ type: "teleport" }] },
    'tools[0].type is "teleport"; allowed: function, custom, namespace, web_search',
  ],
  [{ tools: [{ type: "function" }] }, "tools[0].name is missing; a string is expected"],
  [{ tools: [{ type: "function", name: "" }] }, "tools[0].name is empty"],
  [
    tool("service:web_search", { max_results: 26 }),
    "tools[0].parameters.max_results is 26; at most 25 is allowed",
  ],
  [tool("service:search_models", { max_results: 21 }), "tools[0].parameters.max_results is 21; at most 20"],
  [tool("service:tool_search", { max_results: 51 }), "tools[0].parameters.max_results is 51; at most 50"],
  [{ tools: [{ type: "openrouter:web_search", max_results: 26 }] }, "tools[0].max_results is 26; at most 25"],
  [tool("service:subagent", { max_tool_calls: 26 }), "tools[0].parameters.max_tool_calls is 26; at most 25"],
  [
    tool("service:subagent", { tools: [{ type: "function" }] }),
    'tools[0].parameters.tools[0].type is "function"; only server tools are allowed here',
  ],
  [
    tool("service:advisor", { name: "a/b" }),
    "tools[0].parameters.name has characters other than letters, digits, spaces, _ and -",
  ],
  [
    tool("service:bash", { environment: { type: "container_reference", container_id: x(41) } }),
    "tools[0].parameters.environment.container_id is 41 characters long; at most 40 are allowed",
  ],
  [
    tool("service:bash", { environment: { type: "container_auto", file_ids: Array(21).fill("f") } }),
    "tools[0].parameters.environment.file_ids has 21 entries; at most 20 are allowed",
  ],
  [tool("service:fusion", { analysis_models: [] }), "tools[0].parameters.analysis_models is empty"],
  [tool("service:fusion", { model: "" }), "tools[0].parameters.model is empty"],
  ...["service:fusion", "service:advisor", "service:subagent"].map((type) =>
    [
      tool(type, { reasoning: { effort: "huge" } }),
      'tools[0].parameters.reasoning.effort is "huge"; allowed: max, xhigh, high, ',
    ] as const
  ),
  [
    { plugins: [{ id: "magic" }] },
    'plugins[0].id is "magic"; allowed: auto-router, auto-beta-router, moderation, ',
  ],
  [
    plugin("auto-router", { allowed_models: patterns(1025, 1) }),
    "plugins[0].allowed_models has 1025 patterns; at most 1024 are allowed",
  ],
  [
    plugin("auto-router", { excluded_models: ["a", x(1025)] }),
    "plugins[0].excluded_models[1] is 1025 characters long; at most 1024 are allowed",
  ],
  [
    plugin("auto-beta-router", { allowed_models: patterns(65, 1024) }),
    "plugins[0].allowed_models has 66560 characters in total; at most 65536 are allowed",
  ],
  [
    plugin("auto-router", { cost_quality_tradeoff: 11 }),
    "plugins[0].cost_quality_tradeoff is 11; at most 10 is",
  ],
  [
    plugin("pareto-router", { min_coding_score: 1.1 }),
    "plugins[0].min_coding_score is 1.1; at most 1 is allowed",
  ],
  [plugin("pareto-router", { max_price: -1 }), "plugins[0].max_price is -1; at least 0 is needed"],
  [
    plugin("fusion", { analysis_models: Array(9).fill("a") }),
    "plugins[0].analysis_models has 9 entries; at most 8",
  ],
  [plugin("fusion", { max_tool_calls: 17 }), "plugins[0].max_tool_calls is 17; at most 16 is allowed"],
  [
    plugin("fusion", { tools: Array(9).fill({ type: "a" }) }),
    "plugins[0].tools has 9 entries; at most 8 are",
  ],
  [plugin("context-compression", { engine: "zip" }), 'plugins[0].engine is "zip"; allowed: middle-out'],
  [item({ type: "foo" }), 'input[0].type is "foo"; allowed: message, reasoning, function_call, '],
  [item({}), "input[0] has neither a type nor a role"],
  [
    item({ role: "king", content: "x" }),
    'input[0].role is "king"; allowed: user, assistant, system, developer',
  ],
  [item({ role: "user", content: 5 }), "input[0].content is 5; allowed: a string or an array"],
  [
    item({ role: "user", content: [{ type: "text", text: "x" }] }),
    'input[0].content[0].type is "text"; allowed: input_text, output_text, input_image, ',
  ],
  [
    item({ role: "user", content: [{ type: "input_image" }] }),
    "input[0].content[0] has neither image_url nor file_id",
  ],
  [
    item({ role: "user", content: [{ type: "input_file", filename: "a" }] }),
    "input[0].content[0] has none of file_data, file_url, file_id",
  ],
  [
    item({ type: "function_call", name: "f", arguments: "{}" }),
    "input[0].call_id is missing; a string is expected",
  ],
  [
    item({ type: "function_call", call_id: "c", name: "f", arguments: {} }),
    "input[0].arguments is an object; a string is expected",
  ],
  [
    item({ type: "function_call_output", call_id: "c", output: [{ type: "input_audio" }] }),
    'input[0].output[0].type is "input_audio"; allowed: input_text, input_image, input_file',
  ],
];

Deno.test("responseRequest takes what is just inside its limits", () => {
  for (const fields of inside) assert.equal(complain(fields), "taken");
});

Deno.test("responseRequest says what is outside its limits", () => {
  for (const [fields, message] of outside) {
    const received = complain(fields);
    assert(received.startsWith(message), `${received}\n  instead of\n${message}`);
  }
});

Deno.test("responseRequest says what the gateway does not keep", () => {
  for (const field of ["previous_response_id", "conversation"]) {
    assert.match(
      complain({ [field]: "resp_1" }),
      new RegExp(`^${field} is not supported: .* are not stored`),
    );
  }
  assert.match(complain({ prompt: { id: "pmpt_1" } }), /Stored prompts are not supported/);
});
