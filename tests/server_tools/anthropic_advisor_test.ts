/** Anthropic's own advisor on the Messages API, with every model: its provider's own, or the gateway's. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { createKey } from "../support/manage.ts";
import { answerOf } from "./answered_turn.ts";
import { bodyFor, isInner, planBoth } from "./nested_rig.ts";
import { calls, says, send, upstreamWires, wholeOf, withTools } from "./rig.ts";

const advisor = (more: Json = {}): Json => ({
  type: "advisor_20260301",
  name: "advisor",
  model: "mock/chat",
  ...more,
});

const outer = (turn: number) => turn === 0 ? [calls("advisor", { args: {} })] : [says("I wait.")];

for (const wire of upstreamWires.filter((one) => one !== "messages")) {
  Deno.test(`advisor_20260301 is run here for a model on the wire ${wire}, with the whole conversation`, async () => {
    await withTools({}, async (rig) => {
      for (const stream of [false, true]) {
        planBoth(rig, { outer });
        const tools = [advisor({ max_tokens: 55, caching: { type: "ephemeral", ttl: "5m" } })];
        const body = bodyFor("messages", { model: `mock/${wire}`, tools, system: "Be kind.", stream });
        const answer = answerOf(await send(rig.gateway, { api: "messages", body }), {
          api: "messages",
          stream,
        });
        const blocks = asList(answer[0]?.content).map(asObject);
        const use = blocks.find(({ type }) => type === "server_tool_use");
        const result = blocks.find(({ type }) => type === "advisor_tool_result");
        assert.deepEqual([use?.name, use?.input, result?.tool_use_id], ["advisor", {}, use?.id]);
        assert.deepEqual(result?.content, {
          type: "advisor_result",
          text: "Wait.",
          stop_reason: "end_turn",
          model: "mock/chat",
        });
        const inner = rig.taken("chat").filter(isInner);
        assert.equal(inner.length, 1);
        const text = JSON.stringify(inner[0]);
        assert(text.includes("Do it.") && text.includes("Be kind."));
        assert.equal(inner[0]?.max_completion_tokens ?? inner[0]?.max_tokens, 55);
        planBoth(rig, { outer: () => [says("Bye.")] });
        const messages = [...asList(body.messages), ...answer, { role: "user", content: "And now?" }];
        wholeOf(await send(rig.gateway, { api: "messages", body: { ...body, messages, stream: false } }));
        assert(rig.taken(wire).some((one) => JSON.stringify(one).includes("Wait.")), "brought back");
      }
    });
  });
}

Deno.test("advisor_20260301 goes as it is to a provider of its own wire", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    plan(() => [says("Hi.")]);
    const tool = advisor({ model: "claude-opus-5", max_uses: 2 });
    wholeOf(
      await send(gateway, {
        api: "messages",
        body: bodyFor("messages", { model: "mock/messages", tools: [tool] }),
      }),
    );
    assert.deepEqual(taken("messages")[0]?.tools, [tool]);
  });
});

Deno.test("a key with a limit has the gateway's advisor, whose money is set aside, and not the provider's", async () => {
  await withTools({}, async (rig) => {
    const { key } = await createKey(rig.gateway, { limit: 1 });
    planBoth(rig, { outer });
    const body = bodyFor("messages", { model: "mock/messages", tools: [advisor()] });
    wholeOf(await send(rig.gateway, { api: "messages", key, body }));
    assert.equal(asObject(asList(rig.taken("messages")[0]?.tools)[0]).type, undefined);
    assert.equal(rig.taken("chat").filter(isInner).length, 1);
  });
});

const faults: readonly (readonly [tool: Json, code: string])[] = [
  [advisor({ model: "acme/unknown" }), "model_not_found"],
  [advisor({ model: "mock/chat-500" }), "unavailable"],
];

const refused: readonly (readonly [tool: Json, says: RegExp])[] = [
  [advisor({ model: "openrouter/fusion" }), /tools\[0\]\.model/],
  [advisor({ model: undefined }), /tools\[0\]\.model must name the model that advises/],
  [advisor({ model: "" }), /tools\[0\]\.model must name the model that advises/],
  [advisor({ max_uses: 0 }), /tools\[0\]\.max_uses must be at least 1/],
  [advisor({ max_tokens: 1.5 }), /tools\[0\]\.max_tokens must be a whole number/],
  [advisor({ caching: { type: "ephemeral", ttl: "2h" } }), /tools\[0\]\.caching/],
];

Deno.test("wrong settings of advisor_20260301 are 400, and the field is named", async () => {
  await withTools({}, async (rig) => {
    for (const [tool, words] of refused) {
      const body = bodyFor("messages", { model: "mock/gemini", tools: [tool] });
      const sent = await send(rig.gateway, { api: "messages", body });
      assert.equal(sent.status, 400, sent.text);
      assert.match(sent.text, words);
    }
  });
});

Deno.test("faults of advisor_20260301 have Anthropic's codes", async () => {
  await withTools({}, async (rig) => {
    for (const [tool, code] of faults) {
      planBoth(rig, { outer });
      const body = bodyFor("messages", { model: "mock/gemini", tools: [tool] });
      const sent = await send(rig.gateway, { api: "messages", body });
      const blocks = asList(wholeOf(sent).content).map(asObject);
      const { content } = blocks.find(({ type }) => type === "advisor_tool_result") ?? {};
      assert.deepEqual(content, { type: "advisor_tool_result_error", error_code: code });
      assert.equal(blocks.at(-1)?.text, "I wait.");
    }
    planBoth(rig, {
      outer: (turn) => turn < 3 ? [calls("advisor", { args: {}, id: `call_${turn}` })] : [says("I go.")],
    });
    const body = bodyFor("messages", { model: "mock/gemini", tools: [advisor({ max_uses: 2 })] });
    const blocks = asList(wholeOf(await send(rig.gateway, { api: "messages", body })).content).map(asObject);
    const results = blocks.filter(({ type }) => type === "advisor_tool_result").map(({ content }) =>
      asObject(content)
    );
    assert.deepEqual(results.map(({ error_code }) => error_code), [
      undefined,
      undefined,
      "max_uses_exceeded",
    ]);
  });
});

Deno.test("advice of Anthropic's own advisor is told to other models", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    plan(() => [says("Hi.")]);
    const content = [
      { type: "server_tool_use", id: "srvtoolu_01", name: "advisor", input: {} },
      {
        type: "advisor_tool_result",
        tool_use_id: "srvtoolu_01",
        content: { type: "advisor_result", text: "Turn back." },
      },
      { type: "text", text: "I turn." },
    ];
    for (const wire of upstreamWires) {
      const messages = [{ role: "user", content: "Go" }, { role: "assistant", content }, {
        role: "user",
        content: "On",
      }];
      const body = { model: `mock/${wire}`, max_tokens: 50, messages, tools: [advisor()] };
      wholeOf(await send(gateway, { api: "messages", body }));
      assert(JSON.stringify(taken(wire).at(-1)).includes("Turn back."), wire);
    }
  });
});
