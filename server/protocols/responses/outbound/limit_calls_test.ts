import assert from "node:assert/strict";
import type { ModelEvent } from "../../canonical/event.ts";
import { foldEvents } from "../../stream/state_machine.ts";
import { modelRequest } from "../../../../tests/support/requests.ts";
import { maxCallsOf } from "../../common/outbound/tool_offer.ts";
import { limitCalls, withCallLimit } from "./limit_calls.ts";

const call = (at: number): readonly ModelEvent[] => [
  {
    type: "item",
    itemKey: at,
    item: { type: "call", kind: "function", callId: `c${at}`, name: "f", arguments: "" },
  },
  { type: "arguments", itemKey: at, delta: "{}" },
  { type: "item_done", itemKey: at },
];

const received: readonly ModelEvent[] = [
  { type: "begin" },
  { type: "item", itemKey: 0, item: { type: "message", role: "assistant", parts: [] } },
  { type: "text", itemKey: 0, part: 0, delta: "Hm." },
  { type: "item_done", itemKey: 0 },
  ...call(1),
  ...call(2),
  { type: "finish", reason: "stop" },
];

const echo = {
  initial: 0,
  step: (state: number, event: ModelEvent) => [state + 1, [event]] as const,
};

for (const [most, left] of [[0, [0]], [1, [0, 1]], [2, [0, 1, 2]], [Infinity, [0, 1, 2]]] as const) {
  Deno.test(`limitCalls lets ${most} calls through, streamed and whole`, () => {
    for (const events of [limitCalls(received, most), foldEvents(withCallLimit(echo, most), received)]) {
      const places = new Set(events.flatMap((event) => "itemKey" in event ? [event.itemKey] : []));
      assert.deepEqual([...places], left);
      assert.equal(events.at(-1)?.type, "finish");
    }
  });
}

Deno.test("maxCalls reads what the client takes", () => {
  assert.equal(maxCallsOf(modelRequest()), Infinity);
  assert.equal(maxCallsOf(modelRequest({ parallelToolCalls: true })), Infinity);
  assert.equal(maxCallsOf(modelRequest({ parallelToolCalls: false })), 1);
  assert.equal(maxCallsOf(modelRequest({ toolChoice: { type: "none" } })), 0);
});
