/** Fields beside `plugins` by which a request could go around a default that its workspace has locked. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { managed } from "../support/manage.ts";
import type { Gateway } from "../support/gateway.ts";
import { calls, price, says, send, type Turns, wholeOf, withTools } from "../server_tools/rig.ts";
import { withWeb } from "../server_tools/web_rig.ts";
import { type Api, apis, askWith, paramsOf, requestOn, stagesOf } from "./rig.ts";

const LOCKED = "the workspace has locked its default";
const QUESTION = "What is new today?";
const ways = apis.flatMap((api) => [false, true].map((stream) => ({ api, stream })));

async function lock(gateway: Gateway, plugin: Json): Promise<void> {
  const body = { default_plugins: [{ ...plugin, locked: true }] };
  const { status, body: reply } = await managed(gateway, { call: "PATCH /workspaces/default", body });
  assert.equal(status, 200, JSON.stringify(reply));
}

const own = { engine: "parallel", max_results: 20, allowed_domains: ["evil.example"] };

/** Every spelling of the tool, with settings of the request's own. */
const searchTools: Readonly<Record<Api, readonly Json[]>> = {
  responses: [
    { type: "web_search", filters: { allowed_domains: ["evil.example"] } },
    { type: "web_search_preview" },
    { type: "service:web_search", parameters: own },
    { type: "openrouter:web_search", parameters: own },
  ],
  chat: [{ type: "service:web_search", parameters: own }, { type: "openrouter:web_search", parameters: own }],
  messages: [
    { type: "web_search_20250305", name: "web_search", allowed_domains: ["evil.example"] },
    { type: "service:web_search", parameters: own },
  ],
};

const searching: Turns = (turn) =>
  turn === 0 ? [calls("web_search", { args: { query: "news" } })] : [says("Hi.")];

Deno.test("a tool that searches gets the engine and the domains of a locked web", async (t) => {
  await withWeb({ engines: ["exa", "parallel"] }, async ({ gateway, plan, engine }) => {
    await lock(gateway, { id: "web", engine: "exa", max_results: 2, include_domains: ["a.example"] });
    for (const { api, stream } of ways) {
      for (const tool of searchTools[api]) {
        await t.step(`${api}${stream ? ", streamed" : ""}: ${String(tool.type)}`, async () => {
          plan(searching);
          const before = engine("exa").requests.length;
          const body = requestOn(api, { model: `mock/${api}`, text: QUESTION, tools: [tool] });
          const answer = await askWith(gateway, { api, stream, body });
          assert.equal(answer.text, "Hi.", answer.sent.text);
          assert.equal(engine("parallel").requests.length, 0);
          const made = engine("exa").requests.slice(before).map(asObject);
          assert.deepEqual(
            made.map(({ query, includeDomains, numResults }) => [query, includeDomains, numResults]),
            [
              ["news", ["a.example"], 2],
            ],
          );
          assert.deepEqual(paramsOf(answer).dropped, [`plugin web (tools[0]): ${LOCKED}`]);
        });
      }
    }
  });
});

Deno.test("a locked web searches where a tool is offered that must not be called", async () => {
  await withWeb({}, async ({ gateway, plan, engine }) => {
    await lock(gateway, { id: "web", include_domains: ["a.example"] });
    for (const { api, stream } of ways) {
      plan(() => [says("Hi.")]);
      const before = engine("exa").requests.length;
      const tool_choice = api === "messages" ? { type: "none" } : "none";
      const tools = searchTools[api].slice(-1);
      const body = requestOn(api, { model: `mock/${api}`, text: QUESTION, tools, tool_choice });
      await askWith(gateway, { api, stream, body });
      const made = engine("exa").requests.slice(before).map(asObject);
      assert.deepEqual(made.map(({ query, includeDomains }) => [query, includeDomains]), [
        [QUESTION, ["a.example"]],
      ]);
    }
  });
});

const sells = { pricing: { ...price, web_search: "0.01" } };

Deno.test("a provider's own search gets the domains of a locked web, and none where it has no word for them", async () => {
  await withWeb({ model: sells }, async ({ gateway, plan, taken }) => {
    const toolsAt = async (api: Api, tool: Json) => {
      plan(() => [says("Hi.")]);
      const text = "Hello";
      const body = requestOn(api, { model: `mock/${api}`, text, tools: [tool] });
      const answer = await askWith(gateway, { api, stream: false, body });
      assert.deepEqual(paramsOf(answer).dropped, [`plugin web (tools[0]): ${LOCKED}`]);
      return asList(taken(api)[0]?.tools).map(asObject);
    };
    await lock(gateway, { id: "web", include_domains: ["a.example"] });
    const [ofResponses, preview] = searchTools.responses;
    const [ofMessages] = searchTools.messages;
    assert(ofResponses !== undefined && preview !== undefined && ofMessages !== undefined);
    assert.deepEqual(await toolsAt("responses", ofResponses), [
      { type: "web_search", filters: { allowed_domains: ["a.example"] } },
    ]);
    assert.deepEqual(await toolsAt("messages", ofMessages), [
      { type: "web_search_20250305", name: "web_search", allowed_domains: ["a.example"] },
    ]);
    assert.equal((await toolsAt("responses", preview))[0]?.type, "function");
    await lock(gateway, { id: "web", exclude_domains: ["b.example"] });
    assert.equal((await toolsAt("responses", ofResponses))[0]?.type, "function");
    assert.deepEqual(await toolsAt("messages", ofMessages), [
      { type: "web_search_20250305", name: "web_search", blocked_domains: ["b.example"] },
    ]);
    await lock(gateway, { id: "web", include_domains: ["a.example"], exclude_domains: ["a.example/b"] });
    assert.equal((await toolsAt("messages", ofMessages))[0]?.input_schema !== undefined, true);
  });
});

Deno.test("a provider's own search goes where nobody holds the domains of a locked web", async () => {
  await withWeb({ engines: [], model: sells }, async ({ gateway, plan, taken }) => {
    await lock(gateway, { id: "web", exclude_domains: ["b.example"] });
    for (const stream of [false, true]) {
      plan(() => [says("Hi.")]);
      const body = requestOn("responses", {
        model: "mock/responses",
        text: QUESTION,
        tools: [{ type: "web_search" }],
      });
      await askWith(gateway, { api: "responses", stream, body });
      assert.doesNotMatch(JSON.stringify(taken("responses")[0]), /web_search/);
    }
  });
});

Deno.test("web_search_options change nothing of a locked web, on or off", async () => {
  const model = { ...sells, supported_parameters: ["web_search_options", "max_tokens", "stream"] };
  await withWeb({ model }, async ({ gateway, plan, taken }) => {
    const there = { type: "approximate", approximate: { country: "FR" } };
    const here = { type: "approximate", country: "IT" };
    for (const enabled of [true, false]) {
      await lock(gateway, { id: "web", enabled, user_location: here });
      for (const stream of [false, true]) {
        plan(() => [says("Hi.")]);
        const body = requestOn("chat", {
          model: "mock/chat",
          text: QUESTION,
          web_search_options: { user_location: there },
        });
        const answer = await askWith(gateway, { api: "chat", stream, body });
        assert.deepEqual(paramsOf(answer).dropped, [`plugin web (web_search_options): ${LOCKED}`]);
        const sent = JSON.stringify(taken("chat")[0]);
        assert.doesNotMatch(sent, /"FR"/);
        assert.equal(sent.includes('"IT"'), enabled, sent);
      }
    }
  });
});

const CONTEXT = 12_000;
/** Somewhat more than fits beside the answer, and less than the context. */
const TURNS = 47;
const turnsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Message ${at} ${"abc def ghi jkl ".repeat(60)}`,
  }));

Deno.test("truncation changes nothing of a locked context-compression, on or off", async (t) => {
  await withTools({ model: { context_length: CONTEXT } }, async ({ gateway, plan, taken }) => {
    for (const enabled of [true, false]) {
      await lock(gateway, { id: "context-compression", enabled });
      for (const truncation of ["auto", "disabled"]) {
        for (const wire of apis) {
          for (const stream of [false, true]) {
            await t.step(`${enabled ? "on" : "off"}, ${truncation}, ${wire}, stream ${stream}`, async () => {
              plan(() => [says("Hi.")]);
              const body = {
                model: `mock/${wire}`,
                input: turnsOf(TURNS),
                truncation,
                max_output_tokens: 500,
              };
              const answer = await askWith(gateway, { api: "responses", stream, body });
              assert.deepEqual(paramsOf(answer).dropped, [
                `plugin context-compression (truncation): ${LOCKED}`,
              ]);
              const [stage] = stagesOf(answer);
              assert.equal(
                stage === undefined ? undefined : asObject(stage.data).engine,
                enabled ? "middle-out" : undefined,
              );
              assert.equal(taken(wire)[0]?.truncation, undefined);
              const sent = JSON.stringify(taken(wire)[0]).match(/Message \d+ /g)?.length ?? 0;
              assert.equal(sent < TURNS, enabled, `${sent} messages`);
            });
          }
        }
      }
    }
  });
});

Deno.test("the counts of a request that is too long agree in its error", async () => {
  await withTools({ model: { context_length: CONTEXT } }, async ({ gateway }) => {
    // Each letter is a token at least, and half of one by its length.
    const text = "a ".repeat(20_000);
    for (const { api, stream } of ways) {
      const body = { ...requestOn(api, { model: `mock/${api}`, text }), stream };
      const sent = await send(gateway, { api, body });
      const error = asObject(wholeOf(sent, 400).error);
      const least = /the input is at least (\d+)/.exec(String(error.message))?.[1];
      const metadata = asObject(error.metadata ?? error.details);
      assert(least !== undefined && Number(metadata.input_tokens) >= Number(least), sent.text);
    }
  });
});
