import assert from "node:assert/strict";
import type { ModelEvent } from "../../canonical/event.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { foldEvents } from "../../stream/state_machine.ts";
import { modelRequest } from "../../../../tests/support/requests.ts";
import { parseEvents } from "./parse_events.ts";

type Frame = JsonObject | string;

const frame = (one: Frame) => ({ data: typeof one === "string" ? one : JSON.stringify(one) });

function parse(frames: readonly Frame[], request: Partial<ModelRequest> = {}): readonly ModelEvent[] {
  return foldEvents(parseEvents(modelRequest({ stream: true, ...request })), frames.map(frame));
}

const start: JsonObject = {
  type: "message_start",
  message: { id: "msg_1", model: "claude", usage: { input_tokens: 5, output_tokens: 1 } },
};
const block = (content_block: JsonObject, index = 0): JsonObject => ({
  type: "content_block_start",
  index,
  content_block,
});
const grows = (delta: JsonObject, index = 0): JsonObject => ({ type: "content_block_delta", index, delta });
const ends: JsonObject = { type: "content_block_stop", index: 0 };
const says = (text: string) => grows({ type: "text_delta", text });
const json = (partial_json: string) => grows({ type: "input_json_delta", partial_json });
const text = (...words: readonly string[]) => [block({ type: "text", text: "" }), ...words.map(says), ends];
/** `1 get`: the call's id and the tool's name. */
const use = (call: string, ...chunks: readonly string[]) => [
  block({ type: "tool_use", id: call.split(" ")[0], name: call.split(" ")[1], input: {} }),
  ...chunks.map(json),
  ends,
];
const thinks = (words: string, signature: string) => [
  block({ type: "thinking", thinking: "", signature: "" }),
  grows({ type: "thinking_delta", thinking: words }),
  grows({ type: "signature_delta", signature }),
  ends,
];
const why = (stop_reason: string | null, more: JsonObject = {}): JsonObject => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null, ...more },
  usage: { output_tokens: 9 },
});
const stop: JsonObject = { type: "message_stop" };
const whole = (...frames: readonly (readonly Frame[])[]) => [start, ...frames.flat(), why("end_turn"), stop];

/** Events in short, without the greeting. */
function short(events: readonly ModelEvent[]): readonly string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case "begin":
        return [];
      case "item":
        return [
          `${event.itemKey}+${event.item.type}${event.item.type === "call" ? ` ${event.item.name}` : ""}`,
        ];
      case "text":
      case "refusal":
      case "thought":
      case "summary":
        return [`${event.itemKey} ${event.type}${event.part} ${event.delta}`];
      case "arguments":
        return [`${event.itemKey} args ${event.delta}`];
      case "item_done":
        return [`${event.itemKey}-`];
      case "finish":
        return [`finish ${event.reason}`];
      case "failure":
        return [`failure ${event.failure.kind}`];
      default:
        return [event.type];
    }
  });
}

/** Streams and what they say. */
type Cases = Readonly<Record<string, readonly [readonly Frame[], readonly string[]]>>;

async function table(t: Deno.TestContext, cases: Cases, request?: Partial<ModelRequest>): Promise<void> {
  for (const [name, [frames, expected]] of Object.entries(cases)) {
    await t.step(name, () => assert.deepEqual(short(parse(frames, request)), expected));
  }
}

const blocks: Cases = {
  "text": [whole(text("a", "", "b")), ["0+message", "0 text0 a", "0 text0 b", "0-", "finish stop"]],
  "texts in a row": [whole(text("a"), text("b")), [
    "0+message",
    "0 text0 a",
    "0 text0 b",
    "0-",
    "finish stop",
  ]],
  "text that is there at once": [whole([block({ type: "text", text: "a" }), ends]), [
    "0+message",
    "0 text0 a",
    "0-",
    "finish stop",
  ]],
  "text without a word": [whole(text()), ["finish stop"]],
  "thoughts": [whole(thinks("a", "s"), thinks("b", "t"), text("c")), [
    "0+reasoning",
    "0 thought0 a",
    "0-",
    "1+reasoning",
    "1 thought0 b",
    "1-",
    "2+message",
    "2 text0 c",
    "2-",
    "finish stop",
  ]],
  "a call in pieces": [whole(use("1 get", "", '{"a"', ":1}")), [
    "0+call get",
    '0 args {"a"',
    "0 args :1}",
    "0-",
    "finish stop",
  ]],
  "a call without arguments": [whole(use("1 get", "")), [
    "0+call get",
    "0 args {}",
    "0-",
    "finish stop",
  ]],
  "calls beside each other": [whole(use("1 get", "{}"), use("2 put", "{}")), [
    "0+call get",
    "0 args {}",
    "0-",
    "1+call put",
    "1 args {}",
    "1-",
    "finish stop",
  ]],
  "a block that never ended": [[
    start,
    block({ type: "text", text: "" }),
    says("a"),
    ...use("1 get", "{}"),
    why("tool_use"),
    stop,
  ], [
    "0+message",
    "0 text0 a",
    "0-",
    "1+call get",
    "1 args {}",
    "1-",
    "finish stop",
  ]],
  "a block that we do not know": [whole([block({ type: "hologram", x: 1 }), json("{}"), ends], text("a")), [
    "0+foreign",
    "0-",
    "1+message",
    "1 text0 a",
    "1-",
    "finish stop",
  ]],
  "pings and events that we do not know": [
    [{ type: "ping" }, ...whole([{ type: "ping" }, { type: "content_block_mood" }], text("a"))],
    ["foreign", "0+message", "0 text0 a", "0-", "finish stop"],
  ],
  "a delta without its block": [whole([says("a")], text("b")), [
    "0+message",
    "0 text0 b",
    "0-",
    "finish stop",
  ]],
};

Deno.test("parseEvents reads every kind of block", (t) => table(t, blocks));

const ways: Cases = {
  "at the cap, in a text": [[start, ...text("a"), why("max_tokens"), stop], [
    "0+message",
    "0 text0 a",
    "finish length",
  ]],
  "at the cap, in a call": [[start, ...text("a"), ...use("1 get", '{"a'), why("max_tokens"), stop], [
    "0+message",
    "0 text0 a",
    "0-",
    "1+call get",
    '1 args {"a',
    "finish length",
  ]],
  "at the cap, behind a thought": [[start, ...thinks("a", "s"), why("max_tokens"), stop], [
    "0+reasoning",
    "0 thought0 a",
    "0-",
    "finish length",
  ]],
  "at the cap, in a thought": [
    [start, block({ type: "thinking", thinking: "a" }), why("max_tokens"), stop],
    ["0+reasoning", "0 thought0 a", "finish length"],
  ],
  "at a stop text": [[start, ...text("a"), why("stop_sequence", { stop_sequence: "END" }), stop], [
    "0+message",
    "0 text0 a",
    "0-",
    "finish stop",
  ]],
  "in a pause": [[start, ...text("a"), why("pause_turn"), stop], [
    "0+message",
    "0 text0 a",
    "0-",
    "finish stop",
  ]],
  "refused with words, before any": [
    [
      start,
      why("refusal", { stop_details: { type: "refusal", category: "bio", explanation: "No." } }),
      stop,
    ],
    ["0+message", "0 refusal0 No.", "finish content_filter"],
  ],
  "refused with words, in a call": [
    [start, ...use("1 get", '{"a'), why("refusal", { stop_details: { explanation: "No." } }), stop],
    ["0+call get", '0 args {"a', "1+message", "1 refusal0 No.", "finish content_filter"],
  ],
  "refused without a word": [[start, ...text("a"), why("refusal"), stop], [
    "0+message",
    "0 text0 a",
    "finish content_filter",
  ]],
  "with a reason that we do not know": [[start, ...text("a"), why("bored"), stop], [
    "0+message",
    "0 text0 a",
    "0-",
    "finish stop",
  ]],
  "without its last event": [[start, ...text("a"), why("end_turn")], [
    "0+message",
    "0 text0 a",
    "0-",
    "finish stop",
  ]],
  "without a reason": [[start, ...text("a"), stop], ["0+message", "0 text0 a", "0-", "finish stop"]],
  "with the end of another wire": [[start, ...text("a"), "[DONE]"], [
    "0+message",
    "0 text0 a",
    "0-",
    "finish stop",
  ]],
  "and nothing counts that comes after": [[...whole(text("a")), ...text("b"), "garbage", stop], [
    "0+message",
    "0 text0 a",
    "0-",
    "finish stop",
  ]],
};

Deno.test("parseEvents ends as the provider meant it", (t) => table(t, ways));

const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };

Deno.test("parseEvents fails where the answer broke off", async (t) => {
  await table(t, {
    "nothing at all": [[], ["failure upstream_failed"]],
    "only a greeting": [[start], ["failure upstream_failed"]],
    "only a greeting and an end": [[start, stop], ["failure upstream_failed"]],
    "cut in a text": [[start, block({ type: "text", text: "" }), says("a")], [
      "0+message",
      "0 text0 a",
      "failure upstream_failed",
    ]],
    "no JSON": [[start, ...text("a"), "{", stop], ["0+message", "0 text0 a", "failure upstream_failed"]],
    "no object": [[start, "1", stop], ["failure upstream_failed"]],
    "no type": [[start, {}, stop], ["failure upstream_failed"]],
    "text that is no text": [[start, block({ type: "text" }), grows({ type: "text_delta", text: 5 })], [
      "failure upstream_failed",
    ]],
    "overloaded before the greeting": [[overloaded], ["failure overloaded"]],
    "overloaded in the middle": [[start, ...text("a"), overloaded, ...text("b")], [
      "0+message",
      "0 text0 a",
      "failure overloaded",
    ]],
    "an error of a kind that we do not know": [[{ type: "error" }], ["failure upstream_failed"]],
  });
});

Deno.test("parseEvents takes an event's name for what it is when its data does not say", () => {
  const frames = [{ event: "error", data: '{"error":{"type":"rate_limit_error","message":"slow down"}}' }];
  const [failure] = foldEvents(parseEvents(modelRequest()), frames);
  assert.ok(failure?.type === "failure");
  assert.deepEqual([failure.failure.kind, failure.failure.code], ["rate_limited", "rate_limit_error"]);
});

Deno.test("parseEvents greets once, also for servers that do not", () => {
  const [first, second] = parse(whole(text("a")));
  assert(first?.type === "begin");
  const { usage, ...who } = first;
  assert.deepEqual(who, { type: "begin", upstreamId: "msg_1", model: "claude" });
  assert.deepEqual([usage?.inputTokens, usage?.outputTokens, usage?.estimated], [5, 1, true]);
  assert.equal(second?.type, "item");
  assert.deepEqual(parse([...text("a"), stop])[0], { type: "begin" });
});

Deno.test("parseEvents tells sealed thoughts once more as wholes", () => {
  const redacted = [block({ type: "redacted_thinking", data: "cipher" }), ends];
  const events = parse(whole(thinks("a", "seal"), redacted, text("b")));
  const wholes = events.flatMap((event) => event.type === "item_done" && event.item ? [event.item] : []);
  const format = "anthropic-claude-v1";
  assert.deepEqual(wholes, [
    { type: "reasoning", content: ["a"], summary: [], signature: "seal", format },
    { type: "reasoning", content: [], summary: [], encrypted: "cipher", format },
  ]);
});

Deno.test("parseEvents reads custom tools' text out of their arguments, and finds tools of a namespace", () => {
  const tools: ModelRequest["tools"] = [
    { type: "custom", name: "patch" },
    { type: "namespace", name: "crm", tools: [{ type: "function", name: "find", parameters: null }] },
  ];
  const events = parse(whole(use("1 patch", '{"inp', 'ut":"a\\n', 'b"}'), use("2 crm__find", "{}")), {
    tools,
  });
  assert.deepEqual(short(events), [
    "0+call patch",
    "0 args a\n",
    "0 args b",
    "0-",
    "1+call find",
    "1 args {}",
    "1-",
    "finish stop",
  ]);
  const items = events.flatMap((event) => event.type === "item" ? [event.item] : []);
  assert.deepEqual(items.map((item) => item.type === "call" && [item.kind, item.callId, item.namespace]), [
    ["custom", "1", undefined],
    ["function", "2", "crm"],
  ]);
});

Deno.test("parseEvents keeps at most the calls that were asked for", () => {
  const frames = whole(text("a"), use("1 get", "{}"), use("2 get", "{}"));
  const calls = (request: Partial<ModelRequest>) =>
    parse(frames, request).filter((event) => event.type === "item" && event.item.type === "call").length;
  assert.deepEqual(
    [calls({}), calls({ parallelToolCalls: false }), calls({ toolChoice: { type: "none" } })],
    [2, 1, 0],
  );
});

Deno.test("parseEvents tells why it stopped in the provider's words too, for clients of this wire", () => {
  const finish = parse([start, ...text("a"), why("stop_sequence", { stop_sequence: "END" }), stop]).at(-1);
  assert.ok(finish?.type === "finish");
  assert.deepEqual(finish.extra, { messages: { stop_reason: "stop_sequence", stop_sequence: "END" } });
});

const called = block({ type: "server_tool_use", id: "s1", name: "web_search", input: {} });
const found = block({
  type: "web_search_tool_result",
  tool_use_id: "s1",
  content: [{ type: "web_search_result", url: "https://x.example", title: "X", encrypted_content: "e" }],
});

Deno.test("parseEvents tells what the provider's own tools did, and keeps their blocks", () => {
  const events = parse(whole([called, json('{"query":'), json('"q"}'), ends, found, ends], text("a")));
  const done = events.find((event) => event.type === "item_done");
  assert.ok(done?.item?.type === "foreign");
  const { extra, ...item } = done.item;
  assert.deepEqual(item, {
    type: "foreign",
    wire: "responses",
    kind: "web_search_call",
    value: {
      type: "web_search_call",
      status: "completed",
      action: { type: "search", query: "q", sources: [{ type: "url", url: "https://x.example" }] },
    },
    textFallback: '[Searched the web for "q"]\nhttps://x.example',
  });
  assert.match(JSON.stringify(extra), /"query":"q".*"encrypted_content":"e"/);
});

Deno.test("parseEvents leaves a search open that the provider has not finished", () => {
  const events = parse([start, called, json('{"query":"q"}'), ends, why("pause_turn"), stop]);
  const done = events.find((event) => event.type === "item_done");
  assert.ok(done?.item?.type === "foreign");
  assert.equal(done.item.value.status, "in_progress");
});

const own: readonly (readonly [string, JsonObject, JsonObject, JsonObject])[] = [
  ["web_fetch", { url: "https://x.example/a" }, { type: "web_fetch_result" }, {
    type: "web_search_call",
    status: "completed",
    action: { type: "open_page", url: "https://x.example/a" },
  }],
  ["code_execution", { code: "1+1" }, { type: "code_execution_result", stdout: "2", stderr: "" }, {
    type: "code_interpreter_call",
    status: "completed",
    code: "1+1",
    outputs: [{ type: "logs", logs: "2" }],
  }],
  ["bash_code_execution", { command: "ls" }, { type: "bash_code_execution_tool_result_error" }, {
    type: "code_interpreter_call",
    status: "failed",
    code: "ls",
    outputs: [],
  }],
];

Deno.test("parseEvents knows the provider's other tools by what they do", () => {
  for (const [name, input, content, expected] of own) {
    const frames = [
      block({ type: "server_tool_use", id: "s1", name, input }),
      ends,
      block({ type: `${name}_tool_result`, tool_use_id: "s1", content }),
      ends,
    ];
    const done = parse(whole(frames)).find((event) => event.type === "item_done");
    assert.ok(done?.item?.type === "foreign");
    assert.deepEqual(done.item.value, expected, name);
  }
});

Deno.test("parseEvents places citations in the whole text, whenever they come within their block", () => {
  const cites = (citation: JsonObject) => grows({ type: "citations_delta", citation });
  const page = {
    type: "page_location",
    document_title: "D",
    document_index: 2,
    start_page_number: 3,
    end_page_number: 4,
  };
  const web = { type: "web_search_result_location", url: "https://x.example", title: "X", cited_text: "c" };
  const found = { type: "search_result_location", source: "shelf 4", title: "S", cited_text: "c" };
  const events = parse(whole(
    text("ab"),
    [
      block({ type: "text", text: "", citations: [] }),
      cites(page),
      says("cd"),
      cites(web),
      cites({ type: 5 }),
      ends,
    ],
    [block({ type: "text", text: "" }), says("e"), cites(found), ends],
  ));
  const annotations = events.flatMap((event) => event.type === "annotation" ? [event.annotation] : []);
  assert.deepEqual(annotations, [
    {
      type: "file_citation",
      file_id: "document_2",
      filename: "D",
      index: 4,
      document_index: 2,
      start_page_number: 3,
      end_page_number: 4,
    },
    {
      type: "url_citation",
      url: "https://x.example",
      title: "X",
      start_index: 2,
      end_index: 4,
      content: "c",
    },
    { type: "file_citation", file_id: "document_0", filename: "S", index: 5, cited_text: "c" },
  ]);
});
