/** Advisors: one completion of another model, its item, its events, its result and its place on the receipt. */

import assert from "node:assert/strict";
import { streamEvent } from "../../shared/responses/events.ts";
import { receiptOf } from "../money/rig.ts";
import { bodyFor, isInner, nestedTool, planBoth, resultSeenBy } from "./nested_rig.ts";
import { calls, eventsOf, outputOf, says, send, withTools } from "./rig.ts";

const prompt = "Left or right?";
const asks = calls("advisor", { args: { prompt }, id: "call_advisor" });
const outer = (turn: number) => turn === 0 ? [asks] : [says("I go left.")];
const inner = () => [says("Left is safe.")];

for (const stream of [false, true]) {
  Deno.test(`an advisor is asked once, without tools, and its advice is the result (stream: ${stream})`, async () => {
    await withTools({}, async (rig) => {
      const { gateway, taken } = rig;
      planBoth(rig, { outer, inner });
      const tools = [
        nestedTool("advisor", { model: "mock/messages", temperature: 0.5, max_completion_tokens: 77 }),
      ];
      const sent = await send(gateway, { body: bodyFor("responses", { model: "mock/chat", tools, stream }) });
      const [item, message] = outputOf(sent);
      assert.equal(item?.type, "openrouter:advisor");
      assert.deepEqual(
        [item?.status, item?.model, item?.prompt, item?.advice, item?.error],
        ["completed", "mock/messages", prompt, "Left is safe.", undefined],
      );
      assert.equal(message?.type, "message");
      const [asked, ...others] = taken("messages");
      assert.equal(others.length, 0);
      assert(asked !== undefined && isInner(asked));
      assert.deepEqual([asked.tools, asked.temperature, asked.max_tokens], [undefined, 0.5, 77]);
      assert(JSON.stringify(asked.messages).includes(prompt));
      assert(!JSON.stringify(asked.messages).includes("Do it."));
      assert.deepEqual(resultSeenBy(taken("chat").at(-1)), {
        status: "ok",
        model: "mock/messages",
        advice: "Left is safe.",
      });
      const { calls: ran } = await receiptOf(gateway, sent);
      assert.deepEqual(ran?.map(({ purpose, status, model }) => [purpose, status, model]), [
        ["model", "completed", "mock/chat"],
        ["tool:advisor", "completed", null],
        ["advisor:answer", "completed", "mock/messages"],
        ["model", "completed", "mock/chat"],
      ]);
    });
  });
}

Deno.test("an advisor with stream tells its text as it comes, as the text of its own item", async () => {
  await withTools({}, async (rig) => {
    for (const streams of [true, false]) {
      planBoth(rig, { outer, inner });
      const tools = [nestedTool("advisor", { model: "mock/messages", stream: streams })];
      const body = bodyFor("responses", { model: "mock/chat", tools, stream: true });
      const sent = await send(rig.gateway, { body });
      const events = eventsOf(sent);
      for (const event of events) streamEvent.parse(event);
      const [item] = outputOf(sent);
      const ofItem = events.filter(({ item_id, type }) =>
        item_id === item?.id && String(type).startsWith("response.output_text")
      );
      const deltas = ofItem.filter(({ type }) => type === "response.output_text.delta");
      assert.equal(deltas.map(({ delta }) => delta).join(""), streams ? "Left is safe." : "");
      assert.equal(deltas.length > 1, streams);
      assert.deepEqual(
        ofItem.slice(deltas.length).map(({ type, text, output_index }) => [type, text, output_index]),
        streams ? [["response.output_text.done", "Left is safe.", 0]] : [],
      );
      assert.equal(item?.advice, "Left is safe.");
    }
  });
});

Deno.test("an advisor's model is that of the tool, else that of the call, else the one that calls", async () => {
  await withTools({}, async (rig) => {
    const rows = [
      [{ model: "mock/messages" }, { model: "mock/gemini" }, "mock/messages"],
      [{}, { model: "mock/gemini" }, "mock/gemini"],
      [{}, {}, "mock/chat"],
    ] as const;
    for (const [parameters, args, model] of rows) {
      const call = calls("advisor", { args: { prompt, ...args } });
      planBoth(rig, { outer: (turn) => turn === 0 ? [call] : [says("Done.")], inner });
      const tools = [nestedTool("advisor", parameters)];
      const sent = await send(rig.gateway, { body: bodyFor("responses", { model: "mock/chat", tools }) });
      const [item] = outputOf(sent);
      assert.deepEqual([item?.status, item?.model], ["completed", model]);
    }
  });
});
