import assert from "node:assert/strict";
import { ApiError } from "../../../../shared/errors.ts";
import { parseRequest } from "./parse_request.ts";

const base = { model: "m", max_tokens: 1_000, messages: [{ role: "user", content: "Hi" }] };
const parse = (fields: object = {}) => parseRequest({ ...base, ...fields }).request;

function complaint(fields: object): string {
  try {
    parse(fields);
    return "taken";
  } catch (error) {
    assert(error instanceof ApiError);
    return error.message;
  }
}

Deno.test("parseRequest says what is wrong and where", () => {
  assert.match(complaint({ max_tokens: undefined }), /^max_tokens is missing; a number is expected/);
  assert.match(complaint({ temperature: 1.5 }), /^temperature is 1.5; at most 1 is allowed/);
  assert.match(complaint({ user: "x".repeat(257) }), /^user is 257 characters long/);
  assert.match(complaint({ tools: [{ name: "f" }] }), /^tools\[0\]\.input_schema is missing/);
  assert.match(complaint({ tools: [{ type: "odd", name: "f" }] }), /^tools\[0\]\.type is "odd"/);
  assert.match(complaint({ thread: { type: "create" } }), /^thread is not supported/);
  const result = { type: "tool_result", tool_use_id: "t", content: "" };
  assert.match(
    complaint({ messages: [{ role: "user", content: [result] }] }),
    /^messages\[0\]\.content\[0\]\.tool_use_id answers the call "t"/,
  );
  const tool = { name: "f", input_schema: { type: "object" } };
  assert.match(complaint({ tools: [tool, tool] }), /^tools\[1\]\.name is "f"/);
});

Deno.test("parseRequest reads how hard to think", () => {
  const thinking = (fields: object, more: object = {}) => parse({ thinking: fields, ...more }).reasoning;
  const enabled = { type: "enabled", budget_tokens: 900 };
  assert.deepEqual(thinking(enabled), {
    enabled: true,
    effort: "high",
    maxTokens: 900,
    summary: "auto",
  });
  assert.deepEqual(thinking({ type: "disabled" }), { enabled: false });
  assert.deepEqual(thinking({ type: "adaptive", display: "omitted" }), { enabled: true });
  assert.deepEqual(thinking({ type: "adaptive", display: "updates" }), {
    enabled: true,
    summary: "auto",
    display: "updates",
  });
  assert.deepEqual(parse({ output_config: { effort: "max" } }).reasoning, {
    effort: "max",
    effortOnly: true,
  });
  assert.equal(parse().reasoning, undefined);
});

Deno.test("parseRequest reads the choice of tools", () => {
  const tools = [{ name: "f", input_schema: {} }, { type: "web_search_20250305", name: "web_search" }];
  const choice = (tool_choice: object) => {
    const { toolChoice, parallelToolCalls } = parse({ tools, tool_choice });
    return [toolChoice, parallelToolCalls];
  };
  assert.deepEqual(choice({ type: "any", disable_parallel_tool_use: true }), [{ type: "required" }, false]);
  assert.deepEqual(choice({ type: "none" }), [{ type: "none" }, undefined]);
  assert.deepEqual(choice({ type: "tool", name: "f" })[0], {
    type: "named",
    tool: { kind: "function", name: "f" },
  });
  assert.deepEqual(choice({ type: "tool", name: "web_search" })[0], {
    type: "hosted",
    kind: "web_search_20250305",
    value: { type: "tool", name: "web_search" },
  });
});

Deno.test("parseRequest takes the gateway's own fields, and further models in either place", () => {
  const request = parse({
    models: ["a"],
    fallbacks: ["b", { model: "c" }],
    session_id: "s",
    metadata: { user_id: "u" },
    provider: { order: ["x"] },
    container: "c1",
  });
  assert.deepEqual(request.models, ["a", "b", "c"]);
  assert.equal(request.sessionId, "s");
  assert.deepEqual(request.endUser.user, "u");
  assert.deepEqual(request.extra, { messages: { container: "c1" } });
});

Deno.test("parseRequest keeps a call's input as it is, whatever its names are", () => {
  const input: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
  const call = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input }] };
  const [, item] = parse({ messages: [...base.messages, call] }).input;
  assert(item?.type === "call");
  assert.equal(item.arguments, JSON.stringify(input));
});

Deno.test("parseRequest says the summary of a compaction in words, for other wires", () => {
  const block = { type: "compaction", content: "They met in Rome." };
  const { input } = parse({ messages: [{ role: "assistant", content: [block] }, ...base.messages] });
  const [item] = input;
  assert(item?.type === "foreign");
  assert.deepEqual([item.kind, item.value, item.textFallback], ["compaction", block, "They met in Rome."]);
});

Deno.test("parseRequest takes results of the provider's own tools, which have no input", () => {
  const kinds = ["web_search_tool_result", "code_execution_tool_result", "mcp_tool_result"];
  for (const type of kinds) {
    const block = { type, tool_use_id: "srvtoolu_1", content: [] };
    const { input } = parse({ messages: [{ role: "assistant", content: [block] }, ...base.messages] });
    const [item] = input;
    assert(item?.type === "foreign");
    assert.deepEqual([item.kind, item.value], [type, block]);
  }
});
