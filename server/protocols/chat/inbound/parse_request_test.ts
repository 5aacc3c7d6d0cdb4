import assert from "node:assert/strict";
import { ApiError } from "../../../../shared/errors.ts";
import { parseRequest } from "./parse_request.ts";

const base = { model: "m", messages: [{ role: "user", content: "Hi" }] };
const parse = (fields: object = {}) => parseRequest({ ...base, ...fields }).request;

function refused(fields: object): ApiError {
  try {
    parse(fields);
  } catch (error) {
    assert(error instanceof ApiError);
    return error;
  }
  throw new Error("taken");
}

Deno.test("parseRequest says what is wrong and where", () => {
  const cases: readonly (readonly [object, number, RegExp])[] = [
    [{ messages: undefined }, 400, /^messages is missing; an array is expected/],
    [{ messages: [{ role: "robot" }] }, 400, /^messages\[0\]\.role is "robot"; allowed: system, developer/],
    [{ stop: ["a", "b", "c", "d", "e"] }, 400, /^stop has 5 entries; at most 4 are allowed/],
    [{ modalities: ["audio"] }, 400, /^modalities\[0\] is "audio"; allowed: text, image/],
    [{ functions: [] }, 400, /^functions is not supported any more/],
    [{ response_format: { type: "python" } }, 400, /^response_format\.type is "python"/],
    [{ provider: { odr: [] } }, 400, /^provider\.odr is not a known key/],
    [{ session_id: "x".repeat(257) }, 400, /^session_id is 257 characters long/],
    [{ metadata: { a: "x".repeat(513) } }, 400, /^metadata\.a is 513 characters long/],
    [{ tool_choice: "required" }, 422, /^tool_choice demands a call, but there are no tools/],
    [
      { tools: [1, 2].map(() => ({ type: "function", function: { name: "f" } })) },
      422,
      /^tools\[1\]\.function\.name is "f", which another tool is called already/,
    ],
  ];
  for (const [fields, status, message] of cases) {
    const error = refused(fields);
    assert.match(error.message, message);
    assert.equal(error.status, status);
  }
});

Deno.test("parseRequest reads what a client writes out as null as absent", () => {
  const nulls = [
    "tools",
    "tool_choice",
    "stop",
    "max_tokens",
    "seed",
    "user",
    "metadata",
    "stream",
    "provider",
  ];
  assert.deepEqual(parse(Object.fromEntries(nulls.map((key) => [key, null]))), parse());
});

Deno.test("parseRequest reads sampling, stop texts and logprobs", () => {
  const request = parse({ stop: "END", seed: 7, top_a: 0.1, logprobs: true, top_logprobs: 3, max_tokens: 9 });
  assert.deepEqual(request.stop, ["END"]);
  assert.equal(request.maxOutputTokens, 9);
  assert.deepEqual(request.include, ["message.output_text.logprobs"]);
  assert.deepEqual([request.sampling.seed, request.sampling.topA, request.sampling.topLogprobs], [7, 0.1, 3]);
});

Deno.test("parseRequest reads thoughts back, each item by itself", () => {
  const reasoning_details = [
    { type: "reasoning.text", text: "A", index: 0, format: "anthropic-claude-v1" },
    { type: "reasoning.text", text: "B", index: 0, signature: "s", format: "anthropic-claude-v1" },
    { type: "reasoning.text", text: "C", index: 1, format: "anthropic-claude-v1" },
    { type: "reasoning.summary", summary: "S", id: "rs_1", index: 2, format: "openai-responses-v1" },
    { type: "reasoning.encrypted", data: "e", id: "rs_1", index: 3, format: "openai-responses-v1" },
    { type: "reasoning.server_tool_call", tool_name: "web_search", index: 4 },
  ];
  const { input } = parse({
    messages: [...base.messages, { role: "assistant", content: "x", reasoning: "AB", reasoning_details }],
  });
  const items = input.flatMap((item) => item.type === "reasoning" ? [item] : []);
  assert.deepEqual(items.map(({ content: thoughts, summary }) => [thoughts, summary]), [
    [["AB"], []],
    [["C"], []],
    [[], ["S"]],
  ]);
  assert.deepEqual(items.map(({ signature, encrypted, id }) => [signature, encrypted, id]), [
    ["s", undefined, undefined],
    [undefined, undefined, undefined],
    [undefined, "e", "rs_1"],
  ]);
});

Deno.test("parseRequest knows who does not want to see thoughts", () => {
  const hidden = (fields: object) => parseRequest({ ...base, ...fields }).echo.hideReasoning;
  assert.deepEqual(
    [{}, { include_reasoning: false }, { reasoning: { exclude: true } }].map(hidden),
    [false, true, true],
  );
});

Deno.test("parseRequest keeps shorthands and server tools apart", () => {
  const { tools } = parse({
    tools: [{ type: "web_search" }, { type: "openrouter:datetime", parameters: { timezone: "UTC" } }],
  });
  assert.deepEqual(tools.map(({ type }) => type), ["hosted", "server"]);
});
