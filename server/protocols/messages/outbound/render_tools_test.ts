import assert from "node:assert/strict";
import { ApiError } from "../../../../shared/errors.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { FunctionTool, ModelRequest, Tool, ToolChoice } from "../../canonical/request.ts";
import { modelRequest } from "../../../../tests/support/requests.ts";
import { claudeFamily } from "../../common/outbound/claude/claude_family.ts";
import { renderTools } from "./render_tools.ts";

const fn = (name: string, fields: Partial<FunctionTool> = {}): FunctionTool => ({
  type: "function",
  name,
  parameters: null,
  ...fields,
});

function render(fields: Partial<ModelRequest>, model = "claude-haiku-4-5") {
  const notes: string[] = [];
  const note = (words: string) => void notes.push(words);
  return { ...renderTools(modelRequest(fields), { family: claudeFamily(model), note }), notes };
}

const empty = { type: "object", properties: {} };
const closed: JsonObject = {
  type: "object",
  properties: { a: { type: "string" } },
  additionalProperties: false,
};

Deno.test("renderTools says functions, custom tools and namespaces in one flat list", () => {
  const tools: readonly Tool[] = [
    fn("get", { description: "Gets." }),
    { type: "custom", name: "patch", format: { type: "grammar", syntax: "lark", definition: "start: x" } },
    { type: "namespace", name: "crm", description: "Customers", tools: [fn("find")] },
  ];
  const { tools: rendered } = render({ tools });
  assert.deepEqual(rendered.map(({ name, description }) => [name, description]), [
    ["get", "Gets."],
    ["patch", "The input must match this lark grammar:\nstart: x"],
    ["crm__find", "Customers"],
  ]);
  assert.deepEqual(rendered[0]?.input_schema, empty);
});

const schemas: readonly (readonly [string, Partial<FunctionTool>, string, JsonObject, readonly string[]])[] =
  [
    ["a schema that is held to", { parameters: closed, strict: true }, "claude-opus-5-5", {
      input_schema: closed,
      strict: true,
    }, []],
    ["a schema that need not be held to", { parameters: closed, strict: false }, "claude-opus-5-5", {
      input_schema: closed,
    }, []],
    ["a model that cannot be held to one", { parameters: closed, strict: true }, "claude-sonnet-4-20250514", {
      input_schema: closed,
    }, ["strict of get"]],
    ["a schema that cannot be held to", { parameters: { type: "object" }, strict: true }, "claude-opus-5-5", {
      input_schema: empty,
    }, ["strict of get"]],
    [
      "a choice at the top",
      {
        parameters: {
          anyOf: [{ properties: { a: { type: "string" } } }, { properties: { b: {} } }],
          required: [],
        },
      },
      "claude-opus-5-5",
      {
        input_schema: { required: [], type: "object", properties: { a: { type: "string" }, b: {} } },
      },
      [],
    ],
  ];

Deno.test("renderTools gives every tool a schema that the provider takes", async (t) => {
  for (const [name, fields, model, expected, dropped] of schemas) {
    await t.step(name, () => {
      const { tools, notes } = render({ tools: [fn("get", fields)] }, model);
      assert.deepEqual([tools, notes], [[{ name: "get", ...expected }], dropped]);
    });
  }
});

const named: ToolChoice = { type: "named", tool: { kind: "function", name: "get" } };
const allowed: ToolChoice = {
  type: "allowed",
  mode: "required",
  tools: [{ kind: "function", name: "put" }],
  value: {},
};

const choices: readonly (readonly [ToolChoice | undefined, boolean | undefined, unknown])[] = [
  [undefined, undefined, undefined],
  [undefined, true, undefined],
  [undefined, false, { type: "auto", disable_parallel_tool_use: true }],
  [{ type: "auto" }, undefined, { type: "auto" }],
  [{ type: "none" }, false, { type: "none" }],
  [{ type: "required" }, false, { type: "any", disable_parallel_tool_use: true }],
  [named, undefined, { type: "tool", name: "get" }],
  [allowed, undefined, { type: "any" }],
];

Deno.test("renderTools says how the model may choose", () => {
  for (const [toolChoice, parallelToolCalls, expected] of choices) {
    const { choice } = render({ tools: [fn("get"), fn("put")], toolChoice, parallelToolCalls });
    assert.deepEqual(choice, expected, JSON.stringify(toolChoice));
  }
});

Deno.test("renderTools offers only the tools that are allowed", () => {
  const { tools, forced } = render({ tools: [fn("get"), fn("put")], toolChoice: allowed });
  assert.deepEqual([tools.map(({ name }) => name), forced], [["put"], true]);
});

Deno.test("renderTools refuses to force what cannot be forced", () => {
  const refused = (fields: Partial<ModelRequest>, model: string, words: RegExp) =>
    assert.throws(() => render({ tools: [fn("get")], ...fields }, model), (error) => {
      return error instanceof ApiError && error.kind === "invalid_request" && words.test(error.message);
    });
  refused({ toolChoice: { type: "required" } }, "claude-opus-5-5", /decides by itself/);
  refused({ toolChoice: named }, "claude-sonnet-5-5", /decides by itself/);
  refused({ toolChoice: named, tools: [] }, "claude-opus-5", /get is not among the tools/);
  const hosted: ToolChoice = { type: "hosted", kind: "file_search", value: {} };
  refused({ toolChoice: hosted }, "claude-opus-5", /cannot run file_search/);
});

Deno.test("renderTools passes on what a client of this same wire wrote for the provider", () => {
  const search = { type: "web_search_20260318", name: "web_search" };
  const own = { cache_control: { type: "ephemeral" }, input_examples: [{}], unknown: 1 };
  const { tools, choice, notes } = render({
    tools: [
      fn("get", { extra: { messages: own } }),
      { type: "hosted", wire: "messages", kind: "web_search_20260318", value: search },
      { type: "hosted", wire: "responses", kind: "web_search", value: { type: "web_search" } },
    ],
    toolChoice: { type: "hosted", kind: "tool", value: { type: "tool", name: "web_search" } },
  });
  assert.deepEqual(tools, [
    { name: "get", input_schema: empty, ...own },
    search,
  ]);
  assert.deepEqual([choice, notes], [{ type: "tool", name: "web_search" }, ["tool web_search"]]);
});
