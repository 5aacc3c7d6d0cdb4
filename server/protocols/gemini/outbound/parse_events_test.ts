import assert from "node:assert/strict";
import type { ModelEvent } from "../../canonical/event.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { foldEvents } from "../../stream/state_machine.ts";
import { collect } from "../../../../tests/support/collect.ts";
import { modelRequest } from "../../../../tests/support/requests.ts";
import { parseEvents, parseResponse } from "./parse_events.ts";

type Frame = JsonObject | string;

const frame = (one: Frame) => ({ data: typeof one === "string" ? one : JSON.stringify(one) });

function parse(frames: readonly Frame[], request: Partial<ModelRequest> = {}): readonly ModelEvent[] {
  return foldEvents(parseEvents(modelRequest({ stream: true, ...request })), frames.map(frame));
}

/** A chunk with one candidate. */
const chunk = (parts: readonly JsonObject[], more: JsonObject = {}) => ({
  candidates: [{ content: { parts, role: "model" }, index: 0, ...more }],
  modelVersion: "m",
});
const stop = chunk([{ text: "" }], { finishReason: "STOP" });
const call = (name: string, more: JsonObject = {}) => ({ functionCall: { name, args: { a: 1 } }, ...more });

/** Lists the events, in short. */
function short(events: readonly ModelEvent[]): readonly string[] {
  const { items, last } = collect(events);
  const words = items.map((item) => {
    switch (item.type) {
      case "message":
        return `message ${item.parts.map((part) => "text" in part ? part.text : "").join("|")}`;
      case "reasoning":
        return `reasoning ${item.summary.join("|")} ${item.signature ?? "-"}`;
      case "call":
        return `call ${item.kind} ${item.name} ${item.arguments}`;
      default:
        return item.kind;
    }
  });
  const end = last.type === "finish" ? last.reason : `${last.failure.kind} ${last.failure.code ?? ""}`.trim();
  return [...words, end];
}

const cases: Readonly<Record<string, readonly [readonly Frame[], readonly string[]]>> = {
  "text": [[chunk([{ text: "He" }]), chunk([{ text: "y" }]), stop], ["message Hey", "stop"]],
  "nothing but an end": [[stop], ["stop"]],
  "an end on every chunk, as older models send it": [
    [chunk([{ text: "a" }], { finishReason: "STOP" }), chunk([{ text: "b" }], { finishReason: "STOP" })],
    ["message ab", "stop"],
  ],
  "thoughts, then text": [
    [chunk([{ text: "hm", thought: true }]), chunk([{ text: "a" }]), stop],
    ["reasoning hm -", "message a", "stop"],
  ],
  "a signature on the first text seals the thoughts before it": [
    [chunk([{ text: "hm", thought: true }]), chunk([{ text: "a", thoughtSignature: "S" }]), stop],
    ["reasoning hm S", "message a", "stop"],
  ],
  "a signature on a later text stands behind the message": [
    [chunk([{ text: "a" }]), chunk([{ text: "b", thoughtSignature: "S" }]), stop],
    ["message ab", "reasoning  S", "stop"],
  ],
  "a signature alone, after the text and after nothing": [
    [chunk([{ text: "", thoughtSignature: "S" }]), chunk([{ text: "a" }]), stop],
    ["reasoning  S", "message a", "stop"],
  ],
  "a signed call after thoughts": [
    [chunk([{ text: "hm", thought: true }]), chunk([call("f", { thoughtSignature: "S" }), call("g")]), stop],
    ["reasoning hm S", 'call function f {"a":1}', 'call function g {"a":1}', "stop"],
  ],
  "signed text and signed call": [
    [
      chunk([{ text: "a" }]),
      chunk([{ text: "", thoughtSignature: "T" }]),
      chunk([call("f", { thoughtSignature: "S" })]),
      stop,
    ],
    ["message a", "reasoning  T", "reasoning  S", 'call function f {"a":1}', "stop"],
  ],
  "a call without arguments": [
    [chunk([{ functionCall: { name: "f" } }]), stop],
    ["call function f {}", "stop"],
  ],
  "a call of nothing that was offered": [[chunk([call("x")]), stop], ['call function x {"a":1}', "stop"]],
  "code that nobody asked for": [
    [
      chunk([{ executableCode: { code: "1+1", language: "PYTHON" } }, {
        codeExecutionResult: { output: "2" },
      }]),
      stop,
    ],
    ["message \n```python\n1+1\n```\n\n```\n2\n```\n", "stop"],
  ],
  "pictures, and pictures of thoughts": [
    [
      chunk([{ inlineData: { mimeType: "image/png", data: "QQ==" }, thought: true }, {
        inlineData: { mimeType: "image/png", data: "QQ==" },
      }, { inlineData: { mimeType: "audio/wav", data: "QQ==" } }]),
      stop,
    ],
    ["image_generation_call", "stop"],
  ],
  "another candidate": [
    [{ candidates: [{ index: 1, content: { parts: [{ text: "no" }] } }] }, chunk([{ text: "a" }]), stop],
    ["message a", "stop"],
  ],
  "max tokens": [[chunk([{ text: "a" }]), chunk([], { finishReason: "MAX_TOKENS" })], [
    "message a",
    "length",
  ]],
  "max tokens while thinking": [[{ candidates: [{ finishReason: "MAX_TOKENS" }] }], ["length"]],
  "a reason that is not one yet": [
    [chunk([{ text: "a" }], { finishReason: "FINISH_REASON_UNSPECIFIED" })],
    ["message a", "upstream_failed stream_cut"],
  ],
  "a reason of tomorrow": [[chunk([], { finishReason: "GREEN_CHEESE" })], ["upstream_failed green_cheese"]],
  "a blocked prompt": [[{ promptFeedback: { blockReason: "SAFETY" } }], ["content_filter"]],
  "feedback that blocks nothing": [[{ promptFeedback: {} }, stop], ["stop"]],
  "an error after text": [
    [chunk([{ text: "a" }]), { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Quota" } }, stop],
    ["message a", "rate_limited RESOURCE_EXHAUSTED"],
  ],
  "bad JSON": [[chunk([{ text: "a" }]), '{"cand', stop], ["message a", "upstream_failed"]],
  "what is no chunk": [["[1]", stop], ["upstream_failed"]],
  "a call without a name": [[chunk([{ functionCall: { args: {} } }])], ["upstream_failed"]],
  "nothing": [[], ["upstream_failed empty_answer"]],
  "a cut": [[chunk([{ text: "a" }])], ["message a", "upstream_failed stream_cut"]],
};

Deno.test("parseEvents reads what Gemini sends", async (t) => {
  for (const [name, [frames, expected]] of Object.entries(cases)) {
    await t.step(name, () => assert.deepEqual(short(parse(frames)), expected));
  }
});

Deno.test("parseEvents ends every finish reason as faults and promises say", () => {
  const filtered = ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"];
  const failed = ["MALFORMED_FUNCTION_CALL", "OTHER", "LANGUAGE", "UNEXPECTED_TOOL_CALL", "NO_IMAGE"];
  for (const reason of filtered) {
    assert.deepEqual(short(parse([chunk([], { finishReason: reason })])), ["content_filter"]);
  }
  for (const reason of failed) {
    assert.deepEqual(short(parse([chunk([], { finishReason: reason })])), [
      `upstream_failed ${reason.toLowerCase()}`,
    ]);
  }
});

Deno.test("parseEvents takes as many calls as were asked for", () => {
  const two = [chunk([call("f", { thoughtSignature: "S" }), call("g", { thoughtSignature: "T" })]), stop];
  assert.deepEqual(short(parse(two, { parallelToolCalls: false })), [
    "reasoning  S",
    'call function f {"a":1}',
    "stop",
  ]);
  assert.deepEqual(short(parse(two, { toolChoice: { type: "none" } })), ["stop"]);
});

Deno.test("parseEvents reads a custom tool's input, whatever holds it", () => {
  const request = { tools: [{ type: "custom" as const, name: "patch" }] };
  const input = (args: JsonObject) =>
    short(parse([chunk([{ functionCall: { name: "patch", args } }]), stop], request))[0];
  assert.equal(input({ input: 'a "b"\n' }), 'call custom patch a "b"\n');
  assert.equal(input({ input: { a: 1 } }), 'call custom patch {"a":1}');
  assert.equal(input({ text: "a" }), 'call custom patch {"text":"a"}');
});

Deno.test("parseEvents gives no call the id of another", () => {
  const ids = ["a", "a", "", undefined].map((id) => ({ functionCall: { id, name: "f" } }));
  const { items } = collect(parse([chunk(ids), stop]));
  assert.deepEqual(items.map((item) => item.type === "call" && item.callId), ["a", "", "", ""]);
});

Deno.test("parseEvents tells a signature in words that outlive a client that knows neither it nor its format", () => {
  const { items } = collect(parse([chunk([call("f", { thoughtSignature: "S" })]), stop]));
  assert.partialDeepStrictEqual(items[0], {
    type: "reasoning",
    format: "google-gemini-v1",
    signature: "S",
    encrypted: "google-gemini-v1:S",
  });
});

Deno.test("parseEvents cites where the provider says so, and finds quotes that stand elsewhere", () => {
  const chunks = [
    { web: { uri: "https://a.example/", title: "A" } },
    { maps: { uri: "https://m.example/" } },
    {},
  ];
  const citationsOf = (groundingMetadata: JsonObject, more: JsonObject = {}) =>
    parse([chunk([{ text: "äb cd" }]), chunk([], { finishReason: "STOP", groundingMetadata, ...more })])
      .flatMap((event) => event.type === "annotation" ? [event.annotation] : [])
      .map(({ url, start_index, end_index }) => `${url} ${start_index}-${end_index}`);
  const support = (segment: JsonObject, groundingChunkIndices: readonly number[]) => ({
    groundingChunks: chunks,
    groundingSupports: [{ segment, groundingChunkIndices }],
  });
  assert.deepEqual(citationsOf(support({ endIndex: 3, text: "äb" }, [0, 1, 2, 9])), [
    "https://a.example/ 0-2",
    "https://m.example/ 0-2",
  ]);
  assert.deepEqual(citationsOf(support({ startIndex: 90, endIndex: 92, text: "cd" }, [0])), [
    "https://a.example/ 3-5",
  ]);
  assert.deepEqual(citationsOf({ groundingChunks: chunks }), [
    "https://a.example/ 0-0",
    "https://m.example/ 0-0",
  ]);
  const citations = [{ startIndex: 3, endIndex: 6, uri: "https://c.example/" }, { endIndex: 2 }];
  assert.deepEqual(citationsOf({}, { citationMetadata: { citations } }), ["https://c.example/ 2-5"]);
});

Deno.test("parseAnswer reads the same of a whole answer", () => {
  const request = modelRequest();
  assert.deepEqual(short(parseResponse(chunk([{ text: "a" }]), request)), ["message a", "stop"]);
  assert.deepEqual(short(parseResponse({ promptFeedback: { blockReason: "OTHER" } }, request)), [
    "content_filter",
  ]);
  assert.deepEqual(short(parseResponse({ error: { code: 503, status: "UNAVAILABLE" } }, request)), [
    "unavailable UNAVAILABLE",
  ]);
  for (const body of [undefined, null, "x", {}, { candidates: [] }, { candidates: "x" }, []]) {
    assert.deepEqual(short(parseResponse(body, request)), ["upstream_failed"]);
  }
  assert.deepEqual(short(parseResponse({ candidates: [{}] }, request)), ["upstream_failed stream_cut"]);
});
