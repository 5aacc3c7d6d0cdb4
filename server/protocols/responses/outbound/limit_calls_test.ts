import assert from "node:assert/strict";
import type { ModelEvent } from "../../../canonical/event.ts";
import { fold } from "../../../stream/state_machine.ts";
import { modelRequest } from "../../../../tests/support/requests.ts";
import { fewCalls, mostCalls, withFewCalls } from "./limit_calls.ts";

const call = (at: number): readonly ModelEvent[] => [
  {
    type: "item",
    at,
    item: { type: "call", kind: "function", callId: `c${at}`, name: "f", arguments: "" },
  },
  { type: "arguments", at, delta: "{}" },
  { type: "item_done", at },
];

const said: readonly ModelEvent[] = [
  { type: "begin" },
  { type: "item", at: 0, item: { type: "message", role: "assistant", parts: [] } },
  { type: "text", at: 0, part: 0, delta: "Hm." },
  { type: "item_done", at: 0 },
  ...call(1),
  ...call(2),
  { type: "finish", reason: "stop" },
];

const echo = {
  initial: 0,
  step: (state: number, event: ModelEvent) => [state + 1, [event]] as const,
};

for (const [most, left] of [[0, [0]], [1, [0, 1]], [2, [0, 1, 2]], [Infinity, [0, 1, 2]]] as const) {
  Deno.test(`fewCalls lets ${most} calls through, streamed and whole`, () => {
    for (const events of [fewCalls(said, most), fold(withFewCalls(echo, most), said)]) {
      const places = new Set(events.flatMap((event) => "at" in event ? [event.at] : []));
      assert.deepEqual([...places], left);
      assert.equal(events.at(-1)?.type, "finish");
    }
  });
}

Deno.test("mostCalls reads what the client takes", () => {
  assert.equal(mostCalls(modelRequest()), Infinity);
  assert.equal(mostCalls(modelRequest({ parallelToolCalls: true })), Infinity);
  assert.equal(mostCalls(modelRequest({ parallelToolCalls: false })), 1);
  assert.equal(mostCalls(modelRequest({ toolChoice: { type: "none" } })), 0);
});
