import assert from "node:assert/strict";
import { collect } from "../../../../tests/support/collect.ts";
import { parseResponse } from "./parse_response.ts";

const answer = {
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "one-2026",
  service_tier: "default",
  output: [
    {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "S" }],
      content: [{ type: "reasoning_text", text: "T" }],
      encrypted_content: "x",
    },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      phase: "final_answer",
      content: [
        {
          type: "output_text",
          text: "Hey",
          annotations: [{ type: "url_citation", url: "https://a" }],
          logprobs: [],
        },
        { type: "refusal", refusal: "No" },
      ],
    },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "{}", status: "completed" },
    { type: "custom_tool_call", id: "ctc_1", call_id: "call_2", name: "c", input: "in" },
    {
      type: "web_search_call",
      id: "ws_1",
      status: "completed",
      action: { type: "open_page", url: "https://a" },
    },
  ],
  usage: { input_tokens: 3, output_tokens: 5, output_tokens_details: { reasoning_tokens: 2 } },
  billing: { payer: "developer" },
};

Deno.test("parseResponse tells what a stream would have told", () => {
  const events = parseResponse(answer);
  const { items, last } = collect(events);
  assert.deepEqual(events.map(({ type }) => type), [
    "begin",
    ...["item", "thought", "summary", "item_done"],
    ...["item", "text", "annotation", "refusal", "item_done"],
    ...["item", "arguments", "item_done"],
    ...["item", "arguments", "item_done"],
    ...["item", "item_done"],
    "finish",
  ]);
  assert.partialDeepStrictEqual(items, [
    { type: "reasoning", summary: ["S"], content: ["T"], encrypted: "x" },
    { type: "message", phase: "final_answer", parts: [{ text: "Hey" }, { type: "refusal", text: "No" }] },
    { type: "call", kind: "function", callId: "call_1" },
    { type: "call", kind: "custom", arguments: "in" },
    { type: "foreign", kind: "web_search_call", textFallback: "[Opened https://a]" },
  ]);
  assert.partialDeepStrictEqual(last, {
    type: "finish",
    reason: "stop",
    serviceTier: "default",
    usage: { inputTokens: 3, outputTokens: 5, reasoningTokens: 2 },
    extra: { responses: { billing: { payer: "developer" } } },
  });
});

Deno.test("parseResponse ends for the reason that the provider gives", () => {
  const reason = (details: unknown) =>
    collect(parseResponse({ ...answer, status: "incomplete", incomplete_details: details })).last;
  assert.partialDeepStrictEqual(reason({ reason: "max_output_tokens" }), { reason: "length" });
  assert.partialDeepStrictEqual(reason({ reason: "content_filter" }), { reason: "content_filter" });
});

Deno.test("parseResponse takes an answer that leaves its status out", () => {
  assert.partialDeepStrictEqual(parseResponse({ output: [] }), [{ type: "begin" }, { type: "finish" }]);
});

Deno.test("U12 parseAnswer fails on what is no answer", () => {
  for (const body of [undefined, null, "<html>", 7, [], {}, { id: "resp_1" }, { output: "text" }]) {
    assert.deepEqual(parseResponse(body).map(({ type }) => type), ["failure"], JSON.stringify(body));
  }
});

Deno.test("parseResponse fails when the provider did", () => {
  const error = { code: "server_error", message: "Oops" };
  const bodies = [
    { ...answer, status: "failed", error },
    { ...answer, status: undefined, error },
    { error },
  ];
  for (const body of bodies) {
    assert.partialDeepStrictEqual(parseResponse(body), [
      { type: "failure", failure: { kind: "upstream_failed", code: "server_error", message: "Oops" } },
    ]);
  }
  for (const status of ["in_progress", "queued", "cancelled"]) {
    const types = parseResponse({ ...answer, status }).map(({ type }) => type);
    assert.deepEqual([types[0], types.at(-1)], ["begin", "failure"], "what was made stands before it");
    assert.equal(types.filter((type) => type === "failure").length, 1);
    assert.deepEqual(parseResponse({ ...answer, status, output: [] }).map(({ type }) => type), ["failure"]);
  }
});

Deno.test("parseResponse skips output that is no item", () => {
  const { items } = collect(
    parseResponse({ ...answer, output: [null, "text", {}, { role: "assistant", content: "Hi" }] }),
  );
  assert.partialDeepStrictEqual(items, [{ type: "message", parts: [{ text: "Hi" }] }]);
});
