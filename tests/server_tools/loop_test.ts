/** The loop over the three APIs and the five wires: what clients see, and what providers are sent. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import {
  type Api,
  apis,
  calls,
  eventsOf,
  itemsOf,
  type MockedWire,
  resultOf,
  says,
  send,
  type Sent,
  type ToolRig,
  type Turns,
  upstreamWires,
  wholeOf,
  withTools,
} from "./rig.ts";

const ROME = { timezone: "Europe/Rome" };
const QUESTION = "What time is it in Rome, and in Tokyo?";

/** Two steps of tools, then a text. */
const twoSteps: Turns = (turn) =>
  [
    [calls("datetime", { args: ROME, id: "call_rome" })],
    [says("And Tokyo: "), calls("datetime", { args: { timezone: "Asia/Tokyo" }, id: "call_tokyo" })],
    [says("Done.")],
  ][turn] ?? [says("Too many turns.")];

function bodyOf(api: Api, more: Json): Json {
  if (api === "responses") return { input: QUESTION, ...more };
  const messages = [{ role: "user", content: QUESTION }];
  return { messages, ...(api === "messages" ? { max_tokens: 1_000 } : {}), ...more };
}

/** Strips a result of what differs from one request to the next. */
function comparable(sent: Sent, { api, stream }: { readonly api: Api; readonly stream: boolean }): unknown {
  if (api === "responses") {
    const { id: _id, created_at: _at, completed_at: _done, ...result } = stream
      ? resultOf(sent)
      : wholeOf(sent);
    return withoutIds({ ...result, output: itemsOf(result) });
  }
  if (!stream) return withoutIds(wholeOf(sent));
  return withoutIds(api === "chat" ? chatOf(eventsOf(sent)) : messageOf(eventsOf(sent)));
}

/** Ids, and times to the second. */
function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/(st|msg|gen|fc|rs)[_-][0-9a-z]*mock\d+x/g, "$1_mock_")
    .replace(/(st|msg|rs|gen|resp)[_-][0-9a-f]{32}/g, "$1_")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, "now")
    .replace(/"created":\d+/g, '"created":0');
  return JSON.parse(text);
}

/** The chunks of a chat put together as clients do. */
function chatOf(chunks: readonly Json[]): Json {
  const message: Record<string, unknown> = { role: "assistant", content: null, refusal: null };
  let reason: unknown = null;
  let last: Json = {};
  for (const chunk of chunks) {
    last = chunk;
    for (const choice of Array.isArray(chunk.choices) ? chunk.choices.map(asObject) : []) {
      reason = choice.finish_reason ?? reason;
      const { content, reasoning_details: details } = asObject(choice.delta);
      if (typeof content === "string" && content !== "") {
        message.content = `${message.content ?? ""}${content}`;
      }
      if (Array.isArray(details)) {
        message.reasoning_details = [...(message.reasoning_details as unknown[] ?? []), ...details];
      }
    }
  }
  const { id, created, model, usage, service_tier } = last;
  const choices = [{ index: 0, message, logprobs: null, finish_reason: reason }];
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices,
    system_fingerprint: null,
    usage,
    ...(service_tier === undefined ? {} : { service_tier }),
  };
}

function messageOf(events: readonly Json[]): Json {
  const content: Record<string, unknown>[] = [];
  let message: Json = {};
  for (const event of events) {
    if (event.type === "message_start") message = asObject(event.message);
    if (event.type === "content_block_start") content.push({ ...asObject(event.content_block) });
    const { text } = event.type === "content_block_delta" ? asObject(event.delta) : { text: undefined };
    const block = content.at(-1);
    if (typeof text === "string" && block !== undefined) block.text = `${block.text}${text}`;
    if (event.type === "message_delta") {
      message = { ...message, ...asObject(event.delta), usage: event.usage };
    }
  }
  const { model, ...rest } = message;
  return { ...rest, model, content };
}

async function runTwice({ gateway, plan }: ToolRig, { api, wire }: { api: Api; wire: MockedWire }) {
  const results: unknown[] = [];
  for (const stream of [false, true]) {
    plan(twoSteps);
    const tools = [{ type: "service:datetime" }];
    const body = bodyOf(api, { model: `mock/${wire}`, tools, stream });
    results.push(comparable(await send(gateway, { api, body }), { api, stream }));
  }
  return results;
}

for (const wire of upstreamWires) {
  Deno.test(`a loop of two steps says the same streamed and whole, on every API (${wire})`, async () => {
    await withTools({}, async (rig) => {
      for (const api of apis) {
        const [whole, streamed] = await runTwice(rig, { api, wire });
        assert.deepEqual(streamed, whole, api);
        const bodies = rig.taken(wire);
        assert.equal(bodies.length, 3, "three turns");
        assert.ok(!JSON.stringify(bodies[0]).includes("call_rome"));
        for (const part of ["Europe/Rome", "Asia/Tokyo", "And Tokyo", "+01:00", "+09:00"]) {
          assert.ok(JSON.stringify(bodies[2]).includes(part), `${api}: the last turn is told ${part}`);
        }
      }
    });
  });
}

Deno.test("POST /responses shows each step live, as items in the caller's spelling", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    for (const type of ["service:datetime", "openrouter:datetime"]) {
      plan(twoSteps);
      const body = { model: "mock/chat", input: QUESTION, tools: [{ type }], stream: true };
      const events = eventsOf(await send(gateway, { body }));
      const told = events.map(({ type, item }) => {
        const { type: kind, status } = item === undefined ? { type: "", status: "" } : asObject(item);
        return `${String(type).slice("response.".length)} ${kind} ${status}`.trim();
      }).filter((line) => !/delta|content_part|text\.done/.test(line));
      assert.deepEqual(told, [
        "created",
        "in_progress",
        `output_item.added ${type} in_progress`,
        `output_item.done ${type} completed`,
        "output_item.added message in_progress",
        "output_item.done message completed",
        `output_item.added ${type} in_progress`,
        `output_item.done ${type} completed`,
        "output_item.added message in_progress",
        "output_item.done message completed",
        "completed",
      ]);
      assert.deepEqual(events.map(({ sequence_number }) => sequence_number), events.map((_, at) => at));
      assert.ok(!JSON.stringify(events).includes("function_call"), "the model's own call is not shown");
    }
  });
});

Deno.test("usage is the sum over the turns, with the calls of tools counted", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    plan(twoSteps);
    const body = { model: "mock/responses", input: QUESTION, tools: [{ type: "service:datetime" }] };
    const { usage } = wholeOf(await send(gateway, { body }));
    const { input_tokens, output_tokens, total_tokens, cost, server_tool_use_details } = asObject(usage);
    assert.deepEqual({ input_tokens, output_tokens, total_tokens, cost, server_tool_use_details }, {
      input_tokens: 300,
      output_tokens: 30,
      total_tokens: 330,
      cost: 0.00036,
      server_tool_use_details: { tool_calls_requested: 2, tool_calls_executed: 2, web_search_requests: 0 },
    });
  });
});

const weather = {
  type: "function",
  name: "get_weather",
  parameters: { type: "object", properties: {}, additionalProperties: false },
} as const;

for (const wire of upstreamWires) {
  Deno.test(`server calls run before the client is asked, and the next request is taken (${wire})`, async () => {
    await withTools({}, async ({ gateway, plan, taken }) => {
      plan(
        () => [
          calls("datetime", { args: ROME, id: "call_time" }),
          calls("get_weather", { id: "call_weather" }),
        ],
      );
      const tools = [{ type: "service:datetime" }, weather];
      const input = [{ role: "user", content: QUESTION }];
      const first = wholeOf(await send(gateway, { body: { model: `mock/${wire}`, input, tools } }));
      const output = itemsOf(first);
      const [time, call] = output.filter(({ type }) => type !== "reasoning");
      assert.deepEqual([time, call].map((item) => item ?? {}).map(({ type, status }) => [type, status]), [
        ["service:datetime", "completed"],
        ["function_call", "completed"],
      ]);
      plan(() => [says("It is sunny.")]);
      const answer = { type: "function_call_output", call_id: call?.call_id, output: "Sunny" };
      const body = { model: `mock/${wire}`, input: [...input, ...output, answer], tools };
      const second = wholeOf(await send(gateway, { body }));
      assert.equal(second.status, "completed");
      const [sent] = taken(wire).map((one) => JSON.stringify(one));
      for (const part of ["datetime", "Europe/Rome", String(time?.datetime), "get_weather", "Sunny"]) {
        assert.ok(sent?.includes(part), `the model is told ${part}`);
      }
      assert.ok(!sent?.includes("The time was"), "in calls and results, not in words");
    });
  });

  Deno.test(`a replayed loop is what the model was sent in its last turn (${wire})`, async () => {
    await withTools({}, async ({ gateway, plan, taken }) => {
      plan((turn) =>
        turn === 0
          ? [
            calls("datetime", { args: ROME, id: "call_a" }),
            calls("search_models", { args: { query: "mock" }, id: "call_b" }),
          ]
          : twoSteps(turn, {})
      );
      const tools = [{ type: "service:datetime" }, { type: "service:search_models" }];
      const input = [{ role: "user", content: QUESTION }];
      const model = `mock/${wire}`;
      const output = itemsOf(wholeOf(await send(gateway, { body: { model, input, tools } })));
      const last = taken(wire).at(-1) ?? {};
      plan(() => [says("Again.")]);
      const again = [...input, ...output, { role: "user", content: "Thanks" }];
      wholeOf(await send(gateway, { body: { model, input: again, tools } }));
      const [replayed = {}] = taken(wire);
      const before = conversationOf(last);
      assert.deepEqual(conversationOf(replayed).slice(0, before.length), before);
    });
  });
}

/** The turns of a request to a provider, without ids that the wire does not take back. */
function conversationOf(body: Json): readonly unknown[] {
  const turns = body.input ?? body.messages ?? body.contents;
  assert(Array.isArray(turns));
  const text = JSON.stringify(turns).replace(/"id":"fc_[^"]*",/g, "").replace(/,"status":"completed"/g, "")
    .replace(/"type":"message","id":"msg_[^"]*"/g, '"type":"message"').replace(/,"annotations":\[\]/g, "");
  return JSON.parse(text);
}

Deno.test("chat tells of server tools in reasoning_details, and takes them back", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    plan(twoSteps);
    const messages = [{ role: "user", content: QUESTION }];
    const tools = [{ type: "openrouter:datetime" }];
    const body = { model: "mock/messages", messages, tools };
    const { choices } = wholeOf(await send(gateway, { api: "chat", body }));
    assert(Array.isArray(choices));
    const { message } = asObject(choices[0]);
    const { reasoning_details: details, content } = asObject(message);
    assert.equal(content, "And Tokyo: Done.");
    assert(Array.isArray(details));
    assert.deepEqual(details.map((one) => [one.type, one.tool_name, one.tool_call_id, one.arguments]), [
      ["reasoning.server_tool_call", "datetime", "call_rome", '{"timezone":"Europe/Rome"}'],
      ["reasoning.server_tool_call", "datetime", "call_tokyo", '{"timezone":"Asia/Tokyo"}'],
    ]);
    plan(() => [says("Bye.")]);
    const again = [...messages, message, { role: "user", content: "Thanks" }];
    wholeOf(await send(gateway, { api: "chat", body: { ...body, messages: again } }));
    const sent = JSON.stringify(taken("messages")[0]);
    for (const part of ["tool_use", "tool_result", "call_rome", "call_tokyo", "+09:00"]) {
      assert.ok(sent.includes(part), part);
    }
  });
});

Deno.test("a name that the client's function has is the client's", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    plan((turn) => turn === 0 ? [calls("service_datetime", { args: ROME })] : [calls("datetime")]);
    const own = { ...weather, name: "datetime" };
    const body = { model: "mock/chat", input: QUESTION, tools: [own, { type: "service:datetime" }] };
    const output = itemsOf(wholeOf(await send(gateway, { body })));
    assert.deepEqual(output.map(({ type }) => type), ["service:datetime", "function_call"]);
    const [first = {}] = taken("chat");
    assert(Array.isArray(first.tools));
    assert.deepEqual(first.tools.map(({ function: { name } }) => name), ["datetime", "service_datetime"]);
  });
});

Deno.test("debug shows the upstream body of each turn, in order", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    for (const api of ["responses", "chat"] as const) {
      plan(twoSteps);
      const more = {
        model: "mock/chat",
        tools: [{ type: "service:datetime" }],
        stream: true,
        debug: { echo_upstream_body: true },
      };
      const events = eventsOf(await send(gateway, { api, body: bodyOf(api, more) }));
      const bodies = events.flatMap(({ debug }) =>
        debug === undefined ? [] : asObject(debug).echo_upstream_body
      );
      const lengths = bodies.map((body) => {
        const { messages } = asObject(body);
        return Array.isArray(messages) ? messages.length : 0;
      });
      assert.deepEqual(lengths, [1, 3, 5], api);
    }
  });
});

Deno.test("the routing metadata says what ran, and names tools that nobody can run", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    plan(twoSteps);
    const tools = [{ type: "service:datetime" }, { type: "service:web_search" }, {
      type: "openrouter:bash",
      engine: "openrouter",
    }];
    const body = { model: "mock/chat", input: QUESTION, tools };
    const headers = { "x-service-metadata": "enabled" };
    const { service_metadata } = wholeOf(await send(gateway, { body, headers }));
    const { pipeline, params, attempt } = asObject(service_metadata);
    assert.deepEqual(pipeline, [{
      type: "server_tools",
      name: "server-tools",
      summary: "Ran 2 calls of datetime.",
      data: { mode: "sdk", tools: ["datetime"], calls: 2 },
    }]);
    assert.deepEqual(asObject(params).dropped, ["tool service:web_search", "tool openrouter:bash"]);
    assert.equal(attempt, 3);
  });
});
