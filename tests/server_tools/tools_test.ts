/** Each tool through the API: what it is told, what it answers, and who may use it. */

import assert from "node:assert/strict";
import { receiptOf } from "../money/rig.ts";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import { managed } from "../support/manage.ts";
import {
  calls,
  eventsOf,
  itemsOf,
  says,
  send,
  type ToolRig,
  upstreamWires,
  wholeOf,
  withTools,
} from "./rig.ts";

const input = "Do it.";

/** The item of one call, and what the model was told of it. */
async function callOnce(
  { gateway, plan, taken }: ToolRig,
  { tool, name, args }: { readonly tool: Json; readonly name: string; readonly args: Json | string },
) {
  plan((turn) => turn === 0 ? [calls(name, { args })] : [says("Done.")]);
  const sent = await send(gateway, { body: { model: "mock/chat", input, tools: [tool] } });
  const [item = {}] = itemsOf(wholeOf(sent));
  const { messages } = taken("chat").at(-1) ?? {};
  assert(Array.isArray(messages));
  const told: unknown = messages.find(({ role }) => role === "tool")?.content;
  return { sent, item, told: asObject(JSON.parse(String(told))) };
}

Deno.test("datetime tells the time of a zone, and what is wrong with one that it does not know", async () => {
  await withTools({}, async (rig) => {
    const tool = { type: "service:datetime", parameters: { timezone: "Asia/Kolkata" } };
    const own = await callOnce(rig, { tool, name: "datetime", args: {} });
    assert.equal(own.told.timezone, "Asia/Kolkata");
    assert.match(String(own.item.datetime), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/);
    const flat = { type: "openrouter:datetime", timezone: "America/New_York" };
    assert.equal(
      (await callOnce(rig, { tool: flat, name: "datetime", args: {} })).told.timezone,
      "America/New_York",
    );
    const odd = await callOnce(rig, { tool, name: "datetime", args: { timezone: "Mars/Base" } });
    assert.equal(odd.item.status, "incomplete");
    assert.match(String(odd.told.error), /Mars\/Base is no IANA time zone/);
    const broken = await callOnce(rig, { tool, name: "datetime", args: "{not json" });
    assert.match(String(broken.told.error), /not a JSON object/);
  });
});

Deno.test("search_models finds models of the catalog", async () => {
  await withTools({}, async (rig) => {
    const tool = { type: "openrouter:experimental__search_models", max_results: 2 };
    const args = { query: "mock", max_results: 10 };
    const { item, told } = await callOnce(rig, { tool, name: "search_models", args });
    assert.equal(item.type, "openrouter:experimental__search_models");
    assert.equal(item.query, "mock");
    assert(Array.isArray(told.models));
    assert.equal(told.models.length, 2, "no more than the client allows");
    for (const { id, context_length, pricing } of told.models) {
      assert.match(id, /^mock\//);
      assert.equal(context_length, 128_000);
      assert.deepEqual(pricing, { prompt: "0.000001", completion: "0.000002" });
    }
  });
});

Deno.test("search_models finds a family's models, and no simulated one among them", async () => {
  const env = { TOLLGATE_LOCAL: "on", TOLLGATE_FAULT_LAB: "on" };
  await withTools({ env, model: { tokenizer: "GPT" } }, async (rig) => {
    const tool = { type: "service:search_models" };
    const cases: readonly (readonly [args: Json, ids: RegExp])[] = [
      [{ query: "gpt" }, /^mock\//],
      [{ series: "gpt" }, /^mock\//],
      [{ query: "fault 500" }, /^(?:fault|mock)\//],
      [{ series: "other", max_results: 20 }, /^(?:local|fault)\//],
    ];
    for (const [args, ids] of cases) {
      const { told } = await callOnce(rig, { tool, name: "search_models", args });
      assert(Array.isArray(told.models) && told.models.length > 0, JSON.stringify(args));
      for (const { id } of told.models) assert.match(id, ids, JSON.stringify(args));
    }
  });
});

const deferred = (name: string, description: string) => ({
  type: "function",
  name,
  description,
  parameters: { type: "object", properties: {} },
  defer_loading: true,
});

for (const wire of upstreamWires) {
  Deno.test(`tool_search offers what it finds from the next turn on (${wire})`, async () => {
    await withTools({}, async ({ gateway, plan, taken }) => {
      plan((turn) =>
        turn === 0 ? [calls("tool_search", { args: { query: "weather forecast" } })] : [calls("get_weather")]
      );
      const tools = [
        { type: "service:tool_search" },
        deferred("get_weather", "The weather forecast of a city."),
        deferred("send_mail", "Sends an e-mail."),
      ];
      const ask = [{ role: "user", content: input }];
      const plain = { type: "function", name: "plain", parameters: { type: "object", properties: {} } };
      const body = { model: `mock/${wire}`, input: ask, tools: [...tools, plain] };
      const output = itemsOf(wholeOf(await send(gateway, { body })));
      const kinds = output.map(({ type }) => type).filter((type) => type !== "reasoning");
      assert.deepEqual(kinds, ["service:tool_search", "function_call"]);
      const [first, second] = taken(wire).map((one) => JSON.stringify(one.tools ?? one.toolConfig));
      assert.ok(!first?.includes("get_weather") && first?.includes("plain"), "deferred ones are not offered");
      assert.ok(
        second?.includes("get_weather") && !second?.includes("send_mail"),
        "what was found is offered",
      );
      assert.ok(!second?.includes("defer_loading"));
      plan(() => [says("Sunny.")]);
      const call = output.find(({ type }) => type === "function_call");
      const answer = { type: "function_call_output", call_id: call?.call_id, output: "Sunny" };
      await send(gateway, { body: { ...body, input: [...ask, ...output, answer] } });
      const again = JSON.stringify(taken(wire)[0]?.tools ?? taken(wire)[0]?.toolConfig);
      assert.ok(again.includes("get_weather") && !again.includes("send_mail"), "and stays found");
    });
  });

  Deno.test(`apply_patch is the client's to carry out (${wire})`, async () => {
    await withTools({}, async ({ gateway, plan, taken }) => {
      const operation = { type: "update_file", path: "a.txt", diff: "@@\n-a\n+b\n" };
      for (const type of ["service:apply_patch", "apply_patch"]) {
        if (type === "apply_patch" && wire === "responses") continue;
        plan(() => [calls("apply_patch", { args: operation, id: "call_patch" })]);
        const ask = [{ role: "user", content: input }];
        const body = { model: `mock/${wire}`, input: ask, tools: [{ type }] };
        const output = itemsOf(wholeOf(await send(gateway, { body })));
        const item = output.find((one) => one.type !== "reasoning");
        assert.equal(item?.type, type === "apply_patch" ? "apply_patch_call" : type);
        assert.deepEqual([item?.status, item?.operation, item?.call_id], [
          "completed",
          operation,
          "call_patch",
        ]);
        assert.equal(taken(wire).length, 1, "the turn ends there");
        plan(() => [says("Patched.")]);
        const answer = {
          type: "apply_patch_call_output",
          call_id: item?.call_id,
          status: "completed",
          output: "Done well",
        };
        const next = await send(gateway, { body: { ...body, input: [...ask, ...output, answer] } });
        assert.equal(wholeOf(next).status, "completed");
        const told = JSON.stringify(taken(wire)[0]);
        for (const part of ["apply_patch", "a.txt", "Done well"]) assert.ok(told.includes(part), part);
      }
    });
  });
}

Deno.test("apply_patch streams its diff, and is a tool call on chat and Messages", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    const operation = { type: "create_file", path: "a.txt", diff: "+a\n" };
    plan(() => [calls("apply_patch", { args: operation, id: "call_patch" })]);
    const body = { model: "mock/chat", input, tools: [{ type: "service:apply_patch" }], stream: true };
    const events = eventsOf(await send(gateway, { body }));
    const diffs = events.filter(({ type }) => String(type).includes("operation_diff"));
    assert.deepEqual(diffs.map(({ delta, diff }) => delta ?? diff), ["+a\n", "+a\n"]);
    const said = { model: "mock/chat", messages: [{ role: "user", content: input }], tools: body.tools };
    plan(() => [calls("apply_patch", { args: operation, id: "call_patch" })]);
    const { choices } = wholeOf(await send(gateway, { api: "chat", body: said }));
    assert(Array.isArray(choices));
    const { message, finish_reason } = asObject(choices[0]);
    assert.equal(finish_reason, "tool_calls");
    assert.deepEqual(asObject(message).tool_calls, [{
      id: "call_patch",
      type: "function",
      function: { name: "apply_patch", arguments: JSON.stringify(operation) },
    }]);
    plan(() => [calls("apply_patch", { args: operation, id: "call_patch" })]);
    const { content, stop_reason } = wholeOf(
      await send(gateway, { api: "messages", body: { ...said, max_tokens: 100 } }),
    );
    assert.equal(stop_reason, "tool_use");
    assert.deepEqual(content, [{
      type: "tool_use",
      id: "call_patch",
      name: "apply_patch",
      input: operation,
    }]);
  });
});

Deno.test("arguments of a patch that say nothing are a result, and the model may try again", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    plan((turn) => turn === 0 ? [calls("apply_patch", { args: { type: "move" } })] : [says("Sorry.")]);
    const body = { model: "mock/chat", input, tools: [{ type: "service:apply_patch" }] };
    const output = itemsOf(wholeOf(await send(gateway, { body })));
    assert.deepEqual(output.map(({ type, status }) => [type, status]), [
      ["service:apply_patch", "incomplete"],
      ["message", "completed"],
    ]);
  });
});

Deno.test("image_generation has another model draw, paid and noted as a call of its own", async () => {
  await withTools({ env: { TOLLGATE_LOCAL: "on" } }, async ({ gateway, plan }) => {
    for (const type of ["service:image_generation", "image_generation"]) {
      plan((turn) =>
        turn === 0 ? [calls("image_generation", { args: { prompt: "A red house" } })] : [says("There.")]
      );
      const body = { model: "mock/chat", input, tools: [{ type, size: "1024x1024" }] };
      const sent = await send(gateway, { body });
      const [image = {}, text] = itemsOf(wholeOf(sent));
      assert.equal(image.type, type === "image_generation" ? "image_generation_call" : type);
      assert.equal(image.status, "completed");
      assert.ok(String(image.result).length > 1_000);
      assert.equal(text?.type, "message");
      const receipt = await receiptOf(gateway, new Response(null, { headers: sent.headers }));
      assert.deepEqual(
        receipt.calls?.map(({ step, purpose, model, status }) => [step, purpose, model, status]),
        [
          [1, "model", "mock/chat", "completed"],
          [1, "tool:image_generation", "local/image", "completed"],
          [2, "model", "mock/chat", "completed"],
        ],
      );
      assert.equal(receipt.model, "mock/chat");
    }
  });
});

Deno.test("image_generation shows its image on chat and Messages, and tells why there is none", async () => {
  await withTools({ env: { TOLLGATE_LOCAL: "on" } }, async ({ gateway, plan }) => {
    const draw = (turn: number) =>
      turn === 0 ? [calls("image_generation", { args: { prompt: "A house" } })] : [says("There.")];
    const tools = [{ type: "service:image_generation" }];
    const said = { model: "mock/chat", messages: [{ role: "user", content: input }], tools };
    plan(draw);
    const { choices } = wholeOf(await send(gateway, { api: "chat", body: said }));
    assert(Array.isArray(choices));
    const { images } = asObject(asObject(choices[0]).message);
    assert(Array.isArray(images));
    assert.match(images[0].image_url.url, /^data:image\/\w+;base64,/);
    plan(draw);
    const message = wholeOf(await send(gateway, { api: "messages", body: { ...said, max_tokens: 500 } }));
    assert(Array.isArray(message.content));
    assert.deepEqual(message.content.map(({ type }) => type), ["image", "text"]);
    for (const model of ["mock/nothing", "mock/chat"]) {
      plan((turn) => turn === 1 && model === "mock/chat" ? [says("I cannot draw.")] : draw(turn));
      const body = { model: "mock/messages", input, tools: [{ type: "service:image_generation", model }] };
      const [item] = itemsOf(wholeOf(await send(gateway, { body })));
      assert.equal(item?.status, "failed", model);
      const { status, error } = asObject(JSON.parse(String(item?.output)));
      assert.deepEqual([status, error], ["error", item?.error], model);
    }
  });
});

Deno.test("image_generation draws where the request's provider preferences allow it, and nowhere else", async () => {
  await withTools({ env: { TOLLGATE_LOCAL: "on" } }, async ({ gateway, plan }) => {
    const tools = [[{ type: "service:image_generation" }], [{
      type: "image_generation",
      model: "local/image",
    }]];
    for (const provider of [{ only: ["mock-chat"] }, { only: ["mock-chat", "local"] }]) {
      for (const own of tools) {
        plan((turn) =>
          turn === 0 ? [calls("image_generation", { args: { prompt: "A house" } })] : [says("There.")]
        );
        const sent = await send(gateway, { body: { model: "mock/chat", input, tools: own, provider } });
        const [image] = itemsOf(wholeOf(sent));
        const mayDraw = provider.only.includes("local");
        assert.equal(image?.status, mayDraw ? "completed" : "failed", JSON.stringify(provider));
        const receipt = await receiptOf(gateway, sent);
        const drawn = receipt.calls?.filter(({ model, status }) =>
          model === "local/image" && status === "completed"
        );
        assert.equal(drawn?.length, mayDraw ? 1 : 0);
      }
    }
  });
});

Deno.test("a tool without an engine is not offered, and 400 where it is forced", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    for (const type of ["service:web_search", "openrouter:bash", "service:apply_patch"]) {
      plan(() => [says("Hi.")]);
      const engine = type.endsWith("bash") || type.endsWith("patch") ? "container" : undefined;
      const body = { model: "mock/chat", input, tools: [{ type, engine }] };
      wholeOf(await send(gateway, { body }));
      assert.equal(taken("chat")[0]?.tools, undefined);
      const forced = await send(gateway, { body: { ...body, tool_choice: { type } } });
      assert.equal(forced.status, 400);
      assert.ok(forced.text.includes(type) && forced.text.includes("tool_choice"), forced.text);
    }
  });
});

Deno.test("a workspace's disabled_server_tools are 403, by every name", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    // There is no search engine here, so that only a provider could run the search.
    const disabled_server_tools = ["openrouter:datetime", "image_generation", "service:web_search"];
    const changes = { call: "PATCH /workspaces/default", body: { disabled_server_tools } };
    assert.equal((await managed(gateway, changes)).status, 200);
    plan(() => [says("Hi.")]);
    const named = ["service:datetime", "openrouter:datetime", "image_generation", "service:web_search"];
    for (const type of [...named, "web_search", "web_search_preview"]) {
      for (const wire of upstreamWires) {
        const sent = await send(gateway, { body: { model: `mock/${wire}`, input, tools: [{ type }] } });
        assert.equal(sent.status, 403, sent.text);
        assert.ok(sent.text.includes(type), sent.text);
      }
    }
    const body = { model: "mock/chat", input, tools: [{ type: "service:search_models" }] };
    assert.equal((await send(gateway, { body })).status, 200);
  });
});

Deno.test("unknown values and wrong types of a tool's options are 400 with their path", async () => {
  await withTools({}, async ({ gateway }) => {
    const wrong: readonly (readonly [Json, string])[] = [
      [{ type: "service:datetime", timezone: 5 }, "tools[0].timezone"],
      [{ type: "service:datetime", parameters: { timezone: [] } }, "tools[0].parameters.timezone"],
      [{ type: "service:search_models", max_results: 21 }, "tools[0].max_results"],
      [{ type: "service:tool_search", parameters: { max_results: 0 } }, "tools[0].parameters.max_results"],
      [{ type: "service:apply_patch", engine: "exa" }, "tools[0].engine"],
      [{ type: "service:image_generation", model: 1 }, "tools[0].model"],
    ];
    for (const [tool, path] of wrong) {
      const sent = await send(gateway, { body: { model: "mock/chat", input, tools: [tool] } });
      assert.equal(sent.status, 400, path);
      assert.ok(sent.text.includes(path), sent.text);
    }
  });
});

Deno.test("receipts of loops agree with GET /generation, GET /receipts and analytics", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    plan((turn) => turn < 3 ? [calls("datetime", { id: `call_${turn}` })] : [says("Done.")]);
    const body = { model: "mock/chat", input, tools: [{ type: "service:datetime" }] };
    const sent = await send(gateway, { body });
    const usage = asObject(wholeOf(sent).usage);
    const receipt = await receiptOf(gateway, new Response(null, { headers: sent.headers }));
    const authorization = `Bearer ${gateway.managementKey}`;
    const get = async (path: string) =>
      asObject(await (await fetch(`${gateway.url}/v1${path}`, { headers: { authorization } })).json());
    const generation = asObject((await get(`/generation?id=${receipt.id}`)).data);
    assert.equal(generation.total_cost, usage.cost);
    assert.equal(generation.tokens_prompt, usage.input_tokens);
    assert.equal(generation.tokens_completion, usage.output_tokens);
    assert(Array.isArray(generation.calls));
    assert.deepEqual(generation.calls.map(({ purpose, cost }) => [purpose, cost]), [
      ["model", 0.00012],
      ["tool:datetime", 0],
      ["model", 0.00012],
      ["tool:datetime", 0],
      ["model", 0.00012],
      ["tool:datetime", 0],
      ["model", 0.00012],
    ]);
    assert.ok(asObject(generation.route_input).tokens !== undefined);
    const listed = await get("/receipts");
    assert(Array.isArray(listed.data));
    assert.deepEqual(listed.data[0].calls, generation.calls);
    assert.equal(listed.data[0].cost, usage.cost);
    const query = { metrics: ["request_count", "total_usage", "tokens_total"], granularity: "day" };
    const day = 86_400_000;
    const range = {
      start: new Date(Date.now() - day).toISOString(),
      end: new Date(Date.now() + day).toISOString(),
    };
    const answer = await managed(gateway, {
      call: "POST /analytics/query",
      body: { ...query, time_range: range },
    });
    const { data } = asObject(answer.body.data ?? answer.body);
    assert(Array.isArray(data));
    const [row] = data.map(asObject);
    assert.deepEqual([row?.request_count, row?.total_usage, row?.tokens_total].map(Number), [
      1,
      usage.cost,
      usage.total_tokens,
    ]);
  });
});
