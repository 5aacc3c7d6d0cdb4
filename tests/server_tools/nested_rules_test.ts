/** Rules of advisors and subagents: their settings, names, models, limits and depth. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { answerOf } from "./answered_turn.ts";
import { bodyFor, isInner, MARK, nestedTool, planBoth, resultSeenBy } from "./nested_rig.ts";
import { apis, calls, outputOf, says, send, upstreamWires, wholeOf, withTools } from "./rig.ts";

const model = "mock/chat";
const sub = (parameters: Json): Json => ({ type: "service:subagent", parameters });
const adv = (parameters: Json): Json => ({ type: "service:advisor", parameters });

const refused: readonly (readonly [tools: readonly Json[], says: RegExp])[] = [
  [[adv({}), adv({})], /tools\[1\] is a second advisor without a name/],
  [[sub({}), sub({})], /tools\[1\] is a second subagent without a name/],
  [[adv({ name: "A b" }), { type: "openrouter:advisor", name: " A b " }], /tools\[1\]\.name is .*A b/],
  [[adv({ name: "a/b" })], /name/],
  [[adv({ name: "  " })], /name/],
  [[adv({ name: "x".repeat(65) })], /name/],
  [[adv({ model: "openrouter/fusion" })], /model is a slug of fusion/],
  [[sub({ model: "service/fusion-flash:free" })], /model is a slug of fusion/],
  [[sub({ tools: [{ type: "function" }] })], /tools\[0\]/],
  [[sub({ tools: [{ type: "service:datetime" }, { type: "openrouter:subagent" }] })], /tools\[1\]/],
  [
    [sub({ tools: [{ type: "service:apply_patch" }] })],
    /tools\[0\]\.tools\[0\]\.type is a tool that the client/,
  ],
  [[sub({ tools: [{ type: "web_search_preview" }] })], /tools\[0\]\.type/],
  [[sub({ inherit_functions: true })], /inherit_functions is not supported/],
  [[sub({ inherited_function_names: ["f"] })], /inherited_function_names is not supported/],
];

Deno.test("settings that mean nothing are 400 on every API", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    plan(() => [says("Hi.")]);
    for (const [tools, words] of refused) {
      for (const api of apis) {
        const { status, text } = await send(gateway, { api, body: bodyFor(api, { model, tools }) });
        assert.equal(status, 400, `${api} ${JSON.stringify(tools)} ${text}`);
        assert.match(text, words);
      }
    }
    const tools = [adv({}), adv({ name: "A" }), adv({ name: "B" }), sub({}), sub({ name: "A" })];
    for (const api of apis) wholeOf(await send(gateway, { api, body: bodyFor(api, { model, tools }) }));
  });
});

Deno.test("advisors are told apart by their names, and each remembers its own exchanges alone", async () => {
  await withTools({}, async (rig) => {
    const { gateway, taken } = rig;
    const names = ["advisor", "advisor_Legal_aid", "advisor_Money"];
    const tools = [
      nestedTool("advisor", { model: "mock/messages" }),
      nestedTool("advisor", { name: "Legal aid", model: "mock/messages" }),
      nestedTool("advisor", { name: "Money", model: "mock/messages" }),
    ];
    for (const api of apis) {
      const asks = (turn: number) =>
        names.map((name) =>
          calls(name, { args: { prompt: `${turn} to ${name}.` }, id: `call_${turn}_${name}` })
        );
      planBoth(rig, {
        outer: (turn) => turn < 2 ? asks(turn) : [says("Done.")],
        inner: (
          _turn,
          body,
        ) => [says(`Reply to ${/\d to (\w+)\./.exec(JSON.stringify(asList(body.messages).at(-1)))?.[1]}.`)],
      });
      const body = bodyFor(api, { model, tools });
      const sent = await send(gateway, { api, body });
      const [offered] = taken("chat");
      assert.deepEqual(asList(offered?.tools).map((tool) => asObject(asObject(tool).function).name), names);
      const inner = taken("messages").map((one) => JSON.stringify(one.messages));
      assert.equal(inner.length, 6);
      for (const name of names) {
        const own = inner.filter((text) => text.includes(`to ${name}.`));
        assert.equal(own.length, 2);
        const others = names.filter((one) => one !== name);
        assert(own.every((text) => others.every((one) => !text.includes(`to ${one}.`))), name);
        assert(
          own[1]?.includes(`0 to ${name}.`) && own[1].includes(`Reply to ${name}.`),
          "within one request",
        );
      }
      planBoth(rig, {
        outer: (turn) =>
          turn === 0 ? [calls("advisor_Money", { args: { prompt: "Again?" } })] : [says("Done.")],
      });
      const history = answerOf(sent, { api, stream: false });
      const field = api === "responses" ? "input" : "messages";
      const more = { role: "user", content: "And now?" };
      await send(gateway, { api, body: { ...body, [field]: [...asList(body[field]), ...history, more] } });
      const [again] = taken("messages");
      const texts = asList(again?.messages).map((message) => JSON.stringify(asObject(message).content));
      assert.equal(texts.length, 5, api);
      for (
        const [at, text] of ["0 to advisor_Money.", "Reply to advisor_Money.", "1 to advisor_Money."]
          .entries()
      ) {
        assert(texts[at]?.includes(text), `${api}: ${texts[at]}`);
      }
    }
  });
});

Deno.test("an advisor with the transcript knows the conversation and needs no question", async () => {
  await withTools({}, async (rig) => {
    const { gateway, taken } = rig;
    planBoth(rig, {
      outer: (turn) =>
        [[calls("datetime")], [says("I doubt."), calls("advisor", { args: {} })]][turn] ?? [says("Done.")],
    });
    const tools = [
      { type: "service:datetime" },
      nestedTool("advisor", { model: "mock/messages", forward_transcript: true }),
    ];
    const body = bodyFor("responses", { model, tools, instructions: "Be kind." });
    const sent = await send(gateway, { body });
    const item = outputOf(sent).find(({ type }) => type === "openrouter:advisor");
    assert.deepEqual([item?.status, item?.advice, item?.prompt], ["completed", "Wait.", undefined]);
    const [inner] = taken("messages");
    const text = JSON.stringify(inner);
    for (const part of ["Do it.", "Called datetime", "timezone", "I doubt.", "Be kind.", MARK]) {
      assert(text.includes(part), part);
    }
    assert.equal(inner?.tools, undefined);
  });
});

Deno.test("an advisor without a question, or that nobody knows, is a result that says so", async () => {
  await withTools({}, async (rig) => {
    const rows = [
      [{}, {}, /prompt is missing/],
      [{ prompt: "Hm?" }, { model: "acme/unknown" }, /acme\/unknown/],
      [{ prompt: "Hm?", model: "openrouter/fusion" }, {}, /slug of fusion/],
      [{ prompt: "Hm?" }, { model: "mock/messages-500" }, /./],
    ] as const;
    for (const [args, parameters, words] of rows) {
      planBoth(rig, { outer: (turn) => turn === 0 ? [calls("advisor", { args })] : [says("I go on.")] });
      const tools = [nestedTool("advisor", parameters)];
      const sent = await send(rig.gateway, { body: bodyFor("responses", { model, tools }) });
      const [item, message] = outputOf(sent);
      assert.deepEqual([item?.status, message?.type], ["failed", "message"]);
      assert.match(String(item?.error ?? resultSeenBy(rig.taken("chat").at(-1)).error), words);
    }
  });
});

Deno.test("a subagent works with its own tools and its own limit of calls", async () => {
  await withTools({}, async (rig) => {
    const { gateway, taken } = rig;
    const task = calls("subagent", { args: { task_name: "Time", task_description: "Tell the time." } });
    planBoth(rig, {
      outer: (turn) => turn === 0 ? [task] : [says("Done.")],
      inner: (turn) => turn < 5 ? [calls("datetime", { id: `call_${turn}` })] : [says("Noon.")],
    });
    const own = { model: "mock/messages", tools: [{ type: "service:datetime" }], max_tool_calls: 2 };
    const body = bodyFor("responses", { model, tools: [nestedTool("subagent", own)], max_tool_calls: 1 });
    const sent = await send(gateway, { body });
    const [item] = outputOf(sent);
    const bodies = taken("messages");
    assert.equal(bodies.length, 3, "two turns with calls, and one that may not call");
    assert(bodies.every(isInner));
    assert.equal(asObject(asList(bodies[0]?.tools)[0]).name, "datetime");
    assert.deepEqual(bodies[2]?.tool_choice, { type: "none" });
    assert.equal(item?.type, "openrouter:subagent");
    assert.equal(item?.task_name, "Time");
  });
});

Deno.test("a run more than a request may have is an error result", async () => {
  await withTools({}, async (rig) => {
    const { gateway, taken } = rig;
    const ask = (turn: number) =>
      Array.from(
        { length: 9 },
        (_, at) => calls("advisor", { args: { prompt: "?" }, id: `call_${turn}_${at}` }),
      );
    planBoth(rig, { outer: (turn) => turn < 2 ? ask(turn) : [says("Done.")] });
    const body = bodyFor("responses", { model, tools: [nestedTool("advisor", { model: "mock/messages" })] });
    const items = outputOf(await send(gateway, { body }));
    const statuses = items.filter(({ type }) => type === "openrouter:advisor").map(({ status }) => status);
    assert.deepEqual(statuses, [...Array<string>(16).fill("completed"), "failed", "failed"]);
    assert.equal(taken("messages").length, 16);
  });
});

Deno.test("a tool_choice that names the kind forces a call", async () => {
  await withTools({}, async (rig) => {
    for (
      const [kind, args] of [["advisor", { prompt: "?" }], ["subagent", { task_description: "?" }]] as const
    ) {
      planBoth(rig, { outer: (turn) => turn === 0 ? [calls(kind, { args })] : [says("Done.")] });
      const body = bodyFor("responses", {
        model,
        tools: [nestedTool(kind)],
        tool_choice: { type: `service:${kind}` },
      });
      const [item] = outputOf(await send(rig.gateway, { body }));
      assert.equal(item?.status, "completed");
      assert.deepEqual(asObject(rig.taken("chat")[0]?.tool_choice).function, { name: kind });
      assert.equal(rig.taken("chat").at(-1)?.tool_choice, "auto");
    }
  });
});

Deno.test("subagent_id and subagent_items of a call are taken, and not sent to providers", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    plan(() => [says("Hi.")]);
    const call = {
      type: "function_call",
      call_id: "call_1",
      name: "f",
      arguments: "{}",
      subagent_id: "sub_1",
      subagent_items: [{ type: "message", role: "assistant", content: "x" }],
    };
    const output = { type: "function_call_output", call_id: "call_1", output: "ok" };
    const input = [{ role: "user", content: "Go" }, call, output];
    for (const wire of upstreamWires) {
      wholeOf(await send(gateway, { body: { model: `mock/${wire}`, input } }));
      const text = JSON.stringify(taken(wire)[0]);
      assert(text.includes("ok") && !text.includes("subagent"), wire);
    }
  });
});
