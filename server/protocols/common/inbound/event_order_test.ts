import assert from "node:assert/strict";
import type { ModelEvent } from "../../canonical/event.ts";
import { foldEvents } from "../../stream/state_machine.ts";
import { orderEvents } from "./event_order.ts";

const message = { type: "message", role: "assistant", parts: [] } as const;
const call = { type: "call", kind: "function", callId: "", name: "f", arguments: "" } as const;
const text = (at: number, delta: string): ModelEvent => ({ type: "text", itemKey: at, part: 0, delta });
const stop: ModelEvent = { type: "finish", reason: "stop" };

/** One word an event. */
const wordsOf = (events: readonly ModelEvent[]) =>
  foldEvents(orderEvents("1"), events).map((event) => {
    if ("delta" in event) return event.delta;
    return event.type === "close" ? `close ${event.item.type} ${event.status}` : event.type;
  });

Deno.test("orderEvents lets later items wait until the one before them is whole", () => {
  assert.deepEqual(
    wordsOf([
      { type: "item", itemKey: 0, item: message },
      { type: "item", itemKey: 1, item: call },
      { type: "arguments", itemKey: 1, delta: "{}" },
      text(0, "Hi"),
      { type: "item_done", itemKey: 1 },
      { type: "item_done", itemKey: 0 },
      stop,
    ]),
    ["open", "Hi", "close message completed", "open", "{}", "close call completed", "finish"],
  );
});

Deno.test("orderEvents says what an item's last word adds, and never takes back what was said", () => {
  const whole = (received: string): ModelEvent => ({
    type: "item_done",
    itemKey: 0,
    item: { ...message, parts: [{ type: "text", text: received }, { type: "refusal", text: "No." }] },
  });
  const begun: readonly ModelEvent[] = [{ type: "item", itemKey: 0, item: message }, text(0, "Hi")];
  assert.deepEqual(wordsOf([...begun, whole("Hi there"), stop]), [
    "open",
    "Hi",
    " there",
    "No.",
    "close message completed",
    "finish",
  ]);
  assert.deepEqual(wordsOf([...begun, whole("Other"), stop]).slice(1, 3), ["Hi", "No."]);
});

Deno.test("orderEvents closes what was cut short as incomplete, and nothing after a failure", () => {
  const begun: readonly ModelEvent[] = [{ type: "item", itemKey: 0, item: message }, text(0, "Hi")];
  assert.deepEqual(wordsOf([...begun, { type: "finish", reason: "length" }, stop]), [
    "open",
    "Hi",
    "close message incomplete",
    "finish",
  ]);
  const failure: ModelEvent = { type: "failure", failure: { kind: "upstream_failed", message: "x" } };
  assert.deepEqual(wordsOf([...begun, failure, text(0, "more"), stop]), ["open", "Hi", "failure"]);
  assert.deepEqual(
    wordsOf(begun),
    ["open", "Hi", "failure"],
    "a stream that ends without a word has failed",
  );
});

Deno.test("orderEvents gives nameless calls an id each, and drops what belongs to no item", () => {
  const events = foldEvents(orderEvents("7"), [
    text(5, "lost"),
    { type: "item", itemKey: 0, item: call },
    { type: "item", itemKey: 0, item: call },
    { type: "item_done", itemKey: 0 },
    text(0, "late"),
    { type: "item", itemKey: 1, item: call },
    stop,
  ]);
  const ids = events.flatMap((event) =>
    event.type === "open" && event.item.type === "call" ? [event.item.callId] : []
  );
  assert.deepEqual(ids, ["call_7_0", "call_7_1"]);
  assert.equal(events.some((event) => event.type === "text"), false);
});
