import assert from "node:assert/strict";
import type { ModelRequest } from "../../canonical/request.ts";
import type { EndpointTraits } from "../../wire.ts";
import { endpointTraits, modelRequest } from "../../../../tests/support/requests.ts";
import { renderRequest } from "./render_request.ts";

const render = (request: Partial<ModelRequest>, traits: Partial<EndpointTraits> = {}) =>
  renderRequest(modelRequest(request), endpointTraits(traits));

const body = (request: Partial<ModelRequest>, traits: Partial<EndpointTraits> = {}) =>
  render(request, traits).body;

Deno.test("renderRequest sends the least that says the same", () => {
  assert.deepEqual(render({}), {
    path: "/responses",
    body: {
      model: "one-2026",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] }],
      stream: false,
      store: false,
    },
    dropped: [],
  });
});

Deno.test("renderRequest sends every published field that was asked for", () => {
  const { input: _input, ...rest } = body({
    instructions: "Be brief",
    stream: true,
    maxOutputTokens: 100,
    parallelToolCalls: false,
    tools: [{ type: "function", name: "f", parameters: null }],
    toolChoice: { type: "required" },
    sampling: { temperature: 0, topP: 0.5, topLogprobs: 3 },
    reasoning: { effort: "low", summary: "auto", context: "all_turns", mode: "pro" },
    format: { type: "json_schema", name: "n", schema: { type: "object" }, strict: true, description: "d" },
    verbosity: "low",
    truncation: "auto",
    include: ["reasoning.encrypted_content", "made.up"],
    serviceTier: "flex",
    promptCacheKey: "k",
    promptCacheOptions: { mode: "explicit", ttl: "30m", other: 1 },
  }, { safetyIdentifier: "hmac" });
  assert.deepEqual(rest, {
    model: "one-2026",
    instructions: "Be brief",
    tools: [{ type: "function", name: "f", parameters: null, strict: false }],
    tool_choice: "required",
    parallel_tool_calls: false,
    max_output_tokens: 100,
    temperature: 0,
    top_p: 0.5,
    top_logprobs: 3,
    reasoning: { effort: "low", summary: "auto", context: "all_turns", mode: "pro" },
    text: {
      format: { type: "json_schema", name: "n", description: "d", schema: { type: "object" }, strict: true },
      verbosity: "low",
    },
    truncation: "auto",
    include: ["reasoning.encrypted_content"],
    service_tier: "flex",
    prompt_cache_key: "k",
    prompt_cache_options: { mode: "explicit", ttl: "30m" },
    safety_identifier: "hmac",
    stream: true,
    store: false,
  });
});

Deno.test("renderRequest keeps what speaks to the gateway at home", () => {
  const ours: Partial<ModelRequest> = {
    models: ["b/two"],
    metadata: { a: "b" },
    endUser: { user: "raw", safetyIdentifier: "raw" },
    sessionId: "s",
    plugins: [{ id: "web" }],
    provider: {},
    trace: {},
    cache: { ttl: "1h" },
    imageConfig: { size: 1 },
    echoUpstreamBody: true,
    extra: { responses: { client_metadata: { a: 1 }, user: "raw", debug: {}, conversation: "c" } },
  };
  const passKeys = [
    "user",
    "safety_identifier",
    "models",
    "provider",
    "plugins",
    "session_id",
    "route",
    "trace",
  ];
  for (
    const traits of [{}, { passKeys: [...passKeys, "debug", "stop_server_tools_when", "store", "stream"] }]
  ) {
    assert.deepEqual(Object.keys(body(ours, traits)), ["model", "input", "stream", "store"]);
  }
});

Deno.test("renderRequest passes unknown keys only where the endpoint takes them", () => {
  const request = { extra: { responses: { client_metadata: { a: 1 }, other: 2 } } };
  assert.deepEqual(body(request, { passKeys: ["client_metadata"] }).client_metadata, { a: 1 });
  assert.equal("other" in body(request, { passKeys: ["client_metadata"] }), false);
});

Deno.test("renderRequest names the sampling fields that it drops", () => {
  const request: Partial<ModelRequest> = {
    sampling: { topK: 3, frequencyPenalty: 0.5, presencePenalty: 0 },
    modalities: ["text", "image"],
    imageConfig: { aspect_ratio: "16:9" },
    reasoning: { maxTokens: 100 },
    verbosity: "max",
  };
  const { body: sent, dropped } = render(request);
  assert.deepEqual(dropped.toSorted(), [
    "frequency_penalty",
    "image_config",
    "modalities",
    "reasoning.max_tokens",
    "text.verbosity max",
    "top_k",
  ]);
  assert.deepEqual(sent.text, { verbosity: "high" });
  assert.equal("reasoning" in sent, false);
  const taken = render(request, { passKeys: ["top_k", "modalities", "image_config", "frequency_penalty"] });
  assert.equal(taken.body.top_k, 3);
  assert.deepEqual(taken.body.image_config, { aspect_ratio: "16:9" });
  assert.equal(taken.dropped.includes("top_k"), false);
});

Deno.test("renderRequest turns reasoning that is not enabled into no effort", () => {
  assert.deepEqual(body({ reasoning: { enabled: false } }).reasoning, { effort: "none" });
  assert.equal(body({ reasoning: { enabled: true } }).reasoning, undefined);
});

Deno.test("renderRequest sends the endpoint's cap rather than the client's", () => {
  assert.equal(body({ maxOutputTokens: 9 }, { maxOutputTokens: 5 }).max_output_tokens, 5);
  assert.equal(body({ maxOutputTokens: 9 }).max_output_tokens, 9);
});

Deno.test("renderRequest sends no tool fields without tools", () => {
  const { body: sent, dropped } = render({
    tools: [{ type: "server", kind: "datetime", originalType: "openrouter:datetime", parameters: {} }],
    toolChoice: { type: "auto" },
    parallelToolCalls: true,
    maxToolCalls: 3,
  });
  assert.deepEqual(Object.keys(sent), ["model", "input", "stream", "store"]);
  assert.deepEqual(dropped, ["tool openrouter:datetime"]);
});

Deno.test("renderRequest leaves max_tool_calls to the provider only for its own tools", () => {
  const hosted: Partial<ModelRequest> = {
    tools: [{ type: "hosted", wire: "responses", kind: "web_search", value: { type: "web_search" } }],
  };
  assert.equal(body({ ...hosted, maxToolCalls: 3 }).max_tool_calls, 3);
});
