import assert from "node:assert/strict";
import { parseItem } from "./parse_item.ts";

Deno.test("parseItem reads nothing from what is no item", () => {
  for (const value of [undefined, null, 7, "message", [], {}, { type: 7 }]) {
    assert.equal(parseItem(value), undefined);
  }
});

Deno.test("parseItem keeps fields that it does not know", () => {
  const content = [{ type: "output_text", text: "a", annotations: [], tone: "dry" }];
  assert.partialDeepStrictEqual(parseItem({ type: "message", role: "assistant", content, created_by: "x" }), {
    parts: [{ type: "text", text: "a", extra: { responses: { tone: "dry" } } }],
    extra: { responses: { created_by: "x" } },
  });
  assert.partialDeepStrictEqual(
    parseItem({ type: "function_call", call_id: "c", name: "f", arguments: "", caller: { type: "direct" } }),
    { extra: { responses: { caller: { type: "direct" } } } },
  );
});

Deno.test("parseItem keeps the place of a part that it does not know", () => {
  const content = [{ type: "output_audio", data: "QUJD" }, { type: "output_text", text: "a" }, "text"];
  assert.partialDeepStrictEqual(parseItem({ type: "message", content }), {
    role: "assistant",
    parts: [{ type: "text", text: "", extra: { responses: { data: "QUJD" } } }, { type: "text", text: "a" }],
  });
});

Deno.test("parseItem drops annotations and logprobs that are none", () => {
  const logprobs = [
    { token: "a", logprob: -1, bytes: null, top_logprobs: [{ token: "b", logprob: -2 }] },
    {},
  ];
  const content = [{ type: "output_text", text: "a", annotations: [7, { type: "file_path" }], logprobs }];
  const item = parseItem({ type: "message", content });
  assert.deepEqual(item?.type === "message" && item.parts, [{
    type: "text",
    text: "a",
    annotations: [{ type: "file_path" }],
    logprobs: [{ token: "a", logprob: -1, top_logprobs: [{ token: "b", logprob: -2 }] }],
    extra: undefined,
  }]);
});

Deno.test("parseItem puts up with calls that name and spell themselves otherwise", () => {
  assert.partialDeepStrictEqual(
    parseItem({ type: "function_call", id: "fc_1", name: "f", arguments: { a: 1 } }),
    {
      callId: "fc_1",
      arguments: '{"a":1}',
    },
  );
  assert.partialDeepStrictEqual(parseItem({ type: "function_call" }), {
    callId: "",
    name: "",
    arguments: "{}",
  });
  assert.partialDeepStrictEqual(parseItem({ type: "custom_tool_call", call_id: "c", name: "x" }), {
    arguments: "",
  });
});

Deno.test("parseItem reads reasoning with nulls and with signatures of other makers", () => {
  const read = parseItem({
    type: "reasoning",
    id: "rs_1",
    summary: null,
    content: null,
    encrypted_content: null,
  });
  assert.partialDeepStrictEqual(read, { summary: [], content: [], encrypted: undefined });
  assert.partialDeepStrictEqual(parseItem({ type: "reasoning", signature: "s", format: "f" }), {
    signature: "s",
    format: "f",
  });
});
