import assert from "node:assert/strict";
import { testContext } from "../../../../tests/support/render.ts";
import type { ModelEvent } from "../../canonical/event.ts";
import type { PassthroughItem } from "../../canonical/item.ts";
import { foldEvents } from "../../stream/state_machine.ts";
import { renderEvents } from "./render_events.ts";

const context = testContext(undefined, { strictEvents: true });

function image(value: object): PassthroughItem {
  return {
    type: "foreign",
    wire: "responses",
    kind: "image_generation_call",
    value: { type: "image_generation_call", ...value },
  };
}

const opened = { type: "item", itemKey: 0, item: image({ status: "in_progress", result: null }) } as const;
const done = {
  type: "item_done",
  itemKey: 0,
  item: image({ status: "completed", result: "QQ==" }),
} as const;

function step(name: string): ModelEvent {
  const value = { type: `response.image_generation_call.${name}` };
  return { type: "foreign", wire: "responses", itemKey: 0, value };
}

/** The steps that clients see between an item's first and last event. */
function stepsOf(events: readonly ModelEvent[]): readonly string[] {
  return foldEvents(renderEvents(context), events).map(({ type }) => type)
    .filter((type) => type.startsWith("response.image_generation_call."))
    .map((type) => type.replace("response.image_generation_call.", ""));
}

const WHOLE = ["in_progress", "generating", "completed"];

/** Events of the provider, and the events for clients. */
const cases: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  "all of it": [WHOLE, WHOLE],
  "nothing": [[], WHOLE],
  "the end only": [["completed"], WHOLE],
  "a step twice": [["in_progress", "in_progress", "generating", "generating", "completed"], WHOLE],
  "steps in the wrong order": [["generating", "in_progress", "completed", "generating"], WHOLE],
  "partial images only": [
    ["partial_image", "partial_image"],
    ["in_progress", "generating", "partial_image", "partial_image", "completed"],
  ],
  "a partial image too late": [["completed", "partial_image"], WHOLE],
};

for (const [what, [received, expected]] of Object.entries(cases)) {
  Deno.test(`a picture's steps come once and in order when its provider says ${what}`, () => {
    const finish = { type: "finish", reason: "stop" } as const;
    assert.deepEqual(stepsOf([opened, ...received.map(step), done, finish]), expected);
  });
}

Deno.test("a picture that failed or was cut short is not said to be completed", () => {
  const failed = { ...done, item: image({ status: "failed", result: null }) };
  assert.deepEqual(stepsOf([opened, step("generating"), failed]), ["in_progress", "generating"]);
  assert.deepEqual(stepsOf([opened, { type: "finish", reason: "length" }]), []);
  assert.deepEqual(stepsOf([opened, step("in_progress")]), ["in_progress"], "the stream broke off");
});

Deno.test("a picture that waits for another item tells its steps when its turn comes", () => {
  const message = { type: "message", role: "assistant", parts: [] } as const;
  const events: readonly ModelEvent[] = [
    { type: "item", itemKey: "m", item: message },
    opened,
    step("generating"),
    { type: "text", itemKey: "m", part: 0, delta: "Here:" },
    done,
    { type: "item_done", itemKey: "m" },
    { type: "finish", reason: "stop" },
  ];
  assert.deepEqual(stepsOf(events), WHOLE);
  const last = foldEvents(renderEvents(context), events).at(-1);
  assert.match(
    JSON.stringify(last),
    /"output":\[\{"id":"msg_1_0".*\{"type":"image_generation_call".*"ig_1_1"/,
  );
});
