import assert from "node:assert/strict";
import type { JsonObject } from "../../canonical/item.ts";
import { foldEvents } from "../../stream/state_machine.ts";
import { collect } from "../../../../tests/support/collect.ts";
import {
  added,
  created,
  delta,
  done,
  ended,
  message,
  parse,
  received,
  typesOf,
} from "../../../../tests/support/responses_events.ts";
import { parseEvents } from "./parse_events.ts";

Deno.test("parseEvents tells a text from its opening to its end", () => {
  const events = parse(
    created,
    { type: "response.in_progress", response: {} },
    added(message),
    {
      type: "response.content_part.added",
      output_index: 0,
      content_index: 0,
      part: { type: "output_text", text: "" },
    },
    delta("output_text", { delta: "He", logprobs: [], obfuscation: "x" }),
    delta("output_text", {
      delta: "y",
      logprobs: [{ token: "y", logprob: -1, bytes: [121], top_logprobs: [] }],
    }),
    { type: "response.output_text.done", output_index: 0, text: "Hey" },
    { type: "response.content_part.done", output_index: 0, part: {} },
    done(received("Hey")),
    ended({
      service_tier: "default",
      usage: { input_tokens: 3, output_tokens: 1 },
      output: [received("Hey")],
    }),
  );
  assert.deepEqual(typesOf(events), ["begin", "item", "text", "text", "item_done", "finish"]);
  assert.deepEqual(events[0], { type: "begin", upstreamId: "resp_1", model: "one-2026" });
  assert.partialDeepStrictEqual(events[3], {
    type: "text",
    itemKey: 0,
    part: 0,
    delta: "y",
    logprobs: [{ token: "y", logprob: -1, bytes: [121], top_logprobs: [] }],
  });
  assert.partialDeepStrictEqual(events.at(-1), {
    type: "finish",
    reason: "stop",
    serviceTier: "default",
    usage: { inputTokens: 3, outputTokens: 1, estimated: false },
  });
  assert.partialDeepStrictEqual(collect(events).items, [{ id: "msg_1", parts: [{ text: "Hey" }] }]);
});

Deno.test("parseEvents tells refusals, thoughts, summaries, arguments and inputs", () => {
  const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
  const call = {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "f",
    arguments: "",
    namespace: "n",
  };
  const custom = { type: "custom_tool_call", id: "ctc_1", call_id: "call_2", name: "c", input: "" };
  const events = parse(
    created,
    added(reasoning),
    delta("reasoning_summary_text", { summary_index: 0, delta: "S" }),
    delta("reasoning_text", { content_index: 0, delta: "T" }),
    done({ ...reasoning, summary: [{ type: "summary_text", text: "S" }], encrypted_content: "x" }),
    added(message, 1),
    delta("refusal", { output_index: 1, content_index: 0, delta: "No" }),
    done({ ...message, content: [{ type: "refusal", refusal: "No" }] }, 1),
    added(call, 2),
    added(custom, 3),
    delta("function_call_arguments", { output_index: 2, delta: "{}" }),
    delta("custom_tool_call_input", { output_index: 3, delta: "in" }),
    done({ ...custom, input: "in" }, 3),
    done({ ...call, arguments: "{}" }, 2),
    ended(),
  );
  assert.deepEqual(
    events.flatMap((event) => "delta" in event ? [[event.type, event.itemKey, event.delta]] : []),
    [
      ["summary", 0, "S"],
      ["thought", 0, "T"],
      ["refusal", 1, "No"],
      ["arguments", 2, "{}"],
      ["arguments", 3, "in"],
    ],
  );
  const items = collect(parse(
    created,
    done({ ...reasoning, encrypted_content: "x" }),
    done({ ...call, arguments: "{}" }, 1),
    done({ ...custom, input: "in" }, 2),
    ended(),
  )).items;
  assert.partialDeepStrictEqual(items, [
    { type: "reasoning", encrypted: "x" },
    { type: "call", kind: "function", callId: "call_1", namespace: "n", arguments: "{}" },
    { type: "call", kind: "custom", callId: "call_2", arguments: "in" },
  ]);
});

Deno.test("parseEvents tells annotations", () => {
  const annotation = { type: "url_citation", url: "https://a", title: "A", start_index: 0, end_index: 1 };
  const events = parse(
    created,
    added(message),
    delta("output_text", { delta: "A" }),
    { type: "response.output_text.annotation.added", output_index: 0, content_index: 0, annotation },
    done({ ...message, content: [{ type: "output_text", text: "A", annotations: [annotation] }] }),
    ended(),
  );
  assert.partialDeepStrictEqual(events[3], { type: "annotation", itemKey: 0, part: 0, annotation });
});

Deno.test("parseEvents lets unknown events, items and fields survive", () => {
  const search = { type: "web_search_call", id: "ws_1", status: "in_progress" };
  const unknown = { type: "hologram_call", id: "holo_1", depth: 3 };
  const events = parse(
    created,
    added(search),
    { type: "response.web_search_call.searching", output_index: 0, item_id: "ws_1", sequence_number: 4 },
    { type: "response.hologram.flicker", intensity: 0.5 },
    done({ ...search, status: "completed", action: { type: "search", query: "a" } }),
    added(unknown, 1),
    done(unknown, 1),
    added({ ...message, mood: "calm" }, 2),
    delta("output_text", { output_index: 2, delta: "A", confidence: 0.9 }),
    done({ ...received("A"), mood: "calm" }, 2),
    ended({ tool_usage: { web_search: { num_requests: 1 } }, temperature: 1 }),
  );
  assert.partialDeepStrictEqual(events.filter(({ type }) => type === "foreign"), [
    { wire: "responses", itemKey: 0, value: { type: "response.web_search_call.searching" } },
    { wire: "responses", itemKey: undefined, value: { type: "response.hologram.flicker", intensity: 0.5 } },
  ]);
  assert.partialDeepStrictEqual(events.find(({ type }) => type === "text"), {
    extra: { responses: { confidence: 0.9 } },
  });
  assert.partialDeepStrictEqual(collect(events).items, [
    { kind: "web_search_call", textFallback: '[Searched the web for "a"]', value: { status: "completed" } },
    { kind: "hologram_call", value: unknown },
    { type: "message", extra: { responses: { mood: "calm" } } },
  ]);
  assert.deepEqual(collect(events).last.type === "finish" && collect(events).last, {
    type: "finish",
    reason: "stop",
    usage: undefined,
    serviceTier: undefined,
    extra: { responses: { tool_usage: { web_search: { num_requests: 1 } } } },
  });
});

Deno.test("parseEvents ends for the reason that the provider gives", () => {
  const incomplete = (details: unknown) =>
    parse(created, { type: "response.incomplete", response: { incomplete_details: details } }).at(-1);
  assert.partialDeepStrictEqual(incomplete({ reason: "max_output_tokens" }), {
    type: "finish",
    reason: "length",
  });
  assert.partialDeepStrictEqual(incomplete({ reason: "content_filter" }), { reason: "content_filter" });
  assert.partialDeepStrictEqual(incomplete(null), { reason: "length" });
  assert.partialDeepStrictEqual(parse(ended({ status: "incomplete" })).at(-1), { reason: "length" });
  const cut = parse(created, added(message), { type: "response.incomplete", response: {} });
  assert.deepEqual(typesOf(cut), ["begin", "item", "finish"]);
});

Deno.test("U3 U9 parseEvents fails when the provider says so, whatever shape it gives its error", () => {
  const failure = (event: JsonObject) => parse(created, event).at(-1);
  const error = { code: "rate_limit_exceeded", message: "Slow down, sk-live-1234567890" };
  const usage = { input_tokens: 1, output_tokens: 0 };
  assert.partialDeepStrictEqual(
    failure({ type: "response.failed", response: { status: "failed", error, usage } }),
    {
      type: "failure",
      failure: { kind: "rate_limited", code: "rate_limit_exceeded", message: "Slow down, [redacted]" },
      usage: { inputTokens: 1, outputTokens: 0 },
    },
  );
  for (const event of [{ type: "error", ...error, param: null }, { type: "error", error }, { error }]) {
    assert.partialDeepStrictEqual(failure(event), { type: "failure", failure: { kind: "rate_limited" } });
  }
  assert.partialDeepStrictEqual(failure({ type: "error", error: { type: "overloaded_error" } }), {
    failure: { kind: "overloaded", message: "Provider call failed without saying why." },
  });
  assert.partialDeepStrictEqual(
    failure({ type: "response.completed", response: { status: "failed", error } }),
    {
      type: "failure",
    },
  );
  assert.partialDeepStrictEqual(failure({ type: "response.cancelled", response: {} }), { type: "failure" });
  assert.deepEqual(typesOf(parse({ type: "error", error })), ["failure"]);
  const ours = failure({ type: "error", code: "invalid_api_key", message: "Incorrect API key provided" });
  assert.doesNotMatch(JSON.stringify(ours), /key/i);
});

Deno.test("U9 parseEvents fails when the stream ends without its terminal event", () => {
  const usage = { input_tokens: 7, output_tokens: 0 };
  const events = foldEvents(parseEvents, [
    { data: JSON.stringify({ ...created, response: { usage } }) },
    { data: "[DONE]" },
  ]);
  assert.partialDeepStrictEqual(events.at(-1), {
    type: "failure",
    failure: { kind: "upstream_failed" },
    usage: { inputTokens: 7 },
  });
  assert.deepEqual(typesOf(foldEvents(parseEvents, [])), ["failure"]);
});

Deno.test("U10 parseEvents fails on a frame that it cannot read", () => {
  for (const data of ["{", "null", "7", '"text"', "<html>"]) {
    assert.deepEqual(typesOf(foldEvents(parseEvents, [{ data }])), ["failure"], data);
  }
  const wrong = [
    delta("output_text", { delta: 7 }),
    { type: "response.completed" },
    { type: "response.output_text.annotation.added", annotation: 1 },
  ];
  for (const event of wrong) assert.equal(parse(created, event).at(-1)?.type, "failure", event.type);
});

Deno.test("U10 parseEvents skips frames that say nothing", () => {
  const frames = [{ data: "" }, { data: "{}" }, { data: '{"type":"keepalive"}' }, {
    event: "ping",
    data: "{}",
  }];
  assert.deepEqual(typesOf(foldEvents(parseEvents, frames)), ["failure"]);
});

Deno.test("U15 parseEvents ignores what comes after the terminal event", () => {
  const events = parse(created, ended(), added(message), { type: "error", message: "late" }, ended());
  assert.deepEqual(typesOf(events), ["begin", "finish"]);
});
