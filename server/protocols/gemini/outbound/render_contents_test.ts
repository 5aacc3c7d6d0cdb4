import assert from "node:assert/strict";
import type { Item, MessageItem, ReasoningItem, ToolCallItem, ToolResultItem } from "../../canonical/item.ts";
import { flattenTools } from "../../common/outbound/tool_names.ts";
import type { GeminiContent } from "./render_parts.ts";
import { modelFamily } from "./model_family.ts";
import { renderContents, type RenderedContents } from "./render_contents.ts";
import { signatureFields, UNKNOWN_SIGNATURE } from "../../common/thought_signature.ts";

interface Input {
  readonly model?: string;
  readonly instructions?: string;
}

const render = (
  input: readonly Item[],
  { model = "gemini-3.8-flash", instructions }: Input = {},
): RenderedContents =>
  renderContents({ instructions, input, names: flattenTools([]), family: modelFamily(model) });

const says = (role: MessageItem["role"], text: string): MessageItem => ({
  type: "message",
  role,
  parts: [{ type: "text", text }],
});
const call = (callId: string, text = "{}"): ToolCallItem => ({
  type: "call",
  kind: "function",
  callId,
  name: "f",
  arguments: text,
});
const result = (callId: string, output: ToolResultItem["output"] = "ok"): ToolResultItem => ({
  type: "result",
  kind: "function",
  callId,
  output,
});
const seal = (signature: string, summary: readonly string[] = []): ReasoningItem => ({
  type: "reasoning",
  content: [],
  summary,
  ...signatureFields(signature),
});

/** Contents in short: `u` and `m`, texts, `*` for thoughts, calls, answers, `#signature`. */
const short = (contents: readonly GeminiContent[]) =>
  contents.map(({ role, parts }) => {
    const words = parts.map((part) => {
      const sign = part.thoughtSignature === undefined ? "" : `#${part.thoughtSignature}`;
      if (part.functionCall) return `call ${part.functionCall.id}${sign}`;
      if (part.functionResponse) {
        return `${part.functionResponse.id}=${Object.values(part.functionResponse.response)}`;
      }
      if (part.inlineData) return `${part.inlineData.mimeType}${sign}`;
      if (part.fileData) return `${part.fileData.mimeType} ${part.fileData.fileUri}`;
      return `${part.thought ? "*" : ""}${part.text}${sign}`;
    });
    return `${role.charAt(0)}: ${words.join(", ")}`;
  });

const cases: Readonly<Record<string, readonly [readonly Item[], readonly string[]]>> = {
  "roles in a row become one": [
    [says("user", "a"), says("user", "b"), says("assistant", "c"), says("assistant", "d"), says("user", "e")],
    ["u: a, b", "m: c, d", "u: e"],
  ],
  "a later instruction keeps its place": [
    [says("user", "a"), says("system", "s"), says("assistant", "b"), says("developer", "d")],
    ["u: a, <system>\ns\n</system>", "m: b", "u: <developer>\nd\n</developer>"],
  ],
  "a model that speaks first": [[says("assistant", "a"), says("user", "b")], [
    "u: [What was said before is left out.]",
    "m: a",
    "u: b",
  ]],
  "a signed call": [[says("user", "a"), seal("S", ["why"]), call("1"), result("1")], [
    "u: a",
    "m: *why, call 1#S",
    "u: 1=ok",
  ]],
  "calls side by side: the first is signed": [
    [says("user", "a"), seal("S"), call("1"), call("2"), result("2", "two"), result("1", "one")],
    ["u: a", "m: call 1#S, call 2", "u: 1=one, 2=two"],
  ],
  "step after step": [
    [says("user", "a"), seal("S"), call("1"), result("1"), seal("T"), call("2"), result("2")],
    ["u: a", "m: call 1#S", "u: 1=ok", "m: call 2#T", "u: 2=ok"],
  ],
  "a signature behind a text, and one before a call": [
    [says("user", "a"), says("assistant", "b"), seal("T"), seal("S"), call("1"), result("1")],
    ["u: a", "m: b, #T, call 1#S", "u: 1=ok"],
  ],
  "a signature at the end": [
    [says("user", "a"), says("assistant", "b"), seal("T"), says("user", "c")],
    ["u: a", "m: b, #T", "u: c"],
  ],
  "another model's call": [[says("user", "a"), call("1"), result("1")], [
    "u: a",
    `m: call 1#${UNKNOWN_SIGNATURE}`,
    "u: 1=ok",
  ]],
  "a user between call and result": [
    [says("user", "a"), seal("S"), call("1"), says("user", "b"), result("1"), says("user", "c")],
    ["u: a", "m: call 1#S", "u: 1=ok", "u: b, c"],
  ],
  "a call without a result": [[says("user", "a"), seal("S"), call("1"), says("user", "b")], [
    "u: a",
    "m: call 1#S",
    "u: 1=The tool gave no result.",
    "u: b",
  ]],
  "a result without a call": [[says("user", "a"), result("9")], ["u: a, Result of the tool call 9:, ok"]],
  "a second result": [[says("user", "a"), seal("S"), call("1"), result("1"), result("1", "again")], [
    "u: a",
    "m: call 1#S",
    "u: 1=ok",
    "u: Result of the tool call 1:, again",
  ]],
};

Deno.test("renderContents writes turns in the order that the provider takes", async (t) => {
  for (const [name, [input, expected]] of Object.entries(cases)) {
    await t.step(name, () => assert.deepEqual(short(render(input).contents), expected));
  }
});

Deno.test("renderContents says instructions in front, and lets a user say them where nobody else speaks", () => {
  const both = render([says("developer", "d"), says("user", "u")], { instructions: "i" });
  assert.deepEqual([both.system, short(both.contents)], [["i", "d"], ["u: u"]]);
  const alone = render([says("system", "s")], { instructions: "i" });
  assert.deepEqual([alone.system, short(alone.contents)], [[], ["u: i, s"]]);
});

Deno.test("renderContents knows its own reasoning by format and by encrypted text, and leaves out that of others", () => {
  const bare = { type: "reasoning", content: [], summary: [] } as const;
  const rendered = (item: Partial<ReasoningItem>) =>
    render([says("user", "a"), { ...bare, ...item }, call("1"), result("1")], {
      model: "gemini-2.5-flash",
    });
  assert.deepEqual(short(rendered({ encrypted: "google-gemini-v1:S" }).contents)[1], "m: call 1#S");
  assert.deepEqual(
    short(rendered({ format: "google-gemini-v1", signature: "S" }).contents)[1],
    "m: call 1#S",
  );
  assert.deepEqual(
    short(rendered({ format: "google-gemini-v1", encrypted: "S" }).contents)[1],
    "m: call 1#S",
  );
  const other = rendered({ format: "anthropic-claude-v1", signature: "S", content: ["t"] });
  assert.deepEqual(short(other.contents)[1], "m: call 1");
  assert.deepEqual(other.dropped, ["reasoning of another provider"]);
});

Deno.test("renderContents puts media where each generation takes them", () => {
  const image = { type: "image", url: "data:image/png;base64,QQ==" } as const;
  const elsewhere = { type: "image", url: "https://a.example/x.webp?y=1" } as const;
  const input = [says("user", "a"), seal("S"), call("1"), result("1", [image, elsewhere])];
  const [, , answer, rest] = render(input).contents;
  assert.deepEqual(answer?.parts[0]?.functionResponse?.parts, [{
    inlineData: { mimeType: "image/png", data: "QQ==" },
  }]);
  assert.deepEqual(short(rest ? [rest] : []), [
    "u: Attached to the tool results above:, image/webp https://a.example/x.webp?y=1",
  ]);
  assert.deepEqual(short(render(input, { model: "gemini-2.5-pro" }).contents).slice(2), [
    "u: 1=See the attachment below.",
    "u: Attached to the tool results above:, image/png, image/webp https://a.example/x.webp?y=1",
  ]);
});

Deno.test("renderContents renders every kind of part", () => {
  const item: MessageItem = {
    type: "message",
    role: "user",
    parts: [
      { type: "text", text: "" },
      { type: "refusal", text: "no" },
      { type: "image", fileId: "files/abc" },
      { type: "file", data: "JVBERi0=", filename: "a" },
      { type: "file", data: "data:text/plain,caf%C3%A9" },
      { type: "file", data: "data:,100%" },
      { type: "file", url: "https://a.example/a.pdf" },
      { type: "file", fileId: "https://f.example/files/x" },
      { type: "file" },
      { type: "audio", data: "QQ==", format: "mp3" },
      { type: "video", url: "https://www.youtube.com/watch?v=x" },
    ],
  };
  assert.deepEqual(short(render([item]).contents), [
    "u: no, undefined files/abc, application/pdf, text/plain, text/plain, " +
    "application/pdf https://a.example/a.pdf, undefined https://f.example/files/x, audio/mp3, " +
    "undefined https://www.youtube.com/watch?v=x",
  ]);
  assert.equal(render([item]).contents[0]?.parts[3]?.inlineData?.data, "Y2Fmw6k=");
});

Deno.test("renderContents takes arguments that are no object, and tells what it has no word for", () => {
  const args = (text: string) =>
    render([says("user", "a"), call("1", text), result("1")]).contents[1]?.parts[0]?.functionCall?.args;
  assert.deepEqual([args(""), args("[1]"), args("{oops"), args('{"a":1}')], [
    {},
    { arguments: [1] },
    { arguments: "{oops" },
    { a: 1 },
  ]);
  const foreign = (kind: string, textFallback?: string) =>
    ({ type: "foreign", wire: "responses", kind, value: {}, textFallback }) as const;
  assert.deepEqual(
    short(
      render([
        says("user", "a"),
        foreign("web_search_call", "Searched."),
        foreign("mcp_list_tools"),
        foreign("shell_call_output", "ls"),
      ]).contents,
    ),
    ["u: a", "m: Searched.", "u: ls"],
  );
});
