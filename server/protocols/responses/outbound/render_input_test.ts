import assert from "node:assert/strict";
import type { ContentPart, Item, JsonObject } from "../../canonical/item.ts";
import type { EndpointTraits } from "../../wire.ts";
import { endpointTraits } from "../../../../tests/support/requests.ts";
import { renderInput } from "./render_input.ts";

interface Rendered {
  readonly input: readonly JsonObject[];
  readonly notes: readonly string[];
}

function render(items: readonly Item[], traits: Partial<EndpointTraits> = {}): Rendered {
  const notes: string[] = [];
  const input = renderInput(items, {
    traits: endpointTraits(traits),
    note: (words) => void notes.push(words),
  });
  return { input, notes };
}

const one = (item: Item, traits: Partial<EndpointTraits> = {}) => render([item], traits).input[0];
const user = (...parts: readonly ContentPart[]): Item => ({ type: "message", role: "user", parts });
const text = (words: string): ContentPart => ({ type: "text", text: words });

Deno.test("renderInput gives developers the role that the endpoint knows", () => {
  const item: Item = { type: "message", role: "developer", id: "msg_1", parts: [text("a")] };
  const content = [{ type: "input_text", text: "a" }];
  assert.deepEqual(one(item), { type: "message", role: "developer", content });
  assert.deepEqual(one(item, { developerRole: "system" }), { type: "message", role: "system", content });
});

Deno.test("renderInput renders every kind of part", () => {
  const { input, notes } = render([user(
    text("a"),
    { type: "image", url: "https://a/b.png", detail: "low" },
    { type: "image", fileId: "file_1" },
    { type: "file", data: "QUJD", filename: "a.txt" },
    { type: "file", data: "data:application/pdf;base64,QUJD" },
    { type: "file", url: "https://a/b.pdf", extra: { responses: { detail: "high", odd: 1 } } },
    { type: "audio", data: "QUJD", format: "mp3" },
    { type: "video", url: "https://a/b.mp4" },
    { type: "refusal", text: "no" },
  )]);
  assert.deepEqual(input[0]?.content, [
    { type: "input_text", text: "a" },
    { type: "input_image", detail: "low", image_url: "https://a/b.png" },
    { type: "input_image", detail: "auto", file_id: "file_1" },
    { type: "input_file", filename: "a.txt", file_data: "data:text/plain;base64,QUJD" },
    { type: "input_file", filename: "file.pdf", file_data: "data:application/pdf;base64,QUJD" },
    { type: "input_file", file_url: "https://a/b.pdf", detail: "high" },
    { type: "input_audio", input_audio: { data: "QUJD", format: "mp3" } },
    { type: "input_text", text: "no" },
  ]);
  assert.deepEqual(notes, ["input_video"]);
});

Deno.test("renderInput sends cache breakpoints in the provider's own words only", () => {
  const own = { mode: "explicit" };
  const parts: readonly ContentPart[] = [
    { ...text("a"), type: "text", text: "a", extra: { responses: { prompt_cache_breakpoint: own } } },
    { type: "text", text: "b", cache: { ttl: "5m" } },
    { type: "text", text: "c", cache: { ttl: "30m" } },
  ];
  assert.deepEqual(one(user(...parts))?.content, [
    { type: "input_text", text: "a", prompt_cache_breakpoint: own },
    { type: "input_text", text: "b" },
    { type: "input_text", text: "c", prompt_cache_breakpoint: { mode: "explicit", ttl: "30m" } },
  ]);
});

Deno.test("renderInput leaves out a message of which nothing can be said", () => {
  const { input, notes } = render([user({ type: "video", url: "https://a/b.mp4" })]);
  assert.deepEqual({ input, notes }, { input: [], notes: ["input_video"] });
});

Deno.test("renderInput sends an assistant's turn back as the provider wrote it", () => {
  const annotations = [{ type: "url_citation", url: "https://a" }];
  const item: Item = {
    type: "message",
    role: "assistant",
    id: "msg_1",
    phase: "final_answer",
    parts: [{ type: "text", text: "a", annotations }, { type: "refusal", text: "no" }],
  };
  assert.deepEqual(one(item), {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "a", annotations }, { type: "refusal", refusal: "no" }],
    phase: "final_answer",
  });
});

Deno.test("renderInput knows an easier form for turns that the provider did not write", () => {
  const plain: Item = { type: "message", role: "assistant", id: "foreign-1", parts: [text("a")] };
  assert.deepEqual(one(plain), { type: "message", role: "assistant", content: "a" });
  const two: Item = { type: "message", role: "assistant", parts: [text("a"), text("b")] };
  assert.deepEqual(one(two)?.content, [
    { type: "output_text", text: "a", annotations: [] },
    { type: "output_text", text: "b", annotations: [] },
  ]);
});

Deno.test("renderInput sends reasoning back by its encrypted text and drops what cannot be used again", () => {
  const item: Item = { type: "reasoning", id: "rs_1", summary: ["s"], content: ["t"], encrypted: "x" };
  assert.deepEqual(one(item), {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "s" }],
    encrypted_content: "x",
  });
  assert.equal(one({ ...item, id: "think-1" })?.id, undefined);
  const { input, notes } = render([{ ...item, encrypted: undefined }]);
  assert.deepEqual({ input, notes }, { input: [], notes: ["reasoning without encrypted_content"] });
});

Deno.test("renderInput sends plain thoughts where the endpoint takes them", () => {
  const item: Item = { type: "reasoning", id: "rs_1", summary: [], content: ["t"] };
  assert.deepEqual(one(item, { passKeys: ["reasoning.content"] }), {
    type: "reasoning",
    summary: [],
    content: [{ type: "reasoning_text", text: "t" }],
  });
});

Deno.test("renderInput sends calls and results with published keys and ids of the provider's form", () => {
  const extra = { responses: { caller: { type: "direct" }, subagent_id: "s", call_id: "other" } };
  const call: Item = {
    type: "call",
    kind: "function",
    id: "fc_1",
    callId: "call_1",
    name: "f",
    namespace: "n",
    arguments: "{}",
    status: "completed",
    extra,
  };
  assert.deepEqual(one(call), {
    caller: { type: "direct" },
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "f",
    namespace: "n",
    arguments: "{}",
    status: "completed",
  });
  assert.deepEqual(one({ ...call, kind: "custom", id: "call-9", namespace: undefined, extra: undefined }), {
    type: "custom_tool_call",
    call_id: "call_1",
    name: "f",
    input: "{}",
  });
  const result: Item = {
    type: "result",
    kind: "function",
    callId: "call_1",
    output: [text("a")],
    id: "fco_1",
  };
  const output = [{ type: "input_text", text: "a" }];
  assert.deepEqual(one(result), { type: "function_call_output", call_id: "call_1", output });
  assert.deepEqual(one({ ...result, kind: "custom", output: "b" }), {
    type: "custom_tool_call_output",
    call_id: "call_1",
    output: "b",
  });
});

Deno.test("renderInput sends the provider's own items back and tells the others in words", () => {
  const value = {
    type: "web_search_call",
    id: "ws_1",
    status: "completed",
    action: { type: "search" },
    odd: 1,
  };
  const { input, notes } = render([
    { type: "foreign", wire: "responses", kind: "web_search_call", value, textFallback: "[Searched]" },
    {
      type: "foreign",
      wire: "responses",
      kind: "openrouter:datetime",
      value: {},
      textFallback: "[It was noon]",
    },
    { type: "foreign", wire: "chat", kind: "server_tool_use", value: {}, textFallback: "[Used a tool]" },
    { type: "foreign", wire: "responses", kind: "service:files", value: {} },
  ]);
  assert.deepEqual(input, [
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
    { type: "message", role: "assistant", content: "[It was noon]" },
    { type: "message", role: "assistant", content: "[Used a tool]" },
  ]);
  assert.deepEqual(notes, ["web_search_call.odd", "service:files"]);
});

Deno.test("renderInput sends compactions under the name that providers take", () => {
  const compaction = (kind: string, encrypted: unknown): Item => ({
    type: "foreign",
    wire: "responses",
    kind,
    value: { type: kind, id: "cmp_1", encrypted_content: encrypted },
  });
  const sent = { type: "compaction", id: "cmp_1", encrypted_content: "c" };
  assert.deepEqual(one(compaction("compaction", "c")), sent);
  assert.deepEqual(one(compaction("context_compaction", "c")), sent);
  const { input, notes } = render([compaction("context_compaction", null)]);
  assert.deepEqual({ input, notes }, { input: [], notes: ["context_compaction"] });
});
