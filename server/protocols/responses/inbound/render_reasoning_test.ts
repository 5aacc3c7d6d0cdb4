import assert from "node:assert/strict";
import { testContext } from "../../../../tests/support/render.ts";
import { decodeReasoning } from "../../canonical/encrypted_reasoning.ts";
import type { ModelEvent } from "../../canonical/event.ts";
import type { ReasoningItem, ReasoningOrigin, WireId } from "../../canonical/item.ts";
import { foldEvents } from "../../stream/state_machine.ts";
import { renderEvents, renderResponse } from "./render_events.ts";

const originAt = (wire: WireId): ReasoningOrigin => ({ wire, provider: "p", replays: "always" });

/** Reasoning and a summary of it, in two chunks each; the last word repeats them where it is `whole`. */
function reasoning(wire: WireId, { whole = false } = {}): readonly ModelEvent[] {
  const item: ReasoningItem = { type: "reasoning", content: [], summary: [], origin: originAt(wire) };
  const finalItem = {
    ...item,
    origin: undefined,
    content: ["Thought."],
    summary: ["Short."],
    signature: "sig",
  };
  return [
    { type: "item", itemKey: 0, item },
    { type: "thought", itemKey: 0, part: 0, delta: "Tho" },
    { type: "thought", itemKey: 0, part: 0, delta: "ught." },
    { type: "summary", itemKey: 0, part: 0, delta: "Sho" },
    { type: "summary", itemKey: 0, part: 0, delta: "rt." },
    { type: "item_done", itemKey: 0, ...(whole ? { item: finalItem } : {}) },
    { type: "finish", reason: "stop" },
  ];
}

const asking = (summary?: string) =>
  testContext({
    model: "mock/model",
    input: "hi",
    include: ["reasoning.encrypted_content"],
    ...(summary === undefined ? {} : { reasoning: { summary } }),
  });

const summaries = (...texts: readonly string[]) => texts.map((text) => ({ type: "summary_text", text }));
const thoughts = [{ type: "reasoning_text", text: "Thought." }];

for (const wire of ["chat", "messages", "bedrock"] as const) {
  Deno.test(`renderEvents shows reasoning of ${wire} as summaries to clients that ask for these`, () => {
    for (const whole of [false, true]) {
      const events = foldEvents(renderEvents(asking("auto")), reasoning(wire, { whole }));
      assert.deepEqual(
        events.filter(({ type }) => /reasoning/.test(type)).map((
          { type, summary_index },
        ) => [type, summary_index]),
        [0, 1].flatMap((index) => [
          ["response.reasoning_summary_part.added", index],
          ["response.reasoning_summary_text.delta", index],
          ["response.reasoning_summary_text.delta", index],
          ["response.reasoning_summary_text.done", index],
          ["response.reasoning_summary_part.done", index],
        ]),
      );
      const [item] = Object(events.at(-1)?.response).output;
      assert.deepEqual(item.summary, summaries("Thought.", "Short."));
      assert.equal(item.content, undefined);
      assert.deepEqual(Object(renderResponse(asking("auto"), reasoning(wire, { whole })).output)[0], item);
      const content = decodeReasoning(item.encrypted_content.replace(`tg2.${wire}.p.`, ""));
      const sealed = whole ? { signature: "sig" } : {};
      assert.deepEqual(content, { content: ["Thought."], summary: ["Short."], ...sealed });
    }
  });
}

Deno.test("renderEvents keeps reasoning apart from summaries where none is asked for, and of other wires", () => {
  const cases = [["chat"], ["responses", "auto"], ["gemini", "auto"]] as const;
  for (const [wire, summary] of cases) {
    const events = foldEvents(renderEvents(asking(summary)), reasoning(wire));
    const [item] = Object(events.at(-1)?.response).output;
    assert.deepEqual([item.content, item.summary], [thoughts, summaries("Short.")], wire);
  }
});
