/** Where a loop ends: calls, conditions, money, tokens. Each limit at each place. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { receiptOf } from "../money/rig.ts";
import { asObject } from "../support/event_stream.ts";
import {
  apis,
  calls,
  counts,
  eventsOf,
  itemsOf,
  responseOf,
  says,
  send,
  type ToolRig,
  type Turns,
  upstreamWires,
  wholeOf,
  withTools,
} from "./rig.ts";

const tools = [{ type: "service:datetime" }];
const input = "What time is it?";

/** Calls the tool until it may not any more. */
const eager: Turns = (turn, body) =>
  mayCall(body) ? [calls("datetime", { id: `call_${turn}` })] : [says(`Done after ${turn}.`)];

/** Whether the request lets its model call anything, in the words of each wire. */
function mayCall({ tool_choice: choice, tools, toolConfig }: Json): boolean {
  if (typeof choice === "string") return choice !== "none";
  if (asObject(choice ?? {}).type === "none") return false;
  const { tools: specs, functionCallingConfig } = asObject(toolConfig ?? {});
  if (asObject(functionCallingConfig ?? {}).mode === "NONE") return false;
  // Bedrock has no word for it: tools of earlier turns are named, and not described.
  return tools !== undefined || JSON.stringify(specs ?? []).includes("description");
}

const types = (result: Json) =>
  itemsOf(result).map(({ type }) => type).filter((type) => type !== "reasoning");
const ran = (result: Json) => types(result).filter((type) => type === "service:datetime").length;

for (const wire of upstreamWires) {
  Deno.test(`30 steps are the most, and a last turn without tools follows (${wire})`, async () => {
    await withTools({}, async ({ gateway, plan, taken }) => {
      plan(eager);
      const model = `mock/${wire}`;
      const result = wholeOf(await send(gateway, { body: { model, input, tools } }));
      assert.equal(result.status, "completed");
      assert.equal(ran(result), 30);
      assert.equal(taken(wire).length, 31);
      const last = itemsOf(result).at(-1);
      assert.ok(JSON.stringify(last).includes("Done after 30."));
    });
  });
}

Deno.test("max_tool_calls: calls beyond it are told so, and the turn after them is the last", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    for (const most of [1, 2, 5]) {
      plan((turn, body) =>
        mayCall(body)
          ? [0, 1, 2].map((index) => calls("datetime", { id: `call_${turn}_${index}` }))
          : [says("Done.")]
      );
      const body = { model: "mock/chat", input, tools, max_tool_calls: most };
      const result = wholeOf(await send(gateway, { body }));
      const bodies = taken("chat");
      const turns = Math.ceil(most / 3);
      assert.equal(bodies.length, turns + 1);
      const items = itemsOf(result).filter(({ type }) => type === "service:datetime");
      assert.equal(items.length, turns * 3);
      assert.equal(items.filter(({ status }) => status === "completed").length, most);
      const refused = JSON.stringify(bodies.at(-1)).match(/limit reached/g) ?? [];
      assert.equal(refused.length, turns * 3 - most);
      const { usage } = result;
      assert.deepEqual(asObject(asObject(usage).server_tool_use_details), {
        tool_calls_requested: turns * 3,
        tool_calls_executed: most,
        web_search_requests: 0,
      });
    }
    const refused = await send(gateway, { body: { model: "mock/chat", input, tools, max_tool_calls: 0 } });
    assert.equal(refused.status, 400);
    assert.ok(refused.text.includes("max_tool_calls"));
  });
});

for (const wire of upstreamWires) {
  Deno.test(`limits.loop_turns stands above every condition of a request, and is told (${wire})`, async () => {
    await withTools({ limits: { loop_turns: 3 } }, async ({ gateway, plan, taken }) => {
      const headers = { "x-service-metadata": "enabled" };
      for (const stream of [false, true]) {
        plan(eager);
        const stop = [{ type: "step_count_is", step_count: 1_000 }];
        const model = `mock/${wire}`;
        const body = { model, input, tools, stop_server_tools_when: stop, stream };
        const sent = await send(gateway, { body, headers });
        const result = responseOf(sent);
        assert.equal(result.status, "completed");
        assert.equal(ran(result), 3, "calls that wait have run");
        assert.equal(taken(wire).length, 4, "one last turn");
        const { pipeline } = asObject(result.service_metadata);
        assert(Array.isArray(pipeline));
        const { summary, data } = asObject(pipeline[0]);
        assert.equal(summary, "Ran 3 calls of datetime. limits.loop_turns was reached.");
        assert.equal(asObject(data).limit, "limits.loop_turns");
        const logged = gateway.logged.filter((line) => line.includes("reached its limit of turns"));
        assert.equal(logged.length, stream ? 2 : 1);
        assert.ok(logged.every((line) => line.includes('"setting":"limits.loop_turns"')), logged[0]);
      }
    });
  });
}

Deno.test("the routing metadata tells which limit of the request ended a loop, and none where its model did", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    const headers = { "x-service-metadata": "enabled" };
    const limits = {
      max_tool_calls: { max_tool_calls: 1 },
      stop_server_tools_when: { stop_server_tools_when: [{ type: "step_count_is", step_count: 1 }] },
      none: {},
    };
    for (const [limit, more] of Object.entries(limits)) {
      plan((turn, body) => limit === "none" && turn === 1 ? [says("Done.")] : eager(turn, body));
      const body = { model: "mock/chat", input, tools, ...more };
      const { service_metadata } = wholeOf(await send(gateway, { body, headers }));
      const { pipeline } = asObject(service_metadata);
      assert(Array.isArray(pipeline));
      assert.equal(asObject(asObject(pipeline[0]).data).limit, limit === "none" ? undefined : limit);
    }
  });
});

/** A condition that holds after so many turns; each costs 110 tokens and 0.00012 USD. */
const conditions: Readonly<Record<string, (turns: number) => Json>> = {
  step_count_is: (turns) => ({ type: "step_count_is", step_count: turns }),
  max_tokens_used: (turns) => ({ type: "max_tokens_used", max_tokens: turns * 110 }),
  max_cost: (turns) => ({ type: "max_cost", max_cost_in_dollars: turns * 12 / 100_000 }),
};

for (const [name, condition] of Object.entries(conditions)) {
  Deno.test(`stop_server_tools_when ${name} ends the loop at each place`, async () => {
    await withTools({}, async ({ gateway, plan, taken }) => {
      for (const turns of [1, 2, 3, 7, 40]) {
        plan(eager);
        const body = { model: "mock/chat", input, tools, stop_server_tools_when: [condition(turns)] };
        const result = wholeOf(await send(gateway, { body }));
        assert.equal(ran(result), turns, "pending calls have run");
        assert.equal(taken("chat").length, turns + 1, "one last turn");
        assert.equal(types(result).at(-1), "message");
      }
    });
  });
}

Deno.test("stop_server_tools_when has_tool_call knows each name of a tool", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    for (const tool_name of ["datetime", "service:datetime", "openrouter:datetime"]) {
      plan((turn, body) =>
        turn < 2 && mayCall(body)
          ? [calls("search_models", { args: { query: "mock" }, id: `call_${turn}` })]
          : eager(turn, body)
      );
      const both = [...tools, { type: "service:search_models" }];
      const stop = [{ type: "has_tool_call", tool_name }];
      const body = { model: "mock/chat", input, tools: both, stop_server_tools_when: stop };
      const result = wholeOf(await send(gateway, { body }));
      assert.deepEqual(types(result), [
        "service:search_models",
        "service:search_models",
        "service:datetime",
        "message",
      ]);
    }
  });
});

Deno.test("stop_server_tools_when finish_reason_is ends the loop where the reason is that tools were called", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    for (const [reason, expected] of [["tool_calls", 1], ["length", 3]] as const) {
      plan((turn, body) => turn < 3 ? eager(turn, body) : [says("Enough.")]);
      const stop = [{ type: "finish_reason_is", reason }];
      const body = { model: "mock/chat", input, tools, stop_server_tools_when: stop };
      assert.equal(ran(wholeOf(await send(gateway, { body }))), expected);
    }
  });
});

Deno.test("any of several conditions ends the loop, and max_tool_calls is ignored beside them", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    plan(eager);
    const stop = [{ type: "step_count_is", step_count: 9 }, { type: "max_tokens_used", max_tokens: 400 }];
    const body = { model: "mock/chat", input, tools, max_tool_calls: 1, stop_server_tools_when: stop };
    assert.equal(ran(wholeOf(await send(gateway, { body }))), 4);
  });
});

for (const wire of upstreamWires) {
  Deno.test(`a forced call is made once (${wire})`, async () => {
    await withTools({}, async ({ gateway, plan, taken }) => {
      const forced = ["required", { type: "service:datetime" }, {
        type: "allowed_tools",
        mode: "required",
        tools: [{ type: "service:datetime" }],
      }];
      for (const tool_choice of forced) {
        plan((turn) => turn === 0 ? [calls("datetime")] : [says("Done.")]);
        const body = { model: `mock/${wire}`, input, tools, tool_choice };
        const result = wholeOf(await send(gateway, { body }));
        assert.equal(ran(result), 1);
        const [first = {}, second = {}] = taken(wire);
        assert.equal(taken(wire).length, 2);
        assert.ok(forces(first), `the first turn is forced: ${JSON.stringify(first.tool_choice)}`);
        assert.ok(!forces(second), `the second is not: ${JSON.stringify(second.tool_choice)}`);
        assert.ok(mayCall(second));
      }
    });
  });
}

/** Whether a request forces a call, in the words of each wire. */
function forces({ tool_choice: choice, toolConfig }: Json): boolean {
  if (typeof choice === "string") return choice === "required";
  const { functionCallingConfig, toolChoice } = asObject(toolConfig ?? {});
  const { auto: _auto, ...forced } = asObject(toolChoice ?? {});
  const { type, mode } = asObject(choice ?? {});
  return asObject(functionCallingConfig ?? {}).mode === "ANY" || Object.keys(forced).length > 0 ||
    type === "function" || type === "any" || type === "tool" || mode === "required";
}

Deno.test("tool_choice none and lists of allowed tools stay as they are", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    plan(() => [says("Nothing to call.")]);
    await send(gateway, { body: { model: "mock/chat", input, tools, tool_choice: "none" } });
    assert.equal(taken("chat")[0]?.tool_choice, "none");
    plan((turn) => turn < 2 ? [calls("datetime", { id: `call_${turn}` })] : [says("Done.")]);
    const both = [...tools, { type: "service:search_models" }];
    const allowed = { type: "allowed_tools", mode: "auto", tools: [{ type: "service:datetime" }] };
    const body = { model: "mock/chat", input, tools: both, tool_choice: allowed };
    wholeOf(await send(gateway, { body }));
    for (const { tools } of taken("chat")) {
      assert(Array.isArray(tools));
      assert.deepEqual(tools.map(({ function: { name } }) => name), ["datetime"]);
    }
  });
});

Deno.test("max_output_tokens holds over the turns", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    plan(eager);
    const body = { model: "mock/chat", input, tools, max_output_tokens: 35 };
    const result = wholeOf(await send(gateway, { body }));
    assert.deepEqual(taken("chat").map(({ max_completion_tokens }) => max_completion_tokens), [
      35,
      25,
      15,
      5,
    ]);
    assert.equal(result.status, "incomplete");
    assert.deepEqual(result.incomplete_details, { reason: "max_output_tokens" });
    assert.equal(ran(result), 4, "what was called has run");
    plan((turn) =>
      turn === 0
        ? [calls("datetime")]
        : { items: [says("Cut")], finish: "length", counts: { ...counts, output: 25 }, pieces: [9] }
    );
    assert.equal(wholeOf(await send(gateway, { body })).status, "incomplete");
    assert.equal(taken("chat").length, 2, "a turn that was cut short is the last");
  });
});

/** Runs under a limit in USD, and tells how many turns were paid. */
async function runWithMoney(
  { gateway, plan, taken }: ToolRig,
  { limit, stream }: { readonly limit: number; readonly stream: boolean },
) {
  plan(eager);
  const body = { model: "mock/chat", input, tools, max_output_tokens: 2_000, stream };
  const key = await gateway.addKey({ kind: "api", limit });
  const sent = await send(gateway, { key, body });
  return { sent, key, turns: taken("chat").length };
}

/** Each turn reserves more than the one before: limits close to each other meet every step. */
const limits = Array.from({ length: 110 }, (_, index) => 0.0004 + index * 0.00022);

Deno.test("money that ends at any step leaves what was made, nothing reserved, and lines that add up", async () => {
  await withTools({}, async (rig) => {
    const { gateway } = rig;
    const ended = new Set<number>();
    for (const [index, limit] of limits.entries()) {
      const stream = index % 2 === 0;
      const { sent, key, turns } = await runWithMoney(rig, { limit, stream });
      if (sent.status === 402) continue;
      const result = responseOf(sent);
      const receipt = await receiptOf(gateway, new Response(null, { headers: sent.headers }));
      const cost = turns * 120_000;
      if (result.status === "failed") {
        assert.equal(result.error_type, "payment_required");
        assert.equal(ran(result), turns, "what was made is there");
        ended.add(turns);
      }
      assert.equal(receipt.status, result.status);
      assert.equal(receipt.cost, cost);
      assert.equal((receipt.calls ?? []).reduce((sum, call) => sum + call.cost, 0), cost);
      const nano = receipt.lines.map(({ quantity, unit_price }) => quantity * Number(unit_price) * 1e9);
      assert.equal(Math.round(nano.reduce((sum, one) => sum + one, 0)), cost);
      assert.equal(asObject(result.usage).cost, cost / 1e9);
      const { data } = asObject(await (await keyOf(gateway.url, key)).json());
      assert.equal(Math.round(Number(asObject(data).usage) * 1e9), cost, "nothing is left reserved or lost");
    }
    const steps = Array.from({ length: 30 }, (_, index) => index + 1);
    assert.deepEqual(steps.filter((step) => !ended.has(step)), [], "the money ended at every step");
  });
});

const keyOf = (url: string, key: string) =>
  fetch(`${url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });

Deno.test("money that is not there before the first step is 402", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    plan(eager);
    const key = await gateway.addKey({ kind: "api", limit: 0.00001 });
    for (const api of apis) {
      const said = api === "responses" ? { input } : { messages: [{ role: "user", content: input }] };
      const body = {
        model: "mock/chat",
        tools,
        ...said,
        ...(api === "messages" ? { max_tokens: 2_000 } : {}),
      };
      assert.equal((await send(gateway, { api, key, body })).status, 402, api);
    }
  });
});

Deno.test("money that ends later is an answer with an error on the other APIs", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    const talks: Turns = (turn) => ({
      items: [says(`Turn ${turn}.`), calls("datetime", { id: `call_${turn}` })],
      finish: "stop",
      counts,
      pieces: [100],
    });
    const said = {
      model: "mock/chat",
      tools,
      messages: [{ role: "user", content: input }],
      max_tokens: 2_000,
    };
    const words = { chat: "payment_required", messages: "billing_error" };
    for (const api of ["chat", "messages"] as const) {
      for (const stream of [false, true]) {
        plan(talks);
        const key = await gateway.addKey({ kind: "api", limit: 0.0075 });
        const sent = await send(gateway, { api, key, body: { ...said, stream } });
        assert.equal(sent.status, 200, sent.text);
        for (const part of [words[api], "Turn 0.", "Turn 1."]) assert.ok(sent.text.includes(part), sent.text);
        const usages = stream
          ? eventsOf(sent).map(({ usage }) => usage).filter((usage) => usage !== undefined)
          : [wholeOf(sent).usage];
        assert.ok(Number(asObject(usages.at(-1)).cost) > 0.0002, "what was made is counted");
      }
    }
  });
});
