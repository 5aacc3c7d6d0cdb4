import assert from "node:assert/strict";
import type {
  ContentPart,
  Item,
  MessageItem,
  ReasoningItem,
  ToolCallItem,
  ToolResultItem,
} from "../../canonical/item.ts";
import { type MessagesInput, renderMessages } from "./render_messages.ts";
import { flattenTools } from "../../common/outbound/tool_names.ts";

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
  ...fields,
});

function render(input: readonly Item[], fields: Partial<MessagesInput> = {}) {
  return renderMessages({
    input,
    names: flattenTools([]),
    endpoint: { developerRole: "developer" },
    ...fields,
  });
}

/** Messages in short: `assistant(text) a b` with the ids of its calls. */
function short(input: readonly Item[]): readonly string[] {
  return render(input).messages.map((message) => {
    const content = typeof message.content === "string"
      ? message.content
      : message.content === null
      ? ""
      : "[parts]";
    if (message.role === "tool") return `tool ${message.tool_call_id}`;
    if (message.role !== "assistant") return `${message.role}(${content})`;
    return [`assistant(${content})`, ...(message.tool_calls ?? []).map(({ id }) => id)].join(" ");
  });
}

const orders: Readonly<Record<string, readonly [readonly Item[], readonly string[]]>> = {
  "turns": [[user("a"), received("b"), user("c")], ["user(a)", "assistant(b)", "user(c)"]],
  "a call and its result": [[user("a"), call("1"), result("1"), received("b")], [
    "user(a)",
    "assistant() 1",
    "tool 1",
    "assistant(b)",
  ]],
  "text before a call": [[received("b"), call("1"), result("1")], ["assistant(b) 1", "tool 1"]],
  "text after a call": [[call("1"), received("b"), result("1")], ["assistant(b) 1", "tool 1"]],
  "calls in a row": [[call("1"), call("2"), result("2"), result("1")], [
    "assistant() 1 2",
    "tool 2",
    "tool 1",
  ]],
  "calls in turns": [[call("1"), result("1"), call("2"), result("2")], [
    "assistant() 1",
    "tool 1",
    "assistant() 2",
    "tool 2",
  ]],
  "a result between parallel calls": [
    [call("1"), call("2"), result("1"), received("b"), result("2"), received("c")],
    [
      "assistant(b) 1 2",
      "tool 1",
      "tool 2",
      "assistant(c)",
    ],
  ],
  "a call between parallel results": [[
    call("1"),
    call("2"),
    result("1"),
    call("3"),
    result("2"),
    result("3"),
  ], [
    "assistant() 1 2 3",
    "tool 1",
    "tool 2",
    "tool 3",
  ]],
  "the user between call and result": [[call("1"), user("quick"), result("1"), received("b")], [
    "assistant() 1",
    "tool 1",
    "user(quick)",
    "assistant(b)",
  ]],
  "a call nobody answered": [[call("1"), user("forget it"), call("2"), result("2")], [
    "assistant() 1",
    "user(forget it)",
    "assistant() 2",
    "tool 2",
  ]],
  "a result without its call": [[user("a"), result("9"), received("b")], [
    "user(a)",
    "tool 9",
    "assistant(b)",
  ]],
  "reasoning alone": [[user("a"), thought("hm"), user("b")], ["user(a)", "user(b)"]],
  "empty assistant messages": [[user("a"), received(""), user("b")], ["user(a)", "user(b)"]],
  "assistant messages in a row": [[received("a"), received("b")], ["assistant(a\nb)"]],
  "instructions in a row": [[message("developer", "a", "b"), message("developer", "c"), user("d")], [
    "developer(a\nb\n\nc)",
    "user(d)",
  ]],
  "instructions of both kinds": [[message("system", "a"), message("developer", "b")], [
    "system(a)",
    "developer(b)",
  ]],
  "what a hosted tool did": [[
    { type: "foreign", wire: "responses", kind: "web_search_call", value: {}, textFallback: "[searched]" },
    { type: "foreign", wire: "responses", kind: "compaction", value: {} },
    received("b"),
    { type: "foreign", wire: "responses", kind: "shell_call_output", value: {}, textFallback: "[printed]" },
  ], ["assistant([searched]\nb)", "user([printed])"]],
};

Deno.test("renderMessages orders what the hub lists (client-requirements.md, case 11)", async (t) => {
  for (const [name, [input, expected]] of Object.entries(orders)) {
    await t.step(name, () => assert.deepEqual(short(input), expected));
  }
});

Deno.test("renderMessages puts instructions first, in the role that the endpoint knows", () => {
  const input = [message("developer", "b"), user("c")];
  assert.deepEqual(render(input, { instructions: "a" }).messages, [
    { role: "developer", content: "a\n\nb" },
    { role: "user", content: "c" },
  ]);
  assert.deepEqual(render(input, { instructions: "", endpoint: { developerRole: "system" } }).messages, [
    { role: "system", content: "b" },
    { role: "user", content: "c" },
  ]);
});

Deno.test("renderMessages spells calls for the provider", () => {
  const names = flattenTools([
    { type: "namespace", name: "crm", tools: [{ type: "function", name: "find", parameters: null }] },
    { type: "custom", name: "patch" },
  ]);
  const long = `call_${"x".repeat(60)}`;
  const [assistant, ...results] = render([
    call("1", { name: "find", namespace: "crm", arguments: "" }),
    call("2", { kind: "custom", name: "patch", arguments: 'a "b"\n' }),
    call(long, { name: "gone", namespace: "old" }),
    result("1"),
    result("2"),
    result(long),
  ], { names }).messages;
  const calls = assistant?.role === "assistant" ? assistant.tool_calls ?? [] : [];
  assert.deepEqual(calls.map((one) => one.function), [
    { name: "crm__find", arguments: "{}" },
    { name: "patch", arguments: '{"input":"a \\"b\\"\\n"}' },
    { name: "old__gone", arguments: "{}" },
  ]);
  const ids = results.map((one) => one.role === "tool" ? one.tool_call_id : "");
  assert.deepEqual(ids, calls.map(({ id }) => id), "results carry the id of their call");
  assert.ok((ids[2] ?? "").length <= 40, "ids of at most 40 characters");
});

Deno.test("renderMessages puts what results hold besides text behind all results", () => {
  const image: ContentPart = { type: "image", url: "data:image/png;base64,AA==" };
  const { messages } = render([
    call("1"),
    call("2"),
    result("1", [image]),
    result("2", [text("t"), image]),
    user("so?"),
  ]);
  assert.deepEqual(messages.slice(1), [
    { role: "tool", tool_call_id: "1", content: "See the attachment below." },
    { role: "tool", tool_call_id: "2", content: "t" },
    {
      role: "user",
      content: [
        { type: "text", text: "Attached to the tool results above:" },
        { type: "image_url", image_url: { url: image.url } },
        { type: "image_url", image_url: { url: image.url } },
      ],
    },
    { role: "user", content: "so?" },
  ]);
});

Deno.test("renderMessages gives reasoning back only where the endpoint wants it, and how", () => {
  const sealed = thought("hm", { summary: ["short"], signature: "sig", encrypted: "enc", format: "f" });
  const input = [user("a"), sealed, call("1"), result("1")];
  const replay = (reasoningReplay?: MessagesInput["endpoint"]["reasoningReplay"]) =>
    render(input, { endpoint: { developerRole: "system", reasoningReplay } }).messages[1];
  const bare = replay();
  assert.equal(bare !== undefined && Object.keys(bare).join(), "role,content,tool_calls");
  assert.partialDeepStrictEqual(replay("reasoning_content"), { reasoning_content: "hm" });
  assert.partialDeepStrictEqual(replay("reasoning"), { reasoning: "hm" });
  assert.partialDeepStrictEqual(replay("reasoning_details"), {
    reasoning_details: [
      { type: "reasoning.text", text: "hm", signature: "sig", format: "f" },
      { type: "reasoning.summary", summary: "short", format: "f" },
      { type: "reasoning.encrypted", data: "enc", format: "f" },
    ],
  });
});

const parts: Readonly<Record<string, readonly [ContentPart, unknown]>> = {
  "image by URL": [{ type: "image", url: "https://a.example/i.png", detail: "low" }, {
    type: "image_url",
    image_url: { url: "https://a.example/i.png", detail: "low" },
  }],
  "image in original detail": [{ type: "image", url: "data:image/png;base64,AA==", detail: "original" }, {
    type: "image_url",
    image_url: { url: "data:image/png;base64,AA==", detail: "high" },
  }],
  "image in a detail nobody knows": [{ type: "image", url: "u", detail: "constructor" }, {
    type: "image_url",
    image_url: { url: "u" },
  }],
  "image by id": [{ type: "image", fileId: "file-1" }, { type: "file", file: { file_id: "file-1" } }],
  "file by data URL": [{ type: "file", data: "data:application/pdf;base64,AA==", filename: "a.pdf" }, {
    type: "file",
    file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA==" },
  }],
  "file by bare base64": [{ type: "file", data: "QQ==", filename: "a.CSV" }, {
    type: "file",
    file: { filename: "a.CSV", file_data: "data:text/csv;base64,QQ==" },
  }],
  "a PDF without a name": [{ type: "file", data: "JVBERi0xLjc=" }, {
    type: "file",
    file: { filename: "file.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjc=" },
  }],
  "file by id": [{ type: "file", fileId: "file-1" }, { type: "file", file: { file_id: "file-1" } }],
  "file by URL": [{ type: "file", url: "https://a.example/a.pdf" }, {
    type: "text",
    text: "[file https://a.example/a.pdf]",
  }],
  "audio": [{ type: "audio", data: "AA==", format: "wav" }, {
    type: "input_audio",
    input_audio: { data: "AA==", format: "wav" },
  }],
  "video": [{ type: "video", url: "https://a.example/v.mp4" }, {
    type: "video_url",
    video_url: { url: "https://a.example/v.mp4" },
  }],
};

Deno.test("renderMessages spells every kind of part", async (t) => {
  for (const [name, [part, expected]] of Object.entries(parts)) {
    await t.step(name, () => {
      assert.deepEqual(render([user("see", part)]).messages, [{
        role: "user",
        content: [{ type: "text", text: "see" }, expected],
      }]);
    });
  }
});

Deno.test("renderMessages says what it could not send", () => {
  const image: ContentPart = { type: "image", url: "u" };
  const file: ContentPart = { type: "file", url: "https://a.example/a.pdf" };
  const { dropped } = render([message("system", "a", image), user(file), message("assistant", "b", image)]);
  assert.deepEqual(dropped, ["image in a system message", "file by URL", "image in an assistant message"]);
});
