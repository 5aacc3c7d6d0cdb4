import assert from "node:assert/strict";
import type { OutputItem, ToolCallItem } from "../../canonical/item.ts";
import { isSameKind, withOpenedIdentity, withUniqueIds } from "./item_identity.ts";

const message: OutputItem = { type: "message", id: "a", role: "assistant", parts: [] };
const search: OutputItem = {
  type: "foreign",
  wire: "responses",
  kind: "web_search_call",
  id: "a",
  value: { id: "a" },
};
const call: ToolCallItem = { type: "call", kind: "function", id: "f", callId: "c", name: "n", arguments: "" };

Deno.test("isSameKind keeps apart what one item cannot become", () => {
  assert.equal(isSameKind(message, { ...message, id: "b" }), true);
  assert.equal(isSameKind(message, call), false);
  assert.equal(isSameKind(call, { ...call, kind: "custom" }), false);
  assert.equal(isSameKind(search, { ...search, kind: "mcp_call" }), false);
});

Deno.test("distinct lets no two items have one id, and no two calls one call id", () => {
  assert.equal(withUniqueIds(message, [call]), message);
  assert.equal(withUniqueIds(message, [search]).id, undefined);
  assert.partialDeepStrictEqual(withUniqueIds(search, [message]), { id: undefined, value: {} });
  assert.partialDeepStrictEqual(withUniqueIds({ ...call, id: "g" }, [call]), { id: "g", callId: "c_1" });
  assert.partialDeepStrictEqual(withUniqueIds({ ...call, callId: "" }, []), { callId: "call_0" });
});

Deno.test("identified keeps what the opening told", () => {
  assert.equal(withOpenedIdentity({ ...message, id: "b" }, message).id, "a");
  assert.partialDeepStrictEqual(
    withOpenedIdentity({ ...search, id: "b", value: { id: "b", x: 1 } }, search),
    {
      id: "a",
      value: { id: "a", x: 1 },
    },
  );
  const later: ToolCallItem = { ...call, id: "z", callId: "y", name: "m", arguments: "{}" };
  assert.deepEqual(withOpenedIdentity(later, call), { ...call, arguments: "{}" });
  assert.partialDeepStrictEqual(withOpenedIdentity(later, { ...call, name: "" }), { name: "m" });
});
