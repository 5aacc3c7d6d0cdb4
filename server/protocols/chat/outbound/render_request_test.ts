import assert from "node:assert/strict";
import { ApiError } from "../../../../shared/errors.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { FunctionTool, ModelRequest, Tool, ToolChoice } from "../../canonical/request.ts";
import { endpointTraits, modelRequest } from "../../../../tests/support/requests.ts";
import type { EndpointTraits } from "../../wire.ts";
import { renderRequest } from "./render_request.ts";

const render = (request: Partial<ModelRequest> = {}, endpoint: Partial<EndpointTraits> = {}) =>
  renderRequest(modelRequest(request), endpointTraits(endpoint));

const fn = (name: string): FunctionTool => ({ type: "function", name, parameters: { type: "object" } });
const hosted: Tool = { type: "hosted", wire: "responses", kind: "web_search", value: { type: "web_search" } };
const server: Tool = { type: "server", kind: "datetime", originalType: "gateway:datetime", parameters: {} };

/** Keys of the published schema of POST /chat/completions; OpenAI refuses any other. */
const published = [
  "messages",
  "model",
  "frequency_penalty",
  "logprobs",
  "max_completion_tokens",
  "modalities",
  "parallel_tool_calls",
  "presence_penalty",
  "prompt_cache_key",
  "prompt_cache_options",
  "reasoning_effort",
  "response_format",
  "safety_identifier",
  "service_tier",
  "stream",
  "stream_options",
  "temperature",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "verbosity",
];

const everything: Partial<ModelRequest> = {
  instructions: "Be brief",
  tools: [fn("a"), { type: "custom", name: "b" }, hosted, server],
  toolChoice: { type: "auto" },
  parallelToolCalls: true,
  maxOutputTokens: 100,
  sampling: {
    temperature: 0,
    topP: 0.5,
    topK: 4,
    frequencyPenalty: 0.1,
    presencePenalty: 0.2,
    topLogprobs: 3,
  },
  reasoning: { effort: "low", summary: "auto", maxTokens: 1000, context: "auto", mode: "pro" },
  format: { type: "json_schema", name: "n", schema: {}, description: "d", strict: true },
  verbosity: "low",
  modalities: ["text", "image"],
  imageConfig: { size: "1K" },
  stream: true,
  include: ["message.output_text.logprobs"],
  serviceTier: "flex",
  truncation: "auto",
  promptCacheKey: "k",
  promptCacheOptions: { mode: "explicit" },
  cache: {},
  metadata: { secret: "m" },
  endUser: { user: "secret-user", safetyIdentifier: "secret-sid" },
  sessionId: "secret-session",
  maxToolCalls: 3,
  stopWhen: [{ type: "step_count_is", step_count: 2 }],
  trace: { trace_id: "secret-trace" },
  extra: { responses: { unknown: 1 }, chat: { seed: 1, user: "secret-user" } },
};

Deno.test("renderRequest sends published keys only, and nothing that belongs to the gateway", () => {
  const { path, body, dropped } = render(everything, { safetyIdentifier: "hmac" });
  assert.equal(path, "/chat/completions");
  assert.deepEqual(Object.keys(body).filter((key) => !published.includes(key)), []);
  assert.deepEqual(published.filter((key) => !(key in body)), [], "every key has its row");
  assert.equal(JSON.stringify(body).includes("secret"), false);
  assert.deepEqual(dropped, [
    "tool web_search",
    "tool gateway:datetime",
    "top_k",
    "image_config",
    "reasoning.max_tokens",
    "cache_control",
    "reasoning.context",
    "reasoning.mode",
    "unknown",
    "seed",
    "user",
  ]);
});

const fields: Readonly<Record<string, readonly [Partial<ModelRequest>, JsonObject]>> = {
  "nothing asked": [{}, { model: "one-2026", messages: [{ role: "user", content: "Hi" }] }],
  "sampling": [{ sampling: { temperature: 0, topP: 1, frequencyPenalty: -2, presencePenalty: 2 } }, {
    temperature: 0,
    top_p: 1,
    frequency_penalty: -2,
    presence_penalty: 2,
  }],
  "a stream asks for its usage": [{ stream: true }, {
    stream: true,
    stream_options: { include_usage: true },
  }],
  "top_logprobs": [{ sampling: { topLogprobs: 2 } }, { logprobs: true, top_logprobs: 2 }],
  "top_logprobs 0": [{ sampling: { topLogprobs: 0 } }, { logprobs: undefined, top_logprobs: undefined }],
  "logprobs by include": [{ include: ["message.output_text.logprobs"] }, {
    logprobs: true,
    top_logprobs: undefined,
  }],
  "effort": [{ reasoning: { effort: "high" } }, { reasoning_effort: "high" }],
  "no reasoning": [{ reasoning: { enabled: false } }, { reasoning_effort: "none" }],
  "reasoning without an effort": [{ reasoning: { enabled: true, summary: "auto" } }, {
    reasoning_effort: undefined,
  }],
  "verbosity": [{ verbosity: "low" }, { verbosity: "low" }],
  "service tier": [{ serviceTier: "flex" }, { service_tier: "flex" }],
  "fast is priority": [{ serviceTier: "fast" }, { service_tier: "priority" }],
  "json_object": [{ format: { type: "json_object" } }, { response_format: { type: "json_object" } }],
  "json_schema": [{ format: { type: "json_schema", name: "n", schema: { type: "object" } } }, {
    response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "object" } } },
  }],
  "strict json_schema": [{
    format: { type: "json_schema", name: "n", schema: {}, strict: true, description: "d" },
  }, {
    response_format: {
      type: "json_schema",
      json_schema: { name: "n", description: "d", schema: {}, strict: true },
    },
  }],
  "text modality alone": [{ modalities: ["text"] }, { modalities: undefined }],
  "image modality": [{ modalities: ["image", "text"] }, { modalities: ["image", "text"] }],
  "parallel calls without tools": [{ parallelToolCalls: false, toolChoice: { type: "auto" } }, {
    parallel_tool_calls: undefined,
    tool_choice: undefined,
    tools: undefined,
  }],
};

Deno.test("renderRequest spells each field", async (t) => {
  for (const [name, [request, expected]] of Object.entries(fields)) {
    await t.step(name, () => {
      const { body } = render(request);
      for (const [key, value] of Object.entries(expected)) assert.deepEqual(body[key], value, key);
    });
  }
});

Deno.test("renderRequest passes the keys that the endpoint's row lists", () => {
  const { body } = render({ ...everything, maxOutputTokens: 100 }, {
    maxOutputTokens: 50,
    passKeys: ["top_k", "seed", "user", "metadata", "image_config"],
  });
  assert.equal(body.max_completion_tokens, 50);
  assert.deepEqual([body.top_k, body.seed], [4, 1]);
  assert.deepEqual(body.image_config, { size: "1K" });
  for (const key of ["user", "metadata", "unknown"]) assert.equal(key in body, false, key);
});

Deno.test("renderRequest flattens tools to functions", () => {
  const { body } = render({
    tools: [
      { ...fn("a"), description: "A", strict: true },
      { type: "function", name: "bare", parameters: null },
      {
        type: "custom",
        name: "sql",
        description: "Runs SQL",
        format: { type: "grammar", syntax: "lark", definition: "start: /x/" },
      },
      {
        type: "namespace",
        name: "crm",
        description: "Customers",
        tools: [fn("find"), { type: "custom", name: "note" }],
      },
    ],
  });
  const input = {
    type: "object",
    properties: { input: { type: "string", description: "The whole input of the tool, as plain text." } },
    required: ["input"],
    additionalProperties: false,
  };
  assert.deepEqual(
    body.tools,
    [
      { name: "a", description: "A", parameters: { type: "object" }, strict: true },
      { name: "bare", parameters: { type: "object", properties: {} } },
      {
        name: "sql",
        description: "Runs SQL\n\nThe input must match this lark grammar:\nstart: /x/",
        parameters: input,
      },
      { name: "crm__find", description: "Customers", parameters: { type: "object" } },
      { name: "crm__note", description: "Customers", parameters: input },
    ].map((one) => ({ type: "function", function: one })),
  );
});

const tools: readonly Tool[] = [
  fn("a"),
  { type: "custom", name: "b" },
  { type: "namespace", name: "crm", tools: [fn("find")] },
  hosted,
];

const allowed = (mode: "auto" | "required", ...names: readonly string[]): ToolChoice => ({
  type: "allowed",
  mode,
  tools: names.map((name) => ({ kind: "function", name })),
  value: {},
});

const forced = (name: string) => ({ type: "function", function: { name } });

const choices: readonly (readonly [string, ToolChoice | undefined, unknown, readonly string[]])[] = [
  ["none given", undefined, undefined, ["a", "b", "crm__find"]],
  ["auto", { type: "auto" }, "auto", ["a", "b", "crm__find"]],
  ["none", { type: "none" }, "none", ["a", "b", "crm__find"]],
  ["required", { type: "required" }, "required", ["a", "b", "crm__find"]],
  ["a function", { type: "named", tool: { kind: "function", name: "a" } }, forced("a"), [
    "a",
    "b",
    "crm__find",
  ]],
  ["a custom tool", { type: "named", tool: { kind: "custom", name: "b" } }, forced("b"), [
    "a",
    "b",
    "crm__find",
  ]],
  [
    "a tool of a namespace",
    { type: "named", tool: { kind: "function", name: "find", namespace: "crm" } },
    forced("crm__find"),
    ["a", "b", "crm__find"],
  ],
  ["allowed, auto", allowed("auto", "a"), "auto", ["a"]],
  ["allowed, required", allowed("required", "a", "find"), "required", ["a", "crm__find"]],
];

Deno.test("renderRequest says how tools may be chosen", async (t) => {
  for (const [name, toolChoice, expected, names] of choices) {
    await t.step(name, () => {
      const { body } = render({ tools, toolChoice, parallelToolCalls: false });
      assert.deepEqual(body.tool_choice, expected);
      assert.deepEqual(namesIn(body.tools), names);
      assert.equal(body.parallel_tool_calls, false);
    });
  }
  await t.step("allowed, but none of them", () => {
    const { body } = render({ tools, toolChoice: allowed("auto", "zzz") });
    assert.deepEqual([body.tools, body.tool_choice], [undefined, undefined]);
  });
});

function namesIn(tools: unknown): readonly unknown[] {
  return Array.isArray(tools) ? tools.map((tool) => tool.function.name) : [];
}

Deno.test("renderRequest refuses to be forced to what the wire cannot say", async (t) => {
  const cases: Readonly<Record<string, Partial<ModelRequest>>> = {
    "a hosted tool": { tools, toolChoice: { type: "hosted", kind: "web_search", value: {} } },
    "a tool that is not there": {
      tools,
      toolChoice: { type: "named", tool: { kind: "function", name: "zzz" } },
    },
    "required, with hosted tools only": { tools: [hosted, server], toolChoice: { type: "required" } },
    "required of none": { tools, toolChoice: allowed("required", "zzz") },
  };
  for (const [name, request] of Object.entries(cases)) {
    await t.step(name, () => {
      assert.throws(
        () => render(request),
        (error) => error instanceof ApiError && error.kind === "invalid_request",
      );
    });
  }
});

Deno.test("renderRequest says stop texts and further sampling, each where it is known", () => {
  const request = modelRequest({
    stop: ["END"],
    sampling: { seed: 7, logitBias: { "50256": -100 }, minP: 0.1, topA: 0.2, repetitionPenalty: 1.1 },
  });
  const { body, dropped } = renderRequest(request, endpointTraits({ passKeys: ["min_p"] }));
  assert.deepEqual(
    [body.stop, body.seed, body.logit_bias, body.min_p, body.top_a],
    [["END"], 7, { "50256": -100 }, 0.1, undefined],
  );
  assert.deepEqual(dropped, ["top_a", "repetition_penalty"]);
});
