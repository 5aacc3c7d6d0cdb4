import assert from "node:assert/strict";
import type { JsonObject } from "../../canonical/item.ts";
import type { ModelRequest, Tool } from "../../canonical/request.ts";
import { foldEvents } from "../../stream/state_machine.ts";
import { modelRequest } from "../../../../tests/support/requests.ts";
import { parseResponse } from "./parse_response.ts";
import { parseEvents } from "./events/parse_events.ts";

const tools: readonly Tool[] = [
  { type: "function", name: "now", parameters: null },
  { type: "custom", name: "patch" },
];

const parse = (body: unknown, request: Partial<ModelRequest> = {}) =>
  parseResponse(body, modelRequest({ tools, ...request }));

const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };

const answer = (message: JsonObject, more: JsonObject = {}) => ({
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop", ...more }],
  usage,
});

const calls = [
  { id: "a", type: "function", function: { name: "now", arguments: "{}" } },
  { id: "b", type: "function", function: { name: "patch", arguments: '{"input":"a\\nb"}' } },
];

const messages: Readonly<Record<string, readonly [JsonObject, JsonObject?]>> = {
  "text": [{ content: "Hey" }],
  "refusal": [{ content: null, refusal: "No" }],
  "reasoning, text and calls": [{ reasoning: "hm", content: "Hey", tool_calls: calls }, {
    finish_reason: "tool_calls",
  }],
  "cut short": [{ content: "He" }, { finish_reason: "length" }],
  "nothing": [{ content: null }],
  "citations": [{
    content: "a",
    annotations: [{
      type: "url_citation",
      url_citation: { url: "u", title: "t", start_index: 0, end_index: 1 },
    }],
  }],
  "logprobs": [{ content: "a" }, {
    logprobs: { content: [{ token: "a", logprob: -1, bytes: null, top_logprobs: [] }] },
  }],
};

Deno.test("parseResponse brings what a stream of the same would have brought", async (t) => {
  for (const [name, [message, more]] of Object.entries(messages)) {
    await t.step(name, () => {
      const { choices, ...rest } = answer(message, more);
      const chunks = [{
        ...rest,
        choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: message })),
      }];
      const frames = chunks.map((chunk) => ({ data: JSON.stringify(chunk) }));
      const streamed = foldEvents(parseEvents(modelRequest({ tools })), frames);
      assert.deepEqual(parse(answer(message, more)), streamed);
      assert.partialDeepStrictEqual(streamed.at(-1), {
        type: "finish",
        usage: { inputTokens: 5, outputTokens: 7 },
      });
    });
  }
});

Deno.test("parseResponse tells each call apart and whole", () => {
  const events = parse(answer({ tool_calls: calls }));
  const items = events.flatMap((event) =>
    event.type === "item" && event.item.type === "call" ? [event.item] : []
  );
  assert.deepEqual(items.map(({ kind, name, callId }) => [kind, name, callId]), [
    ["function", "now", "a"],
    ["custom", "patch", "b"],
  ]);
  assert.deepEqual(events.flatMap((event) => event.type === "arguments" ? [event.delta] : []), [
    "{}",
    "a\nb",
  ]);
  const only = parse(answer({ tool_calls: calls }), { parallelToolCalls: false });
  assert.equal(only.filter(({ type }) => type === "item").length, 1);
});

Deno.test("parseResponse takes an answer without a finish reason: it is all there", () => {
  const { choices: [choice], ...rest } = answer({ content: "Hey" });
  const events = parse({ ...rest, choices: [{ ...choice, finish_reason: null }] });
  assert.partialDeepStrictEqual(events.at(-1), { type: "finish", reason: "stop" });
});

const failures: Readonly<Record<string, readonly [unknown, JsonObject]>> = {
  "not JSON": [undefined, { kind: "upstream_failed", message: "The provider's answer cannot be read." }],
  "text": ["hello", { kind: "upstream_failed" }],
  "another shape": [{ output: [] }, { kind: "upstream_failed" }],
  "no choices": [{ choices: [] }, { kind: "upstream_failed" }],
  "a choice without a message": [{ choices: [{ index: 0, finish_reason: "stop" }] }, {
    kind: "upstream_failed",
  }],
  "content of another type": [answer({ content: 5 }), { kind: "upstream_failed" }],
  "an error in a 200": [{ error: { message: "slow down", code: 429 } }, {
    kind: "rate_limited",
    message: "slow down",
  }],
  "an error of its own": [{ object: "error", message: "m", code: 400 }, { kind: "invalid_request" }],
};

Deno.test("parseResponse lets what was made stand before an error beside the choices", () => {
  const error = { message: "m", type: "overloaded_error" };
  const events = parse({ ...answer({ content: "a" }), error });
  assert.deepEqual(
    events.filter(({ type }) => type === "text" || type === "failure").map(({ type }) => type),
    [
      "text",
      "failure",
    ],
  );
  assert.partialDeepStrictEqual(events.at(-1), { type: "failure", failure: { kind: "overloaded" } });
});

Deno.test("parseResponse makes one failure of what is no answer (U12)", async (t) => {
  for (const [name, [body, failure]] of Object.entries(failures)) {
    await t.step(name, () => {
      const events = parse(body);
      assert.equal(events.length, 1);
      assert.partialDeepStrictEqual(events[0], { type: "failure", failure });
    });
  }
});
