import assert from "node:assert/strict";
import { parseRequest } from "./parse_request.ts";

const echo = (fields: object) => parseRequest({ input: "Hello", ...fields }).echo;

const defaults = {
  background: false,
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: null,
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: "default",
  store: false,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  user: null,
};

Deno.test("buildEcho fills in the defaults", () => {
  assert.deepEqual(echo({}), defaults);
  const nulls = Object.fromEntries(Object.keys(defaults).map((key) => [key, null]));
  assert.deepEqual(echo(nulls), defaults);
});

Deno.test("buildEcho repeats what was sent", () => {
  const sent = {
    background: true,
    frequency_penalty: 1,
    instructions: "",
    max_output_tokens: 5,
    max_tool_calls: 6,
    metadata: {},
    parallel_tool_calls: false,
    presence_penalty: -1,
    prompt_cache_key: "k",
    reasoning: { effort: "low", summary: "auto", mode: "pro" },
    safety_identifier: "s",
    service_tier: "flex",
    temperature: 0,
    text: { format: { type: "json_object" }, verbosity: "low" },
    tool_choice: { type: "shell" },
    tools: [{ type: "shell" }, { type: "openrouter:datetime" }],
    top_logprobs: 2,
    top_p: 0,
    truncation: "auto",
    user: "",
  };
  assert.deepEqual(echo(sent), {
    ...defaults,
    ...sent,
    reasoning: { effort: "low", summary: "auto", context: null, mode: "pro" },
  });
});

Deno.test("buildEcho names the tier that a word stands for", () => {
  assert.equal(echo({ service_tier: "auto" }).service_tier, "default");
  assert.equal(echo({ service_tier: "fast" }).service_tier, "priority");
});

Deno.test("buildEcho gives function tools all their keys", () => {
  assert.deepEqual(echo({ tools: [{ type: "function", name: "f" }] }).tools, [
    { type: "function", name: "f", description: null, parameters: null, strict: null },
  ]);
});

Deno.test("buildEcho gives a schema without a name the one that is sent on", () => {
  const format = { type: "json_schema", schema: { type: "object" } };
  assert.deepEqual(echo({ text: { format } }).text, { format: { ...format, name: "response" } });
});

Deno.test("buildEcho keeps an MCP server's credentials to itself", () => {
  const mcp = { type: "mcp", server_label: "s", authorization: "secret", headers: { "x-key": "secret" } };
  assert.deepEqual(echo({ tools: [mcp] }).tools, [{ type: "mcp", server_label: "s" }]);
});
