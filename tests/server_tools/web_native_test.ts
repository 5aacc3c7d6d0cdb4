/** Which search answers: the provider's own where it has one, else an engine of the operator's. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { calls, itemsOf, price, says, send, type Turns, wholeOf } from "./rig.ts";
import { withWeb } from "./web_rig.ts";

const searching: Turns = (turn) =>
  turn === 0 ? [calls("web_search", { args: { query: "x" } })] : [says("Found.")];

/** A price of searches says that the provider makes them. */
const sells = { pricing: { ...price, web_search: "0.01" } };

const offered = (body: Json | undefined) => asList(body?.tools ?? []).map(asObject);

Deno.test("a provider that sells searches makes them itself", async () => {
  await withWeb({ model: sells }, async ({ gateway, plan, taken, engine }) => {
    plan(() => [says("Hi.")]);
    const tools = [{ type: "service:web_search", allowed_domains: ["a.example"], max_uses: 2 }];
    wholeOf(await send(gateway, { body: { model: "mock/responses", input: "?", tools } }));
    assert.deepEqual(offered(taken("responses")[0]), [{
      type: "web_search",
      filters: { allowed_domains: ["a.example"] },
    }]);
    plan(() => [says("Hi.")]);
    wholeOf(await send(gateway, { body: { model: "mock/messages", input: "?", tools } }));
    assert.deepEqual(offered(taken("messages")[0]), [{
      type: "web_search_20250305",
      name: "web_search",
      max_uses: 2,
      allowed_domains: ["a.example"],
    }]);
    for (const settings of [{ engine: "exa" }, { excluded_domains: ["b.example"] }]) {
      plan(searching);
      const body = {
        model: "mock/responses",
        input: "?",
        tools: [{ type: "service:web_search", ...settings }],
      };
      wholeOf(await send(gateway, { body }));
      assert.equal(offered(taken("responses")[0])[0]?.type, "function");
    }
    assert.equal(engine("exa").requests.length, 2);
  });
});

Deno.test("engine native is never an engine of the operator's, and forced it goes where it is", async () => {
  await withWeb({}, async ({ gateway, plan, taken }) => {
    plan(() => [says("Hi.")]);
    const tools = [{ type: "service:web_search", engine: "native" }];
    const body = { model: "mock/responses", input: "?", tools };
    wholeOf(await send(gateway, { body }));
    assert.equal(taken("responses")[0]?.tools, undefined);
    const forced = await send(gateway, { body: { ...body, tool_choice: { type: "service:web_search" } } });
    assert.equal(forced.status, 400);
  });
  await withWeb({ model: sells }, async ({ gateway, plan, taken }) => {
    plan(() => [says("Hi.")]);
    const tools = [{ type: "service:web_search", engine: "native" }];
    const tool_choice = { type: "service:web_search" };
    const body = {
      model: "mock/chat",
      models: ["mock/chat", "mock/responses"],
      input: "?",
      tools,
      tool_choice,
    };
    wholeOf(await send(gateway, { body }));
    assert.equal(taken("chat").length, 0, "it has no search");
    assert.deepEqual(taken("responses")[0]?.tool_choice, {
      type: "allowed_tools",
      mode: "required",
      tools: [{ type: "web_search" }],
    });
  });
});

Deno.test("Anthropic's search and fetch are run for other providers", async () => {
  const pages = () => new Response('{"a":1}', { headers: { "content-type": "application/json" } });
  await withWeb({ pages }, async ({ gateway, plan, taken, site, engine }) => {
    plan((turn) =>
      turn === 0
        ? [
          calls("web_search", { args: { query: "x" } }),
          calls("web_fetch", { args: { url: `${site}/a` } }),
        ]
        : [says("Found.")]
    );
    const body = {
      model: "mock/chat",
      max_tokens: 500,
      messages: [{ role: "user", content: "?" }],
      tools: [
        { type: "web_search_20250305", name: "web_search", max_uses: 1, blocked_domains: ["b.example"] },
        { type: "web_fetch_20250910", name: "web_fetch", max_uses: 1 },
      ],
    };
    const message = wholeOf(await send(gateway, { api: "messages", body }));
    const types = asList(message.content).map((block) => String(asObject(block).type));
    assert.deepEqual(types.toSorted(), [
      "server_tool_use",
      "server_tool_use",
      "text",
      "web_fetch_tool_result",
      "web_search_tool_result",
    ]);
    const found = asList(message.content).map(asObject).find(({ type }) => type === "web_search_tool_result");
    assert.deepEqual(asList(found?.content).map((one) => asObject(one).url), ["https://a.example/one"]);
    assert.equal(engine("exa").requests.length, 1);
    assert.equal(offered(taken("chat")[0]).length, 2);
    plan(() => [says("Again.")]);
    const again = [...body.messages, { role: "assistant", content: message.content }, body.messages[0]];
    wholeOf(await send(gateway, { api: "messages", body: { ...body, messages: again } }));
    const sent = JSON.stringify(taken("chat").at(-1));
    for (const part of ["tool_calls", "The first 😀 text", '{\\\\\\"a\\\\\\":1}']) {
      assert.ok(sent.includes(part), sent);
    }
  });
});

Deno.test("a hosted search is the provider's own where it sells searches, else the gateway's", async () => {
  for (const native of [true, false]) {
    await withWeb(native ? { model: sells } : {}, async ({ gateway, plan, taken, engine }) => {
      plan(native ? () => [says("Hi.")] : searching);
      const tools = [{ type: "web_search", filters: { allowed_domains: ["a.example"] } }];
      const result = wholeOf(await send(gateway, { body: { model: "mock/responses", input: "?", tools } }));
      assert.equal(offered(taken("responses")[0])[0]?.type, native ? "web_search" : "function");
      assert.equal(engine("exa").requests.length, native ? 0 : 1);
      if (native) return;
      const [item] = itemsOf(result);
      assert.deepEqual([item?.type, item?.status], ["web_search_call", "completed"]);
      assert.deepEqual(asList(asObject(item?.action).sources), [{
        type: "url",
        url: "https://a.example/one",
      }]);
    });
  }
});
