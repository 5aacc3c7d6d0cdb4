import assert from "node:assert/strict";
import { modelRequest } from "../../../../tests/support/requests.ts";
import { collect } from "../../../../tests/support/collect.ts";
import { parseResponse } from "./parse_events.ts";

const usage = { input_tokens: 5, output_tokens: 9, service_tier: "standard" };
const answer = (content: readonly object[], more: object = {}) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content,
  stop_reason: "end_turn",
  usage,
  ...more,
});

Deno.test("parseResponse tells what a stream would have told", () => {
  const body = answer([
    { type: "thinking", thinking: "a", signature: "s" },
    { type: "redacted_thinking", data: "d" },
    { type: "text", text: "b", citations: null },
    { type: "tool_use", id: "1", name: "get", input: { a: 1 } },
    { type: "tool_use", id: "2", name: "now", input: {} },
  ]);
  const events = parseResponse(body, modelRequest());
  const { items, last } = collect(events);
  assert.deepEqual(items, [
    { type: "reasoning", content: ["a"], summary: [], signature: "s", format: "anthropic-claude-v1" },
    { type: "reasoning", content: [], summary: [], encrypted: "d", format: "anthropic-claude-v1" },
    { type: "message", role: "assistant", parts: [{ type: "text", text: "b" }] },
    { type: "call", kind: "function", callId: "1", name: "get", arguments: '{"a":1}' },
    { type: "call", kind: "function", callId: "2", name: "now", arguments: "{}" },
  ]);
  assert.ok(last.type === "finish");
  assert.deepEqual([last.usage?.estimated, last.usage?.inputTokens, last.serviceTier], [false, 5, "default"]);
});

Deno.test("parseResponse tells citations, custom tools and reasons as a stream does", () => {
  const cited = { type: "char_location", document_title: "D", document_index: 0, cited_text: "x" };
  const body = answer([
    { type: "text", text: "b", citations: [cited] },
    { type: "tool_use", id: "1", name: "patch", input: { input: "a\nb" } },
  ], { stop_reason: "max_tokens" });
  const events = parseResponse(body, modelRequest({ tools: [{ type: "custom", name: "patch" }] }));
  const { items, last } = collect(events);
  assert.equal(items[1]?.type === "call" && items[1].arguments, "a\nb");
  assert.equal(events.filter(({ type }) => type === "annotation").length, 1);
  assert.equal(last.type === "finish" && last.reason, "length");
});

const finished: readonly (readonly [string, object])[] = [
  ["without a reason", answer([{ type: "text", text: "a" }], { stop_reason: null })],
  ["without a word", answer([])],
];

Deno.test("parseResponse takes a whole answer for a finished one", () => {
  for (const [name, body] of finished) {
    const { last } = collect(parseResponse(body, modelRequest()));
    assert.equal(last.type === "finish" && last.reason, "stop", name);
  }
});

const broken: readonly (readonly [string, unknown, string])[] = [
  ["no JSON", undefined, "upstream_failed"],
  ["another wire's answer", { choices: [] }, "upstream_failed"],
  ["content that is no list", { content: "Hi" }, "upstream_failed"],
  ["an error", { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded"],
];

Deno.test("parseResponse fails on what is no answer", () => {
  for (const [name, body, kind] of broken) {
    const { last } = collect(parseResponse(body, modelRequest()));
    assert.equal(last.type === "failure" && last.failure.kind, kind, name);
  }
});
