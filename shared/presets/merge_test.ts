import assert from "node:assert/strict";
import { settingsOf } from "./fields.ts";
import { mergePreset } from "./merge.ts";
import type { Fields, PresetApi } from "./places.ts";

const empty: Fields = {};
const merged = (api: PresetApi, config: Fields, body: Fields = empty) =>
  mergePreset(api, { body, preset: { config, system_prompt: null } });

const schema = { type: "object", properties: {} };
const url = "https://mcp.example.com/mcp";
/** An MCP server with a token, and one of whose tools two are wanted. */
const servers: readonly Fields[] = [
  { type: "mcp", server_label: "a", server_url: url, authorization: "t", require_approval: "never" },
  { type: "mcp", server_label: "b", server_url: url, require_approval: "never", configs: { x: {} } },
];
const grammar = { syntax: "lark", definition: "start: /a/" };

interface Spelled {
  readonly config: Fields;
  readonly chat: Fields;
  readonly responses: Fields;
  readonly messages: Fields;
}

/** Settings, and how each API says them. */
const spellings: readonly Spelled[] = [
  {
    config: { max_tokens: 5, top_k: 3, cache_control: { type: "ephemeral" } },
    chat: { max_tokens: 5, top_k: 3, cache_control: { type: "ephemeral" } },
    responses: { max_output_tokens: 5, top_k: 3, cache_control: { type: "ephemeral" } },
    messages: { max_tokens: 5, top_k: 3, cache_control: { type: "ephemeral" } },
  },
  {
    config: { reasoning: { effort: "low" } },
    chat: { reasoning: { effort: "low" } },
    responses: { reasoning: { effort: "low" } },
    messages: { output_config: { effort: "low" } },
  },
  {
    config: { reasoning: { max_tokens: 2_000 } },
    chat: { reasoning: { max_tokens: 2_000 } },
    responses: { reasoning: { max_tokens: 2_000 } },
    messages: { thinking: { type: "enabled", budget_tokens: 2_000 } },
  },
  {
    config: { reasoning: { enabled: false } },
    chat: { reasoning: { enabled: false } },
    responses: { reasoning: { enabled: false } },
    messages: { thinking: { type: "disabled" } },
  },
  {
    config: { response_format: { type: "json_schema", json_schema: { name: "response", schema } } },
    chat: { response_format: { type: "json_schema", json_schema: { name: "response", schema } } },
    responses: { text: { format: { type: "json_schema", name: "response", schema } } },
    messages: { output_config: { format: { type: "json_schema", schema } } },
  },
  {
    config: { tool_choice: "required", parallel_tool_calls: false },
    chat: { tool_choice: "required", parallel_tool_calls: false },
    responses: { tool_choice: "required", parallel_tool_calls: false },
    messages: { tool_choice: { type: "any", disable_parallel_tool_use: true } },
  },
  {
    config: {
      tools: [
        { type: "function", function: { name: "f", description: "d", parameters: schema } },
        { type: "openrouter:datetime", parameters: { timezone: "UTC" } },
      ],
    },
    chat: {
      tools: [
        { type: "function", function: { name: "f", description: "d", parameters: schema } },
        { type: "openrouter:datetime", parameters: { timezone: "UTC" } },
      ],
    },
    responses: {
      tools: [
        { type: "function", name: "f", description: "d", parameters: schema },
        { type: "openrouter:datetime", parameters: { timezone: "UTC" } },
      ],
    },
    messages: {
      tools: [
        { name: "f", description: "d", input_schema: schema },
        { type: "openrouter:datetime", parameters: { timezone: "UTC" } },
      ],
    },
  },
  {
    config: { tools: servers },
    chat: { tools: servers },
    responses: { tools: servers },
    messages: {
      mcp_servers: [
        { type: "url", name: "a", url, authorization_token: "t" },
        { type: "url", name: "b", url },
      ],
      tools: [
        { type: "mcp_toolset", mcp_server_name: "a" },
        { type: "mcp_toolset", mcp_server_name: "b", configs: { x: {} } },
      ],
    },
  },
];

Deno.test("settings are read and written in the words of each API", () => {
  for (const { config, ...bodies } of spellings) {
    for (const api of ["chat", "responses", "messages"] as const) {
      assert.deepEqual(merged(api, config), bodies[api], api);
      assert.deepEqual(settingsOf(api, bodies[api]), config, api);
    }
  }
});

Deno.test("settings that two APIs say keep the form of a grammar, and what a third cannot say is left out", () => {
  const custom = { name: "c", format: { type: "grammar", grammar } };
  const config = { tools: [{ type: "custom", custom }], stop: "x", verbosity: "low", seed: 3 };
  const flat = { type: "custom", name: "c", format: { type: "grammar", ...grammar } };
  assert.deepEqual(merged("chat", config), config);
  assert.deepEqual(merged("responses", config), { tools: [flat], text: { verbosity: "low" } });
  assert.deepEqual(settingsOf("responses", { tools: [flat] }), { tools: config.tools });
  assert.deepEqual(merged("messages", { stop: "x", verbosity: "low", seed: 3 }), { stop_sequences: ["x"] });
});

/** A preset's server, and its toolset on Messages; absent: Messages have no words for it. */
const wanted: readonly (readonly [settings: Fields, toolset?: Fields])[] = [
  [{ allowed_tools: ["x"] }, { default_config: { enabled: false }, configs: { x: { enabled: true } } }],
  [{ allowed_tools: { tool_names: [] } }, { default_config: { enabled: false }, configs: {} }],
  [{ allowed_tools: null, authorization: null, headers: null }, {}],
  [{ allowed_tools: { read_only: true } }],
  [{ allowed_tools: ["x"], configs: { y: {} } }],
  [{ headers: { "x-key": "1" } }],
  [{ server_url: undefined, tunnel_id: "tun_1" }],
  [{ require_approval: "always" }],
  [{ require_approval: undefined }],
];

Deno.test("a server's settings are said on Messages where there are words for all of them", () => {
  for (const [settings, toolset] of wanted) {
    const tool = { type: "mcp", server_label: "b", server_url: url, require_approval: "never", ...settings };
    const said = merged("messages", { tools: [tool] });
    if (toolset === undefined) {
      assert.deepEqual(said, { tools: [tool] });
      continue;
    }
    const tools = [{ type: "mcp_toolset", mcp_server_name: "b", ...toolset }];
    assert.deepEqual(said, { tools, mcp_servers: [{ type: "url", name: "b", url }] });
  }
});

Deno.test("a request's own server on Messages stays as it is, whatever a preset brings", () => {
  const own = { type: "url", name: "a", url, authorization_token: "mine", tool_configuration: {} };
  const toolset = { type: "mcp_toolset", mcp_server_name: "a" };
  const body = { mcp_servers: [own], tools: [toolset] };
  assert.deepEqual(merged("messages", { tools: servers }, body), {
    mcp_servers: [own, { type: "url", name: "b", url }],
    tools: [toolset, { type: "mcp_toolset", mcp_server_name: "b", configs: { x: {} } }],
  });
  const lost = { tools: [toolset, { ...toolset, mcp_server_name: "c" }] };
  assert.deepEqual(merged("messages", { tools: [{ type: "openrouter:datetime" }] }, lost), {
    tools: [{ type: "openrouter:datetime" }, ...lost.tools],
  });
});

Deno.test("older names of a field say it too", () => {
  const config = { max_tokens: 5, reasoning: { effort: "low" } };
  const own = { max_completion_tokens: 9, reasoning_effort: "high" };
  assert.deepEqual(merged("chat", config, own), own);
  const fallbacks = ["x/1", { model: "x/2" }];
  assert.deepEqual(merged("messages", { models: ["y/1"] }, { fallbacks }), { fallbacks });
  assert.deepEqual(settingsOf("messages", { fallbacks }), { models: ["x/1", "x/2"] });
  assert.deepEqual(settingsOf("chat", own), { max_tokens: 9, reasoning: { effort: "high" } });
});

const advisor = (name: string, model: string) => ({
  type: "openrouter:advisor",
  parameters: { name, model },
});

/** A preset's tools, a request's, and both united. */
const unions: readonly (readonly [readonly Fields[], readonly Fields[], readonly Fields[]])[] = [
  [[{ type: "openrouter:datetime" }], [{ type: "service:datetime" }], [{ type: "service:datetime" }]],
  [[advisor("a", "x/1"), advisor("b", "x/1")], [advisor("b", "x/2"), advisor("c", "x/2")], [
    advisor("a", "x/1"),
    advisor("b", "x/2"),
    advisor("c", "x/2"),
  ]],
  [[{ type: "mcp", server_label: "a" }], [{ type: "mcp", server_label: "b" }], [
    { type: "mcp", server_label: "a" },
    { type: "mcp", server_label: "b" },
  ]],
  [[{ type: "function", name: "__proto__" }], [{ type: "function", name: "f" }], [
    { type: "function", name: "__proto__" },
    { type: "function", name: "f" },
  ]],
];

Deno.test("tools are united by their kind and name, the preset's first", () => {
  for (const [preset, own, united] of unions) {
    const { tools } = settingsOf("responses", { tools: preset });
    assert.deepEqual(merged("responses", { tools }, { tools: own }), { tools: united });
  }
});
