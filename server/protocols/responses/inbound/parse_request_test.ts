import assert from "node:assert/strict";
import { ApiError } from "../../../../shared/errors.ts";
import { responseRequest } from "../../../../shared/responses/request.ts";
import { covering, everyField } from "../../../../tests/fuzz/covering.ts";
import { recordedRequests } from "../../../../tests/fuzz/recorded.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { parseRequest } from "./parse_request.ts";

const parse = (fields: object) => parseRequest({ input: "Hello", ...fields }).request;

function refusal(body: unknown): ApiError {
  try {
    parseRequest(body);
  } catch (error) {
    assert(error instanceof ApiError);
    return error;
  }
  return assert.fail("taken");
}

/** Case of a field: [the field's value, where it is read, what is read there]. */
type Case = readonly [value: unknown, read: (request: ModelRequest) => unknown, expected: unknown];

const prefersPrice = { sort: "price" } as const;

const fields: Readonly<Record<keyof typeof responseRequest.shape, readonly Case[]>> = {
  model: [["v/m", (request) => request.model, "v/m"], [null, (request) => request.model, undefined]],
  models: [[["a", "b"], (request) => request.models, ["a", "b"]], [null, (request) => request.models, []]],
  input: [["Hi", (request) => request.input[0]?.type, "message"]],
  instructions: [
    ["Be brief.", (request) => request.instructions, "Be brief."],
    ["", (request) => request.instructions, undefined],
    [null, (request) => request.instructions, undefined],
  ],
  background: [[true, (request) => request.extra, undefined]],
  stream: [[true, (request) => request.stream, true], [null, (request) => request.stream, false]],
  store: [[false, (request) => request.extra, undefined], [null, (request) => request.extra, undefined]],
  previous_response_id: [[null, (request) => request.extra, undefined]],
  conversation: [[null, (request) => request.extra, undefined]],
  prompt: [[null, (request) => request.extra, undefined]],
  include: [
    [["message.output_text.logprobs"], (request) => request.include, ["message.output_text.logprobs"]],
    [null, (request) => request.include, []],
  ],
  max_output_tokens: [[9, (request) => request.maxOutputTokens, 9]],
  max_tool_calls: [[9, (request) => request.maxToolCalls, 9]],
  stop_server_tools_when: [
    [
      [{ type: "max_cost", max_cost_in_dollars: 1 }],
      (request) => request.stopWhen,
      [{ type: "max_cost", max_cost_in_dollars: 1 }],
    ],
  ],
  parallel_tool_calls: [[false, (request) => request.parallelToolCalls, false]],
  temperature: [[0, (request) => request.sampling.temperature, 0]],
  top_p: [[0.5, (request) => request.sampling.topP, 0.5], [
    null,
    (request) => request.sampling.topP,
    undefined,
  ]],
  top_k: [[40, (request) => request.sampling.topK, 40]],
  frequency_penalty: [[-1, (request) => request.sampling.frequencyPenalty, -1]],
  presence_penalty: [[1, (request) => request.sampling.presencePenalty, 1]],
  top_logprobs: [[5, (request) => request.sampling.topLogprobs, 5]],
  modalities: [[["text", "image"], (request) => request.modalities, ["text", "image"]]],
  image_config: [[{ a: 1 }, (request) => request.imageConfig, { a: 1 }]],
  metadata: [[{ a: "b" }, (request) => request.metadata, { a: "b" }], [
    null,
    (request) => request.metadata,
    undefined,
  ]],
  service_tier: [
    ["fast", (request) => request.serviceTier, "priority"],
    ["auto", (request) => request.serviceTier, undefined],
    ["flex", (request) => request.serviceTier, "flex"],
  ],
  preset: [["slug", (request) => request.extra, undefined]],
  session_id: [["s", (request) => request.sessionId, "s"]],
  user: [["u", (request) => request.endUser.user, "u"], ["", (request) => request.endUser.user, undefined]],
  safety_identifier: [["s", (request) => request.endUser.safetyIdentifier, "s"]],
  prompt_cache_key: [["k", (request) => request.promptCacheKey, "k"]],
  prompt_cache_options: [
    [{ mode: "explicit" }, (request) => request.promptCacheOptions, { mode: "explicit" }],
  ],
  cache_control: [
    [{ type: "ephemeral", ttl: "1h" }, (request) => request.cache, { ttl: "1h" }],
    [null, (request) => request.cache, undefined],
  ],
  debug: [[{ echo_upstream_body: true }, (request) => request.echoUpstreamBody, true]],
  plugins: [[[{ id: "moderation" }], (request) => request.plugins, [{ id: "moderation" }]]],
  tools: [[[{ type: "shell" }], (request) => request.tools.length, 1], [
    null,
    (request) => request.tools,
    [],
  ]],
  tool_choice: [["none", (request) => request.toolChoice, { type: "none" }]],
  text: [
    [{}, (request) => request.format, { type: "text" }],
    [{ verbosity: "high" }, (request) => request.verbosity, "high"],
    [{ format: { type: "json_object" } }, (request) => request.format, { type: "json_object" }],
    [
      { format: { type: "json_schema", schema: {} } },
      (request) => JSON.stringify(request.format),
      '{"type":"json_schema","name":"response","schema":{}}',
    ],
  ],
  reasoning: [
    [{}, (request) => request.reasoning, undefined],
    [null, (request) => request.reasoning, undefined],
    [{ effort: "none" }, (request) => request.reasoning?.effort, "none"],
    [{ generate_summary: "auto" }, (request) => request.reasoning?.summary, "auto"],
    [{ max_tokens: 5, enabled: false }, (request) => request.reasoning?.maxTokens, 5],
  ],
  provider: [[prefersPrice, (request) => request.provider, prefersPrice]],
  trace: [[{ trace_id: "t", more: 1 }, (request) => request.trace, { trace_id: "t", more: 1 }]],
  truncation: [["auto", (request) => request.truncation, "auto"]],
  route: [
    ["fallback", (request) => request.provider?.sort, { by: undefined, partition: "model" }],
    ["sort", (request) => request.provider?.sort, { by: undefined, partition: "none" }],
    [null, (request) => request.provider, undefined],
  ],
};

for (const [field, cases] of Object.entries(fields)) {
  Deno.test(`field ${field}`, () => {
    for (const [value, read, expected] of cases) assert.deepEqual(read(parse({ [field]: value })), expected);
  });
}

Deno.test("route gives way to provider.sort", () => {
  const sort = (provider: object) => parse({ route: "sort", provider }).provider?.sort;
  assert.deepEqual(sort({ sort: "price" }), { by: "price", partition: "none" });
  assert.deepEqual(sort({ sort: { by: "latency", partition: "model" } }), {
    by: "latency",
    partition: "model",
  });
});

Deno.test("unknown top-level keys are kept apart", () => {
  const { extra } = parse(JSON.parse('{"client_metadata":{"a":1},"__proto__":{"b":1},"constructor":2}'));
  assert.deepEqual(extra, { responses: { client_metadata: { a: 1 } } });
});

Deno.test("the session of the header counts where the body names none", () => {
  const session = (body: object, sessionId?: string) =>
    parseRequest({ input: "x", ...body }, { sessionId }).request.sessionId;
  assert.equal(session({}, "header"), "header");
  assert.equal(session({ session_id: "body" }, "header"), "body");
  assert.equal(session({ session_id: "body" }, "x".repeat(300)), "body");
  assert.equal(session({}), undefined);
  assert.throws(
    () => session({}, "x".repeat(300)),
    /^ApiError: x-session-id is 300 characters long; at most 256 are/,
  );
});

Deno.test("parseRequest takes every recorded request", () => {
  const recorded = recordedRequests();
  assert.equal(recorded.length, 22);
  for (const { name, body } of recorded) assert.doesNotThrow(() => parseRequest(body), name);
});

Deno.test("parseRequest takes every request of the corpus", () => {
  for (const body of covering) {
    assert.doesNotThrow(() => parseRequest(body), JSON.stringify(body).slice(0, 200));
  }
});

Deno.test("the corpus uses every field", () => {
  assert.deepEqual(Object.keys(responseRequest.shape).filter((key) => !(key in everyField)), ["tools"]);
});

Deno.test("a body without input is refused", () => {
  assert.equal(refusal({}).message, "input is missing; a string or an array of items is expected");
  assert.equal(
    refusal({ input: null }).message,
    "input is missing; a string or an array of items is expected",
  );
  assert.match(refusal({ messages: [] }).message, /is called `input` here$/);
  assert.equal(refusal({ input: [] }).status, 400);
  assert.equal(parseRequest({ input: [], instructions: "Say hello." }).request.input.length, 0);
});

Deno.test("refusals name their paths in metadata", () => {
  const one = refusal({ input: "x", temperature: 3 });
  assert.deepEqual(one.details.metadata, { path: "temperature" });
  const several = refusal({ input: "x", temperature: 3, top_p: 3, top_k: "x", user: 5 });
  assert.equal(several.status, 400);
  assert.equal(
    several.message,
    'temperature is 3; at most 2 is allowed. top_p is 3; at most 1 is allowed. top_k is "x"; a number is expected',
  );
  assert.deepEqual(several.details.metadata?.path, "temperature");
  assert(Array.isArray(several.details.metadata?.issues) && several.details.metadata.issues.length === 3);
});
