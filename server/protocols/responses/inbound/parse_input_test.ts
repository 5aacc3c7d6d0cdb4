import assert from "node:assert/strict";
import type { HostedItem } from "../../../../shared/responses/hosted_items.ts";
import { type InputItem, inputItem, type ServiceItem } from "../../../../shared/responses/items.ts";
import { parseInput } from "./parse_input.ts";
import { parseRequest } from "./parse_request.ts";

/** Copies a value as JSON would send it: fields that are undefined are not there. */
const clean = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The canonical model's items for one item of the wire. */
const hub = (item: unknown) => clean(parseInput([inputItem.parse(item)]).items);

type Row = Exclude<InputItem["type"], null | undefined | HostedItem["type"] | ServiceItem["type"]>;

const call = { call_id: "c1", name: "f" };
interface Case {
  readonly item: object;
  readonly becomes: unknown;
}

/** Items that the canonical model has words for; `describe_items_test.ts` has the others. */
const items: Readonly<Record<Row, Case>> = {
  message: {
    item: {
      type: "message",
      role: "assistant",
      id: "msg_1",
      status: "completed",
      content: "Hi",
      phase: "commentary",
    },
    becomes: [{
      type: "message",
      role: "assistant",
      id: "msg_1",
      status: "completed",
      phase: "commentary",
      parts: [{ type: "text", text: "Hi" }],
    }],
  },
  reasoning: {
    item: {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "s" }],
      content: [{ type: "reasoning_text", text: "t" }],
      encrypted_content: "e",
      signature: "g",
      format: "f",
      status: "completed",
    },
    becomes: [{
      type: "reasoning",
      id: "rs_1",
      summary: ["s"],
      content: ["t"],
      encrypted: "e",
      signature: "g",
      format: "f",
      status: "completed",
    }],
  },
  function_call: {
    item: {
      type: "function_call",
      ...call,
      id: "fc_1",
      namespace: "n",
      arguments: "{}",
      status: null,
      async: true,
    },
    becomes: [{
      type: "call",
      kind: "function",
      callId: "c1",
      name: "f",
      namespace: "n",
      arguments: "{}",
      id: "fc_1",
      extra: { responses: { async: true } },
    }],
  },
  function_call_output: {
    item: {
      type: "function_call_output",
      call_id: "c1",
      output: [{ type: "input_text", text: "ok" }],
      id: null,
    },
    becomes: [{ type: "result", kind: "function", callId: "c1", output: [{ type: "text", text: "ok" }] }],
  },
  custom_tool_call: {
    item: { type: "custom_tool_call", ...call, input: "SELECT 1" },
    becomes: [{ type: "call", kind: "custom", callId: "c1", name: "f", arguments: "SELECT 1" }],
  },
  custom_tool_call_output: {
    item: { type: "custom_tool_call_output", call_id: "c1", output: "1" },
    becomes: [{ type: "result", kind: "custom", callId: "c1", output: "1" }],
  },
  item_reference: { item: { type: "item_reference", id: "rs_1" }, becomes: [] },
  additional_tools: { item: { type: "additional_tools", role: "developer", tools: [] }, becomes: [] },
  configuration_update: { item: { type: "configuration_update", reasoning: { effort: "low" } }, becomes: [] },
  agent_message: {
    item: {
      type: "agent_message",
      author: "planner",
      recipient: "coder",
      content: [{ type: "input_text", text: "Go" }, { type: "encrypted_content", encrypted_content: "x" }],
    },
    becomes: [{
      type: "message",
      role: "user",
      parts: [{ type: "text", text: "[Message from agent planner to coder]" }, { type: "text", text: "Go" }],
    }],
  },
};

for (const [kind, { item, becomes }] of Object.entries(items)) {
  Deno.test(`item ${kind}`, () => assert.deepEqual(hub(item), becomes));
}

Deno.test("part of every kind", () => {
  const image = "data:image/png;base64,AA==";
  const parts: readonly (readonly [object, object])[] = [
    [{ type: "input_text", text: "a" }, { type: "text", text: "a" }],
    [
      { type: "input_text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } },
      { type: "text", text: "a", cache: { ttl: "1h" } },
    ],
    [{ type: "input_text", text: "a", prompt_cache_breakpoint: { mode: "explicit" } }, {
      type: "text",
      text: "a",
      cache: { breakpoint: { mode: "explicit" } },
      extra: { responses: { prompt_cache_breakpoint: { mode: "explicit" } } },
    }],
    [
      { type: "input_image", image_url: image, detail: "low", file_id: null, extra_key: 1 },
      { type: "image", url: image, detail: "low", extra: { responses: { extra_key: 1 } } },
    ],
    [{ type: "input_image", file_id: "file_1" }, { type: "image", fileId: "file_1" }],
    [
      { type: "input_file", file_data: "data:,a", filename: "a", file_url: null },
      { type: "file", data: "data:,a", filename: "a" },
    ],
    [{ type: "input_file", file_url: "https://e.org/a" }, { type: "file", url: "https://e.org/a" }],
    [{ type: "input_audio", input_audio: { data: "AA==", format: "mp3" } }, {
      type: "audio",
      data: "AA==",
      format: "mp3",
    }],
    [
      { type: "input_video", video_url: "https://e.org/v", processing: "agentic" },
      { type: "video", url: "https://e.org/v", extra: { responses: { processing: "agentic" } } },
    ],
    [{ type: "output_text", text: "a", annotations: [], logprobs: [{ token: "a" }] }, {
      type: "text",
      text: "a",
    }],
    [
      { type: "output_text", text: "a", annotations: [{ type: "url_citation", url: "u" }] },
      { type: "text", text: "a", annotations: [{ type: "url_citation", url: "u" }] },
    ],
    [{ type: "refusal", refusal: "no" }, { type: "refusal", text: "no" }],
  ];
  for (const [sent, becomes] of parts) {
    assert.deepEqual(hub({ role: "user", content: [sent] }), [{
      type: "message",
      role: "user",
      parts: [becomes],
    }]);
  }
});

Deno.test("input as a string is one user message", () => {
  assert.deepEqual(clean(parseInput("Hi").items), [
    { type: "message", role: "user", parts: [{ type: "text", text: "Hi" }] },
  ]);
});

Deno.test("items without a type, or with nulls for all they leave out, are taken", () => {
  assert.deepEqual(hub({ role: "system", content: "x", type: null }), hub({ role: "system", content: "x" }));
  assert.deepEqual(hub({ role: "assistant", content: null, id: null, status: null, phase: null }), [
    { type: "message", role: "assistant", parts: [] },
  ]);
  assert.deepEqual(
    hub({ type: "reasoning", summary: null, content: null, encrypted_content: null, status: null }),
    [
      { type: "reasoning", summary: [], content: [] },
    ],
  );
});

Deno.test("references are dropped with a note", () => {
  const input = [{ role: "user", content: "x" }, { type: "item_reference", id: "rs_1" }, { id: "rs_2" }];
  assert.deepEqual(parseRequest({ input }).request.dropped, ["item_reference rs_1", "item_reference rs_2"]);
  assert.throws(
    () => parseRequest({ input: input.slice(1) }),
    /^ApiError: input has no items that could be sent/,
  );
});

Deno.test("additional tools join the tools and replace those of their name", () => {
  const { request } = parseRequest({
    tools: [{ type: "function", name: "a", description: "old" }, { type: "web_search" }],
    input: [
      { role: "user", content: "x" },
      {
        type: "additional_tools",
        role: "developer",
        tools: [{ type: "function", name: "a", description: "new" }],
      },
      { type: "additional_tools", role: "developer", tools: [{ type: "function", name: "b" }] },
    ],
  });
  const described = request.tools.map((tool) =>
    tool.type === "function" ? [tool.name, tool.description] : tool.type
  );
  assert.deepEqual(described, ["hosted", ["a", "new"], ["b", undefined]]);
});

Deno.test("the last configuration update sets effort and format", () => {
  const update = (effort: string) => ({ type: "configuration_update", reasoning: { effort } });
  const { request, echo } = parseRequest({
    reasoning: { effort: "low", summary: "auto" },
    input: [update("medium"), { role: "user", content: "x" }, {
      ...update("high"),
      text: { format: { type: "json_object" } },
    }],
  });
  assert.deepEqual(request.format, { type: "json_object" });
  assert.deepEqual(clean(request.reasoning), { effort: "high", summary: "auto" });
  assert.deepEqual(echo.reasoning, { effort: "low", summary: "auto" });
});

Deno.test("extra keys of items survive, prototype keys do not", () => {
  const item = JSON.parse(
    '{"role":"user","content":"x","__proto__":{"a":1},"constructor":1,"agent":{"n":"a"}}',
  );
  assert.deepEqual(hub(item), [
    {
      type: "message",
      role: "user",
      parts: [{ type: "text", text: "x" }],
      extra: { responses: { agent: { n: "a" } } },
    },
  ]);
});
