import assert from "node:assert/strict";
import type {
  ContentPart,
  Item,
  MessageItem,
  PassthroughItem,
  ReasoningItem,
  ToolCallItem,
  ToolResultItem,
} from "../../canonical/item.ts";
import { flattenTools } from "../../common/outbound/tool_names.ts";
import type { RenderedBlock } from "./render_parts.ts";
import { type MessagesInput, renderMessages, withUserLast } from "./render_messages.ts";

const text = (text: string): ContentPart => ({ type: "text", text });
const message = (role: MessageItem["role"], ...parts: readonly (ContentPart | string)[]): MessageItem => ({
  type: "message",
  role,
  parts: parts.map((part) => typeof part === "string" ? text(part) : part),
});
const user = (...parts: readonly (ContentPart | string)[]) => message("user", ...parts);
const received = (words: string) => message("assistant", words);
const call = (callId: string, fields: Partial<ToolCallItem> = {}): ToolCallItem => ({
  type: "call",
  kind: "function",
  callId,
  name: "look",
  arguments: "{}",
  ...fields,
});
const result = (callId: string, output: ToolResultItem["output"] = `result ${callId}`): ToolResultItem => ({
  type: "result",
  kind: "function",
  callId,
  output,
});
const thought = (words: string, fields: Partial<ReasoningItem> = {}): ReasoningItem => ({
  type: "reasoning",
  summary: [],
  content: [words],
  signature: `sealed ${words}`,
  format: "anthropic-claude-v1",
  ...fields,
});
const foreign = (kind: string, fields: Partial<PassthroughItem> = {}): PassthroughItem => ({
  type: "foreign",
  wire: "responses",
  kind,
  value: { type: kind },
  ...fields,
});

function render(input: readonly Item[], fields: Partial<MessagesInput> = {}) {
  const notes: string[] = [];
  const note = (words: string) => void notes.push(words);
  const rendered = renderMessages({ input, names: flattenTools([]), note, ...fields });
  return { ...rendered, messages: withUserLast(rendered.messages, { prefill: false }), notes };
}

function word(block: RenderedBlock): string {
  if (block.type === "text") return String(block.text);
  if (block.type === "tool_use") return `call ${block.id}`;
  if (block.type === "tool_result") return `result ${block.tool_use_id}`;
  if (block.type === "thinking") return `thinks ${block.thinking}`;
  return block.type;
}

/** Messages in short: `assistant: b, call 1`. */
const short = (input: readonly Item[]): readonly string[] =>
  render(input).messages.map(({ role, content }) => `${role}: ${content.map(word).join(", ")}`);

const orders: Readonly<Record<string, readonly [readonly Item[], readonly string[]]>> = {
  "turns": [[user("a"), received("b"), user("c")], ["user: a", "assistant: b", "user: c"]],
  "messages of one role": [[user("a"), user("b"), received("c"), received("d"), user("e")], [
    "user: a, b",
    "assistant: c, d",
    "user: e",
  ]],
  "a call and its result": [[user("a"), call("1"), result("1"), user("b")], [
    "user: a",
    "assistant: call 1",
    "user: result 1, b",
  ]],
  "text after a call": [[user("a"), call("1"), received("b"), result("1")], [
    "user: a",
    "assistant: b, call 1",
    "user: result 1",
  ]],
  "parallel results in the order of the calls": [
    [user("a"), call("1"), call("2"), result("2"), result("1")],
    [
      "user: a",
      "assistant: call 1, call 2",
      "user: result 1, result 2",
    ],
  ],
  "calls one after the other": [[user("a"), call("1"), result("1"), call("2"), result("2")], [
    "user: a",
    "assistant: call 1",
    "user: result 1",
    "assistant: call 2",
    "user: result 2",
  ]],
  "a message between a call and its result": [[user("a"), call("1"), user("b"), result("1")], [
    "user: a",
    "assistant: call 1",
    "user: result 1, b",
  ]],
  "a call that nobody answered": [[user("a"), call("1"), user("b")], [
    "user: a",
    "assistant: call 1",
    "user: result 1, b",
  ]],
  "calls that end the conversation": [[user("a"), call("1")], [
    "user: a",
    "assistant: call 1",
    "user: result 1",
  ]],
  "thoughts around calls keep their place": [
    [user("a"), thought("x"), call("1"), thought("y"), call("2"), result("1"), result("2")],
    ["user: a", "assistant: thinks x, call 1, thinks y, call 2", "user: result 1, result 2"],
  ],
  "thoughts alone are no message": [[user("a"), thought("x"), user("b")], ["user: a, b"]],
  "an assistant that begins and ends": [[received("a")], [
    "user: [The assistant begins.]",
    "assistant: a",
    "user: Continue.",
  ]],
  "nothing": [[], ["user: Continue."]],
  "blank texts": [[user(" ", "a"), received("\n"), user("b")], ["user: a, b"]],
  "a result without its call": [[user("a"), result("9")], ["user: a, result 9"]],
  "instructions in the middle": [[user("a"), received("b"), message("developer", "c"), user("d")], [
    "user: a",
    "assistant: b",
    "user: <system-reminder>\nc\n</system-reminder>, d",
  ]],
  "what hosted tools did": [
    [
      user("a"),
      foreign("shell_call", { textFallback: "ran" }),
      foreign("shell_call_output", { textFallback: "done" }),
    ],
    ["user: a", "assistant: ran", "user: done"],
  ],
};

Deno.test("renderMessages puts items in the order that the provider takes", async (t) => {
  for (const [name, [input, expected]] of Object.entries(orders)) {
    await t.step(name, () => assert.deepEqual(short(input), expected));
  }
});

Deno.test("renderMessages gathers instructions at the beginning, with their breakpoints", () => {
  const rules: ContentPart = { type: "text", text: "Rules", cache: { ttl: "1h" } };
  const { system } = render([message("system", "Be kind."), message("developer", rules), user("a")], {
    instructions: "Be brief.",
  });
  assert.deepEqual(system, [
    { type: "text", text: "Be brief." },
    { type: "text", text: "Be kind." },
    { type: "text", text: "Rules", cache_control: { type: "ephemeral", ttl: "1h" } },
  ]);
});

Deno.test("renderMessages replays only this provider's own thoughts", () => {
  const { messages, notes } = render([
    user("a"),
    thought("x"),
    thought("", { content: [], signature: undefined, encrypted: "cipher" }),
    thought("y", { signature: undefined }),
    thought("z", { format: "openai-responses-v1", encrypted: "other" }),
    thought("w", { format: undefined }),
    received("b"),
    user("c"),
  ]);
  assert.deepEqual(messages[1]?.content, [
    { type: "thinking", thinking: "x", signature: "sealed x" },
    { type: "redacted_thinking", data: "cipher" },
    { type: "text", text: "b" },
  ]);
  assert.deepEqual(notes, Array(3).fill("reasoning of another model"));
});

Deno.test("renderMessages brings back blocks of the provider's own tools as they were", () => {
  const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } };
  const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
  const searched = foreign("web_search_call", {
    textFallback: "searched",
    extra: { messages: { blocks: [use, found] } },
  });
  const { messages } = render([user("a"), searched]);
  assert.deepEqual(messages[1]?.content, [use, found]);
  assert.equal(messages.length, 2, "a turn that the provider paused goes on as it is");
  const own = render([
    user("a"),
    foreign("server_tool_use", { wire: "messages", value: use }),
    received("b"),
  ]);
  assert.deepEqual(own.messages[1]?.content[0], use);
});

Deno.test("renderMessages says of a failed tool that it failed, where its client did", () => {
  const failed: Item = { ...result("1"), type: "result", extra: { messages: { is_error: true } } };
  assert.equal(render([user("a"), call("1"), failed]).messages[2]?.content[0]?.is_error, true);
  const upload = { type: "container_upload", file_id: "file_1" };
  const { messages } = render([foreign("container_upload", { wire: "messages", value: upload })]);
  assert.deepEqual(messages, [{ role: "user", content: [upload] }]);
});

const inputs: readonly (readonly [Partial<ToolCallItem>, unknown])[] = [
  [{ arguments: '{"a":1}' }, { a: 1 }],
  [{ arguments: "" }, {}],
  [{ arguments: '{"a":' }, { arguments: '{"a":' }],
  [{ arguments: "[1]" }, { arguments: [1] }],
  [{ kind: "custom", arguments: "plain" }, { input: "plain" }],
];

Deno.test("renderMessages gives every call an object", () => {
  for (const [fields, input] of inputs) {
    const block = render([user("a"), call("1", fields)]).messages[1]?.content[0];
    assert.deepEqual(block?.input, input, JSON.stringify(fields));
  }
});

Deno.test("renderMessages makes call ids legal, alike for a call and its result", () => {
  const id = "functions.look:0";
  const { messages } = render([
    user("a"),
    call(id),
    result(id),
    call("x".repeat(200)),
    result("x".repeat(200)),
  ]);
  const [, made, answered, long] = messages.map(({ content }) => content[0]);
  assert.match(String(made?.id), /^functions_look_0_\w{7}$/);
  assert.equal(answered?.tool_use_id, made?.id);
  assert.ok(String(long?.id).length <= 64);
});

Deno.test("renderMessages puts pictures into results, and a result's breakpoint behind it", () => {
  const image: ContentPart = { type: "image", url: "data:image/png;base64,AAAA", cache: { ttl: "1h" } };
  const { messages } = render([user("a"), call("1"), result("1", [text("see"), image])]);
  assert.deepEqual(messages[2]?.content, [{
    type: "tool_result",
    tool_use_id: "1",
    content: [
      { type: "text", text: "see" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    ],
    cache_control: { type: "ephemeral", ttl: "1h" },
  }]);
});

Deno.test("renderMessages names what it leaves out", () => {
  const image: ContentPart = { type: "image", url: "https://x.example/a.png" };
  const { notes, messages } = render([
    message("system", "s", image),
    user("a"),
    message("assistant", image),
    call("1"),
    result("1"),
    result("1", "again"),
  ]);
  assert.deepEqual(notes, [
    "image in a system message",
    "image in an assistant message",
    "second result of a call",
  ]);
  assert.equal(messages.at(-1)?.content.length, 1);
});
