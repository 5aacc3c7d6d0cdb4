import assert from "node:assert/strict";
import { testContext } from "../../../../tests/support/render.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { ModelEvent } from "../../canonical/event.ts";
import { foldEvents } from "../../stream/state_machine.ts";
import type { RenderContext, ResponsesStreamEvent } from "./render_context.ts";
import { renderEvents, renderResponse } from "./render_events.ts";

const usage: Usage = {
  inputTokens: 3,
  outputTokens: 2,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};
const message = (at: number): ModelEvent => ({
  type: "item",
  itemKey: at,
  item: { type: "message", role: "assistant", parts: [] },
});
const text = (at: number, delta: string): ModelEvent => ({ type: "text", itemKey: at, part: 0, delta });
const call = (at: number, callId = `call_${at}`): ModelEvent => ({
  type: "item",
  itemKey: at,
  item: { type: "call", kind: "function", callId, name: "get", arguments: "" },
});
const args = (at: number, delta: string): ModelEvent => ({ type: "arguments", itemKey: at, delta });
const done = (at: number): ModelEvent => ({ type: "item_done", itemKey: at });
const finish: ModelEvent = { type: "finish", reason: "stop", usage };

function rendered(
  events: readonly ModelEvent[],
  context: RenderContext = testContext(),
): ResponsesStreamEvent[] {
  return foldEvents(renderEvents(context), events);
}

const types = (events: readonly ResponsesStreamEvent[]) =>
  events.map(({ type }) => type.replace("response.", ""));

/** The result object that the last event carries. */
function result(events: readonly ResponsesStreamEvent[]) {
  const last: Record<string, unknown> = { ...events.at(-1) };
  return Object(last.response);
}

Deno.test("renderEvents puts a text in the order that clients require", () => {
  const events = rendered([{ type: "begin" }, message(0), text(0, "Hel"), text(0, "lo"), done(0), finish]);
  assert.deepEqual(types(events), [
    "created",
    "in_progress",
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
    "completed",
  ]);
  assert.deepEqual(events.map((event) => event.sequence_number), events.map((_, index) => index));
  assert.equal(result(events).output[0].content[0].text, "Hello");
  assert.equal(result(events).usage.total_tokens, 5);
});

Deno.test("renderEvents keeps items apart that the provider interleaves", () => {
  const events = rendered([
    call(0),
    args(0, '{"a"'),
    call(1),
    args(1, '{"b"'),
    args(0, ":1}"),
    args(1, ":2}"),
    finish,
  ]);
  const indexes = events.flatMap((event) =>
    typeof event.output_index === "number" ? [event.output_index] : []
  );
  assert.deepEqual(indexes, [...indexes].sort((a, b) => a - b));
  assert.deepEqual(result(events).output.map((item: { arguments: string }) => item.arguments), [
    '{"a":1}',
    '{"b":2}',
  ]);
});

Deno.test("renderEvents keeps the order of three items of which the first closes last", () => {
  const events = rendered([
    call(0),
    call(1),
    args(1, "{}"),
    done(1),
    call(2),
    args(2, "{}"),
    done(2),
    args(0, "{}"),
    done(0),
    finish,
  ]);
  assert.deepEqual(result(events).output.map((item: { call_id: string }) => item.call_id), [
    "call_0",
    "call_1",
    "call_2",
  ]);
  assert.equal(types(events).filter((type) => type === "output_item.done").length, 3);
});

Deno.test("renderEvents gives a call an id to answer to when the provider gave none", () => {
  const [item] = result(rendered([call(0, ""), args(0, "{}"), done(0), finish])).output;
  assert.match(item.call_id, /^call_1_0$/);
  assert.match(item.id, /^fc_1_0$/);
});

Deno.test("S1 renderEvents ends a stream that stops without a word in error and failed", () => {
  const events = rendered([message(0), text(0, "Hal")]);
  assert.deepEqual(types(events).slice(-2), ["error", "failed"]);
  const { status, error, output, error_type } = result(events);
  assert.equal(status, "failed");
  assert.equal(error.code, "server_error");
  assert.equal(error_type, "provider_unavailable");
  assert.equal(output[0].content[0].text, "Hal");
  assert.equal(output[0].status, "incomplete");
  assert.ok(!types(events).includes("output_item.done"));
});

Deno.test("S4 renderEvents tells a failure before any output as created, error, failed", () => {
  const failure: ModelEvent = { type: "failure", failure: { kind: "rate_limited", message: "Slow down." } };
  const events = rendered([failure]);
  assert.deepEqual(types(events), ["created", "error", "failed"]);
  assert.deepEqual(events.map((event) => event.sequence_number), [0, 1, 2]);
  const { type: _type, sequence_number: _number, ...error } = events[1] ?? { type: "", sequence_number: 0 };
  const flat = { code: "rate_limit_exceeded", message: "Slow down.", param: null };
  assert.deepEqual(error, { ...flat, error: { type: "error", ...flat } });
});

Deno.test("renderEvents says nothing after its terminal event", () => {
  const events = rendered([message(0), done(0), finish, text(0, "late"), finish]);
  assert.equal(types(events).filter((type) => type === "completed").length, 1);
  assert.equal(types(events).at(-1), "completed");
});

Deno.test("renderEvents closes what the output cap cut off as incomplete", () => {
  const events = rendered([message(0), text(0, "Hal"), { type: "finish", reason: "length", usage }]);
  const { status, incomplete_details, output } = result(events);
  assert.equal(types(events).at(-1), "incomplete");
  assert.equal(status, "incomplete");
  assert.deepEqual(incomplete_details, { reason: "max_output_tokens" });
  assert.equal(output[0].status, "incomplete");
});

Deno.test("renderEvents completes an item from the provider's last word, and never takes back what was shown", () => {
  const annotation = {
    type: "url_citation",
    url: "https://example.org",
    title: "E",
    start_index: 0,
    end_index: 1,
  };
  const whole: ModelEvent = {
    type: "item_done",
    itemKey: 0,
    item: {
      type: "message",
      role: "assistant",
      parts: [{ type: "text", text: "Hello", annotations: [annotation] }],
    },
  };
  const events = rendered([message(0), text(0, "Hel"), whole, finish]);
  const deltas = events.flatMap((event) => event.type === "response.output_text.delta" ? [event.delta] : []);
  assert.deepEqual(deltas, ["Hel", "lo"]);
  assert.deepEqual(result(events).output[0].content[0].annotations, [annotation]);
  const other = rendered([message(0), text(0, "Bye"), whole, finish]);
  assert.equal(result(other).output[0].content[0].text, "Bye");
});

Deno.test("renderEvents shows thoughts, their summary and the encrypted text that was requested", () => {
  const body = { model: "m/m", input: "hi", include: ["reasoning.encrypted_content"] };
  const events: readonly ModelEvent[] = [
    { type: "item", itemKey: 0, item: { type: "reasoning", summary: [], content: [] } },
    { type: "thought", itemKey: 0, part: 0, delta: "hm" },
    { type: "summary", itemKey: 0, part: 0, delta: "one" },
    { type: "summary", itemKey: 0, part: 1, delta: "two" },
    {
      type: "item_done",
      itemKey: 0,
      item: { type: "reasoning", summary: ["one", "two"], content: ["hm"], encrypted: "xyz" },
    },
    finish,
  ];
  const requested = rendered(events, testContext(body));
  assert.deepEqual(types(requested).filter((type) => type.includes("reasoning")), [
    "reasoning_text.delta",
    "reasoning_text.done",
    "reasoning_summary_part.added",
    "reasoning_summary_text.delta",
    "reasoning_summary_text.done",
    "reasoning_summary_part.done",
    "reasoning_summary_part.added",
    "reasoning_summary_text.delta",
    "reasoning_summary_text.done",
    "reasoning_summary_part.done",
  ]);
  const [item] = result(requested).output;
  assert.equal(item.encrypted_content, "xyz");
  assert.deepEqual(item.summary.map((part: { text: string }) => part.text), ["one", "two"]);
  assert.equal(result(rendered(events)).output[0].encrypted_content, undefined);
});

Deno.test("renderEvents passes events on that it has no words for, but not to a helper that would throw", () => {
  const foreign: ModelEvent = {
    type: "foreign",
    wire: "responses",
    itemKey: 0,
    value: { type: "response.novel_call.progress", output_index: 7, item_id: "x", step: 2 },
  };
  const item: ModelEvent = {
    type: "item",
    itemKey: 0,
    item: {
      type: "foreign",
      wire: "responses",
      kind: "novel_call",
      value: { type: "novel_call", id: "n_1" },
      id: "n_1",
    },
  };
  const [passed] = rendered([item, foreign, done(0), finish])
    .filter((event) => event.type === "response.novel_call.progress");
  assert.deepEqual([passed?.output_index, passed?.item_id, passed?.step], [0, "n_1", 2]);
  const strict = rendered([item, foreign, done(0), finish], testContext(undefined, { strictEvents: true }));
  assert.ok(!types(strict).includes("novel_call.progress"));
});

Deno.test("renderEvents shows the upstream bodies before created, to those who asked", () => {
  const bodies = [{ model: "x" }];
  const context = testContext(undefined, { takeDebugBodies: () => bodies.splice(0) });
  const events = rendered([message(0), done(0), finish], context);
  assert.deepEqual(types(events).slice(0, 2), ["debug", "created"]);
  assert.deepEqual(events[0]?.debug, { echo_upstream_body: { model: "x" } });
});

Deno.test("renderResponse equals what the stream's last event carries", () => {
  const events = [message(0), text(0, "Hi"), done(0), call(1), args(1, "{}"), done(1), finish];
  assert.deepEqual(renderResponse(testContext(), events), result(rendered(events)));
});
