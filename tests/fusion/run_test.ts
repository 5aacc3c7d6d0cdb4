/** A run of fusion: panel, analyst, result, item, events and receipt. */

import assert from "node:assert/strict";
import { streamEvent } from "../../shared/responses/events.ts";
import { receiptOf } from "../money/rig.ts";
import { asObject } from "../support/event_stream.ts";
import { eventsOf, itemsOf, resultOf, send, wholeOf } from "../server_tools/rig.ts";
import { ANALYSIS, fusionTool, withFusion } from "./rig.ts";

const body = {
  model: "outer/mock",
  input: "Greet me.",
  tools: [fusionTool(["alpha/mock", "beta/mock"])],
};

const responses = [
  { model: "alpha/mock", content: "I am alpha-mock." },
  { model: "beta/mock", content: "I am beta-mock." },
];

Deno.test("a run asks the panel, has the answers compared and gives the outer model both", async () => {
  await withFusion({}, async ({ gateway, sentTo, sentToAnalyst }) => {
    const sent = await send(gateway, { body });
    const result = wholeOf(sent);
    const [item, message] = itemsOf(result);
    assert.equal(item?.type, "openrouter:fusion");
    assert.equal(item?.status, "completed");
    assert.deepEqual(item?.analysis, ANALYSIS);
    assert.deepEqual(item?.responses, responses);
    assert.equal(message?.type, "message");
    const [analyst] = sentToAnalyst();
    assert.equal(analyst?.temperature, 0);
    assert(JSON.stringify(analyst).includes("I am beta-mock."));
    for (const { model } of responses) {
      const [asked] = sentTo(model);
      assert(JSON.stringify(asked?.messages).includes("Greet me."));
      assert.deepEqual(toolNames(asked), ["web_search", "web_fetch"]);
      assert.equal(asked?.max_completion_tokens ?? asked?.max_tokens, 16_000);
    }
    const last = sentTo("outer/mock").at(-1);
    assert(Array.isArray(last?.messages));
    const told = asObject(JSON.parse(String(asObject(last.messages.at(-1)).content)));
    assert.deepEqual(told, { status: "ok", analysis: ANALYSIS, responses });
    const { calls } = await receiptOf(gateway, sent);
    assert.deepEqual(calls?.map(({ purpose, status }) => [purpose, status]), [
      ["model", "completed"],
      ["tool:fusion", "completed"],
      ["fusion:panel", "completed"],
      ["fusion:panel", "completed"],
      ["fusion:analysis", "completed"],
      ["model", "completed"],
    ]);
  });
});

const toolNames = (asked: unknown): readonly unknown[] => {
  const { tools } = asObject(asked);
  return Array.isArray(tools) ? tools.map((tool) => asObject(asObject(tool).function).name) : [];
};

Deno.test("a stream tells of a run in its order, by valid events", async () => {
  await withFusion({}, async ({ gateway, plan }) => {
    const sent = await send(gateway, { body: { ...body, stream: true } });
    const events = eventsOf(sent);
    for (const event of events) streamEvent.parse(event);
    assert.deepEqual(events.map(({ sequence_number }) => sequence_number), [...events.keys()]);
    const fusion = events.filter(({ type }) => String(type).startsWith("response.fusion_call"));
    const [item] = itemsOf(resultOf(sent));
    for (const event of fusion) {
      assert.deepEqual([event.item_id, event.output_index], [item?.id, 0]);
    }
    const names = fusion.map(({ type }) => String(type).slice("response.fusion_call.".length));
    assert.equal(names[0], "in_progress");
    assert.deepEqual(names.slice(-3), ["analysis.in_progress", "analysis.completed", "completed"]);
    for (const { model, content } of responses) {
      const ofModel = fusion.filter((event) => event.model === model);
      const said = ofModel.map(({ type }) => String(type).slice("response.fusion_call.panel.".length));
      assert.deepEqual([...new Set(said)], ["added", "delta", "completed"]);
      assert.equal(ofModel.map(({ delta = "" }) => delta).join(""), content);
      assert.equal(ofModel.at(-1)?.content, content);
    }
    plan({});
    const strict = await send(gateway, {
      body: { ...body, stream: true },
      headers: { "x-stainless-helper-method": "stream" },
    });
    assert(!eventsOf(strict).some(({ type }) => String(type).includes("fusion_call")));
    assert.equal(itemsOf(resultOf(strict))[0]?.type, "openrouter:fusion");
  });
});
