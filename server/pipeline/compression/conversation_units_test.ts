import assert from "node:assert/strict";
import { runNow } from "../../../shared/util/run_work.ts";
import type { Item } from "../../protocols/canonical/item.ts";
import { conversationUnits, countListed, countMessages } from "./conversation_units.ts";

const message = (role: "user" | "assistant" | "system"): Item => ({
  type: "message",
  role,
  parts: [{ type: "text", text: role }],
});
const call = (callId: string): Item => ({
  type: "call",
  kind: "function",
  callId,
  name: "f",
  arguments: "{}",
});
const result = (callId: string): Item => ({ type: "result", kind: "function", callId, output: "done" });
const foreign = (kind: string, value: Readonly<Record<string, unknown>>): Item => ({
  type: "foreign",
  wire: "responses",
  kind,
  value: { type: kind, ...value },
});
const thought: Item = { type: "reasoning", summary: ["hm"], content: [] };

const cases: Readonly<Record<string, readonly [items: readonly Item[], sizes: readonly number[]]>> = {
  "messages by themselves": [[message("system"), message("user"), message("assistant"), message("user")], [
    1,
    1,
    1,
    1,
  ]],
  "a turn with its thoughts, words and calls": [
    [
      message("user"),
      thought,
      message("assistant"),
      call("a"),
      call("b"),
      result("b"),
      result("a"),
      thought,
      call("c"),
      result("c"),
    ],
    [1, 6, 3],
  ],
  "calls one by one": [[call("a"), result("a"), call("b"), result("b")], [2, 2]],
  "a message between a call and its result": [[call("a"), message("user"), result("a"), message("user")], [
    3,
    1,
  ]],
  "calls that cross each other": [[call("a"), result("b0"), call("b"), result("a"), result("b")], [5]],
  "a result without its call": [[result("x"), message("user")], [1, 1]],
  "the calls of one wire": [
    [
      foreign("shell_call", { call_id: "s" }),
      foreign("shell_call_output", { call_id: "s" }),
      message("user"),
    ],
    [2, 1],
  ],
  "a permission": [
    [
      foreign("mcp_approval_request", { id: "m" }),
      message("assistant"),
      foreign("mcp_approval_response", { approval_request_id: "m" }),
    ],
    [3],
  ],
  "a tool of the Messages API and its result": [
    [
      foreign("server_tool_use", { id: "srv" }),
      foreign("web_search_tool_result", { tool_use_id: "srv" }),
      message("user"),
    ],
    [2, 1],
  ],
};

for (const [name, [items, sizes]] of Object.entries(cases)) {
  Deno.test(`conversationUnits keeps together ${name}`, () => {
    const units = runNow(conversationUnits(items));
    assert.deepEqual(units.flatMap((unit) => unit.items), items);
    assert.deepEqual(units.map((unit) => unit.items.length), sizes);
  });
}

Deno.test("conversationUnits knows instructions, compactions among them, and the user", () => {
  const compaction = foreign("compaction", { encrypted_content: "x" });
  const units = runNow(
    conversationUnits([message("system"), compaction, message("user"), message("assistant")]),
  );
  assert.deepEqual(units.map(({ isInstruction }) => isInstruction), [true, true, false, false]);
  assert.deepEqual(units.map(({ isUser }) => isUser), [false, false, true, false]);
});

Deno.test("messages are counted as wires join them, and as clients list them", () => {
  const items = [
    message("user"),
    thought,
    message("assistant"),
    call("a"),
    call("b"),
    result("a"),
    result("b"),
    message("user"),
  ];
  assert.equal(countMessages(items), 3);
  assert.equal(countListed(items), 5);
  assert.equal(countListed([message("assistant"), message("assistant"), call("c")]), 2);
  assert.equal(countMessages([]), 0);
});
