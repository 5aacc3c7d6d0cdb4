/** Calls of tools that nobody offered: the model is told so, and no client gets a call that it cannot answer. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import {
  type Api,
  apis,
  calls,
  itemsOf,
  says,
  send,
  type Turns,
  upstreamWires,
  wholeOf,
  withTools,
} from "./rig.ts";

const QUESTION = "What is it like in Rome?";
const parameters = { type: "object", properties: {} } as const;

const functions: Readonly<Record<Api, Json>> = {
  responses: { type: "function", name: "get_weather", parameters },
  chat: { type: "function", function: { name: "get_weather", parameters } },
  messages: { name: "get_weather", input_schema: parameters },
};

function bodyOf(api: Api, more: Json): Json {
  if (api === "responses") return { input: QUESTION, ...more };
  const messages = [{ role: "user", content: QUESTION }];
  return { messages, ...(api === "messages" ? { max_tokens: 1_000 } : {}), ...more };
}

const invented: Turns = (turn) =>
  turn === 0
    ? [calls("launch_rocket", { id: "call_rocket" }), calls("datetime", { id: "call_time" })]
    : [says("Ok")];

for (const wire of upstreamWires) {
  for (const api of apis) {
    Deno.test(`a tool that nobody offered is an error for the model (${wire}, ${api})`, async () => {
      await withTools({}, async ({ gateway, plan, taken }) => {
        for (const own of [[], [functions[api]]]) {
          for (const stream of [false, true]) {
            plan(invented);
            const tools = [{ type: "service:datetime" }, ...own];
            const sent = await send(gateway, {
              api,
              body: bodyOf(api, { model: `mock/${wire}`, tools, stream }),
            });
            assert.equal(sent.status, 200, sent.text);
            assert.ok(!sent.text.includes("launch_rocket"), "the client does not see it");
            assert.ok(sent.text.includes("Ok"), sent.text);
            const [, second] = taken(wire);
            const said = JSON.stringify(second);
            assert.ok(said.includes("There is no tool launch_rocket. There are: datetime"), said);
            assert.equal(said.includes("get_weather."), own.length > 0, "with the client's own");
          }
        }
      });
    });
  }

  Deno.test(`beside a call that the client answers an invented one is left out (${wire})`, async () => {
    await withTools({}, async ({ gateway, plan, taken }) => {
      plan(
        () => [calls("launch_rocket", { id: "call_rocket" }), calls("get_weather", { id: "call_weather" })],
      );
      const tools = [{ type: "service:datetime" }, functions.responses];
      const input = [{ role: "user", content: QUESTION }];
      const model = `mock/${wire}`;
      const output = itemsOf(wholeOf(await send(gateway, { body: { model, input, tools } })));
      const made = output.filter(({ type }) => type === "function_call");
      assert.deepEqual(made.map(({ name }) => name), ["get_weather"]);
      plan(() => [says("Ok")]);
      const answer = { type: "function_call_output", call_id: made[0]?.call_id, output: "Sunny" };
      wholeOf(await send(gateway, { body: { model, input: [...input, ...output, answer], tools } }));
      assert.ok(!JSON.stringify(taken(wire)).includes("launch_rocket"), "and nobody misses its result");
    });
  });
}

Deno.test("a model that makes up tools turn after turn comes to its limit", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    plan((turn) => [calls("launch_rocket", { id: `call_${turn}` })]);
    const body = {
      model: "mock/chat",
      input: QUESTION,
      tools: [{ type: "service:datetime" }],
      max_tool_calls: 3,
    };
    const result = wholeOf(await send(gateway, { body }));
    assert.equal(result.status, "completed");
    assert.deepEqual(itemsOf(result).filter(({ type }) => type !== "reasoning"), []);
    assert.equal(taken("chat").length, 4);
    const { server_tool_use_details: use } = asObject(result.usage);
    assert.deepEqual(use, { tool_calls_requested: 3, tool_calls_executed: 0, web_search_requests: 0 });
  });
});

Deno.test("tools of a namespace, deferred ones and custom ones are the client's", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    const deferred = { ...functions.responses, name: "late", defer_loading: true };
    const custom = { type: "custom", name: "free_text" };
    const namespace = { type: "namespace", name: "crm", description: "x", tools: [functions.responses] };
    const tools = [
      { type: "service:datetime" },
      { type: "service:tool_search" },
      deferred,
      custom,
      namespace,
    ];
    const planned = {
      late: calls("late", { id: "call_1" }),
      free_text: { type: "call", kind: "custom", callId: "call_2", name: "free_text", arguments: "x" },
      get_weather: {
        type: "call",
        kind: "function",
        callId: "call_3",
        name: "get_weather",
        namespace: "crm",
        arguments: "{}",
      },
    } as const;
    for (const [name, call] of Object.entries(planned)) {
      plan(() => [call]);
      const output = itemsOf(
        wholeOf(await send(gateway, { body: { model: "mock/responses", input: QUESTION, tools } })),
      );
      assert.deepEqual(output.filter((item) => "name" in item).map((item) => item.name), [name]);
    }
  });
});
