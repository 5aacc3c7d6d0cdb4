import assert from "node:assert/strict";
import type { Item } from "../../../protocols/canonical/item.ts";
import { ResponseCallIds, withUniqueCallIds } from "./call_ids.ts";

const call = (callId: string, text = "{}"): Item => ({
  type: "call",
  kind: "function",
  callId,
  name: "f",
  arguments: text,
});
const result = (callId: string, output: string): Item => ({
  type: "result",
  kind: "function",
  callId,
  output,
});
const idsOf = (items: readonly Item[]) =>
  items.map((item) => item.type === "call" || item.type === "result" ? item.callId : "");

Deno.test("withUniqueCallIds gives each result to the first call of its id that has none", () => {
  const once = [call("a"), result("a", "1"), call("b")];
  assert.equal(withUniqueCallIds(once), once);
  const turns = [call("a"), result("a", "1"), call("a"), result("a", "2")];
  assert.deepEqual(idsOf(withUniqueCallIds(turns)), ["a", "a", "a_2", "a_2"]);
  const together = [call("a"), call("a"), result("a", "1"), result("a", "2"), result("a", "3")];
  assert.deepEqual(idsOf(withUniqueCallIds(together)), ["a", "a_2", "a", "a_2", "a_2"]);
  const taken = [call("a_2"), call("a"), call("a"), result("x", "1")];
  assert.deepEqual(idsOf(withUniqueCallIds(taken)), ["a_2", "a", "a_3", "x"]);
  const longer = [...turns, call("b"), result("b", "1"), call("a")];
  assert.deepEqual(idsOf(withUniqueCallIds(longer)).slice(0, 4), ["a", "a", "a_2", "a_2"], "what was stays");
});

Deno.test("ResponseCallIds renames calls that the conversation or the response has already, from opening to end", () => {
  const foreign: Item = {
    type: "foreign",
    wire: "responses",
    kind: "service:datetime",
    value: { type: "service:datetime", call_id: "c" },
  };
  const ids = new ResponseCallIds([call("a"), foreign]);
  const open = (itemKey: number, callId: string) =>
    ids.unique({
      type: "item",
      itemKey,
      item: { type: "call", kind: "function", callId, name: "f", arguments: "" },
    });
  const close = (itemKey: number, callId: string) =>
    ids.unique({
      type: "item_done",
      itemKey,
      item: { type: "call", kind: "function", callId, name: "f", arguments: "" },
    });
  const seen = [
    open(0, "a"),
    close(0, "a"),
    open(1, "b"),
    open(2, "b"),
    close(2, "b"),
    open(3, "c"),
    open(4, ""),
  ];
  const names = seen.map((event) =>
    (event.type === "item" || event.type === "item_done") && event.item?.type === "call"
      ? event.item.callId
      : ""
  );
  assert.equal(names[0], names[1]);
  assert.equal(names[3], names[4]);
  assert.equal(names[6], "", "whoever renders it gives it one");
  assert.equal(new Set(["a", "c", names[0], names[2], names[3], names[5]]).size, 6);
  const text = { type: "text", itemKey: 9, part: 0, delta: "a" } as const;
  assert.equal(ids.unique(text), text);
});

Deno.test("call ids stay quick to find where one id is repeated thousands of times", () => {
  const many = Array.from({ length: 20_000 }, () => call("a"));
  assert.equal(new Set(idsOf(withUniqueCallIds(many))).size, many.length);
  const ids = new ResponseCallIds(withUniqueCallIds(many));
  const item = { type: "call", kind: "function", callId: "a", name: "f", arguments: "" } as const;
  const names = Array.from({ length: 2_000 }, (_, itemKey) => ids.unique({ type: "item", itemKey, item }));
  assert.equal(new Set(names.map((event) => JSON.stringify(event))).size, names.length);
});
