import assert from "node:assert/strict";
import { settingsOf } from "./fields.ts";
import { mergePreset } from "./merge.ts";
import type { Fields, PresetApi } from "./places.ts";

const empty: Fields = {};
const merged = (api: PresetApi, config: Fields, body: Fields = empty) =>
  mergePreset(api, { body, preset: { config, system_prompt: null } });

const schema = { type: "object", properties: {} };
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
