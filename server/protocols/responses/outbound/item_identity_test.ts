import assert from "node:assert/strict";
import type { CallItem, OutputItem } from "../../../canonical/item.ts";
import { distinct, identified, sameKind } from "./item_identity.ts";

const message: OutputItem = { type: "message", id: "a", role: "assistant", parts: [] };
const search: OutputItem = {
  type: "foreign",
  wire: "responses",
  kind: "web_search_call",
  id: "a",
  value: { id: "a" },
};
const call: CallItem = { type: "call", kind: "function", id: "f", callId: "c", name: "n", arguments: "" };

Deno.test("sameKind keeps apart what one item cannot become", () => {
  assert.equal(sameKind(message, { ...message, id: "b" }), true);
  assert.equal(sameKind(message, call), false);
  assert.equal(sameKind(call, { ...call, kind: "custom" }), false);
  assert.equal(sameKind(search, { ...search, kind: "mcp_call" }), false);
});

Deno.test("distinct lets no two items have one id, and no two calls one call id", () => {
  assert.equal(distinct(message, [call]), message);
  assert.equal(distinct(message, [search]).id, undefined);
  assert.partialDeepStrictEqual(distinct(search, [message]), { id: undefined, value: {} });
  assert.partialDeepStrictEqual(distinct({ ...call, id: "g" }, [call]), { id: "g", callId: "c_1" });
  assert.partialDeepStrictEqual(distinct({ ...call, callId: "" }, []), { callId: "call_0" });
});

Deno.test("identified keeps what the opening told", () => {
  assert.equal(identified({ ...message, id: "b" }, message).id, "a");
  assert.partialDeepStrictEqual(identified({ ...search, id: "b", value: { id: "b", x: 1 } }, search), {
    id: "a",
    value: { id: "a", x: 1 },
  });
  const later: CallItem = { ...call, id: "z", callId: "y", name: "m", arguments: "{}" };
  assert.deepEqual(identified(later, call), { ...call, arguments: "{}" });
  assert.partialDeepStrictEqual(identified(later, { ...call, name: "" }), { name: "m" });
});
