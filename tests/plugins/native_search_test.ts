/** Searches that providers make themselves for the plugin `web` and the tool: Google's, and that of X. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { SEARCH_KEY, startSearchMock } from "../mocks/search_upstream.ts";
import { upstreams, upstreamWires } from "../mocks/upstreams.ts";
import { mockModel, PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";
import { receiptOf } from "../money/rig.ts";
import { calls, planOf, price, says, send, type Turns, wholeOf } from "../server_tools/rig.ts";
import { hits, withWeb } from "../server_tools/web_rig.ts";
import { type Api, apis, askWith, explained, paramsOf, refusedPath, requestOn, stagesOf } from "./rig.ts";

const QUESTION = "What is new today?";
const hi: Turns = () => [says("Hi.")];
/** A price of searches says that the provider makes them. */
const sells = { pricing: { ...price, web_search: "0.01" } };
const googleSearch = [{ googleSearch: {} }];

Deno.test("Gemini searches itself where nothing of the request is in its way, else the engine does", async (t) => {
  const weather = { type: "function", name: "weather", parameters: { type: "object", properties: {} } };
  const json = { text: { format: { type: "json_object" } } };
  const rows: readonly (readonly [what: string, fields: Json, isNative: boolean])[] = [
    ["no settings", { plugins: [{ id: "web" }] }, true],
    ["native", { plugins: [{ id: "web", engine: "native" }] }, true],
    ["an engine", { plugins: [{ id: "web", engine: "exa" }] }, false],
    ["domains", { plugins: [{ id: "web", include_domains: ["a.example"] }] }, false],
    ["excluded domains", { plugins: [{ id: "web", exclude_domains: ["a.example"] }] }, false],
    ["a function", { plugins: [{ id: "web" }], tools: [weather] }, false],
    ["a tool of the gateway", { plugins: [{ id: "web" }], tools: [{ type: "service:datetime" }] }, false],
    ["no tool allowed", { plugins: [{ id: "web" }], tool_choice: "none" }, false],
    ["JSON", { plugins: [{ id: "web" }], ...json }, true],
  ];
  await withWeb({ model: sells }, async ({ gateway, plan, taken, engine }) => {
    for (const [what, fields, isNative] of rows) {
      await t.step(what, async () => {
        plan(hi);
        const before = engine("exa").requests.length;
        const body = { model: "mock/gemini", input: QUESTION, ...fields };
        const answer = await askWith(gateway, { api: "responses", stream: false, body });
        const sent = asList(taken("gemini")[0]?.tools ?? []);
        assert.deepEqual(sent.some((tool) => "googleSearch" in asObject(tool)), isNative);
        if (isNative) assert.deepEqual(sent, googleSearch);
        assert.equal(engine("exa").requests.length, before + (isNative ? 0 : 1));
        assert.deepEqual(paramsOf(answer).dropped, undefined);
        const [{ would } = {}] = await explained(gateway, body);
        assert.match(String(would), isNative ? /have Mock search the web itself/ : /search the web with Exa/);
      });
    }
  });
});

Deno.test("a Gemini model that is held to no JSON beside tools gets the results of the engine", async () => {
  await withWeb(
    { model: { ...sells, upstream_id: "gemini-2.5-flash" } },
    async ({ gateway, plan, taken }) => {
      const ask = async (plugin: Json) => {
        plan(hi);
        const format = { text: { format: { type: "json_object" } } };
        const body = { model: "mock/gemini", input: QUESTION, plugins: [plugin], ...format };
        const answer = await askWith(gateway, { api: "responses", stream: false, body });
        return { body: taken("gemini")[0], dropped: paramsOf(answer).dropped };
      };
      const auto = await ask({ id: "web" });
      assert.equal(auto.body?.tools, undefined);
      assert.equal(asObject(auto.body?.generationConfig).responseMimeType, "application/json");
      assert.equal(auto.dropped, undefined);
      const native = await ask({ id: "web", engine: "native" });
      assert.deepEqual(native.body?.tools, googleSearch);
      assert.deepEqual(native.dropped, ["text.format"]);
    },
  );
});

Deno.test("Google's search refuses lists of domains by name, and names the settings that it has no word for", async () => {
  await withWeb({ engines: [], model: sells }, async ({ gateway, plan }) => {
    plan(hi);
    const web = { id: "web", engine: "native", exclude_domains: ["a.example"] };
    const refused = await send(gateway, { body: { model: "mock/gemini", input: QUESTION, plugins: [web] } });
    assert.equal(refusedPath(refused), "plugins[0]");
    const all = {
      id: "web",
      max_results: 3,
      search_prompt: "Cite.",
      max_uses: 2,
      user_location: { type: "approximate", country: "IT" },
    };
    const body = { model: "mock/gemini", input: QUESTION, plugins: [all] };
    const answer = await askWith(gateway, { api: "responses", stream: false, body });
    assert.deepEqual(
      paramsOf(answer).dropped,
      ["max_results", "search_prompt", "max_uses", "user_location"].map((field) => `plugin web: ${field}`),
    );
  });
});

Deno.test("the tool is Google's own search where it stands alone, and the gateway's where it must be called", async () => {
  const searching: Turns = (turn) =>
    turn === 0 ? [calls("web_search", { args: { query: "x" } })] : [says("Hi.")];
  await withWeb({ model: sells }, async ({ gateway, plan, taken, engine }) => {
    const tool = { type: "service:web_search" };
    const ask = async (turns: Turns, fields: Json) => {
      plan(turns);
      wholeOf(await send(gateway, { body: { model: "mock/gemini", input: QUESTION, ...fields } }));
      return taken("gemini")[0]?.tools;
    };
    assert.deepEqual(await ask(hi, { tools: [tool] }), googleSearch);
    assert.equal(engine("exa").requests.length, 0);
    for (const more of [{ tool_choice: "required" }, { tool_choice: tool }]) {
      const sent = await ask(searching, { tools: [tool], ...more });
      assert.match(JSON.stringify(sent), /"functionDeclarations"/);
    }
    assert.match(
      JSON.stringify(await ask(searching, { tools: [tool, { type: "service:datetime" }] })),
      /datetime/,
    );
    assert.equal(engine("exa").requests.length, 3);
  });
});

/** Emoji and combining characters stand before the text that is cited: Google counts bytes. */
const BEFORE = "👩‍👩‍👧 é ";
const CITED = "Deno 9 is out.";
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** As Google answers with its search. */
function groundedAnswer(text: string): Json {
  const segment = { startIndex: bytesOf(BEFORE), endIndex: bytesOf(BEFORE + CITED), text: CITED };
  return {
    responseId: "r1",
    modelVersion: "gemini-3-pro",
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    candidates: [{
      index: 0,
      content: { role: "model", parts: [{ text }] },
      finishReason: "STOP",
      groundingMetadata: {
        webSearchQueries: ["deno", "deno 9"],
        searchEntryPoint: { renderedContent: "<div></div>" },
        groundingChunks: [{ web: { uri: "https://deno.example/9", title: "deno.example" } }],
        groundingSupports: [{ segment, groundingChunkIndices: [0] }],
      },
    }],
  };
}

Deno.test("sources of Google's search are citations at their places, and its queries are paid", async (t) => {
  const sent: Json[] = [];
  await using google = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    sent.push(asObject(await request.json()));
    const answer = groundedAnswer(BEFORE + CITED);
    return request.url.includes("alt=sse")
      ? new Response(`data: ${JSON.stringify(answer)}\n\n`, {
        headers: { "content-type": "text/event-stream" },
      })
      : Response.json(answer);
  });
  const models = [{
    id: "mock/model",
    upstream_id: "gemini-3-pro",
    context_length: 100_000,
    max_output_tokens: 1_000,
    pricing: sells.pricing,
  }];
  await using gateway = await startGateway({
    providers: [providerAt(`http://127.0.0.1:${google.addr.port}/v1beta`, { wire: "gemini", models })],
  });
  const key = await gateway.addKey({ kind: "api", limit: 10 });
  for (const api of apis) {
    for (const stream of [false, true]) {
      await t.step(`${api} ${stream ? "streamed" : "whole"}`, async () => {
        sent.length = 0;
        const body = requestOn(api, { model: "mock/model", text: QUESTION, plugins: [{ id: "web" }] });
        const answer = await askWith(gateway, { api, stream, body, key });
        assert.deepEqual(sent[0]?.tools, googleSearch);
        assert.equal(answer.text, BEFORE + CITED);
        const [{ url_citation: nested, ...flat } = {}] = answer.citations;
        const citation = nested === undefined ? flat : asObject(nested);
        assert.equal(citation.url, "https://deno.example/9");
        if (api !== "messages") {
          assert.equal(answer.text.slice(Number(citation.start_index), Number(citation.end_index)), CITED);
        }
        assert.deepEqual(stagesOf(answer)[0]?.data, { engine: "native" });
        const { usage } = await receiptOf(gateway, answer.sent);
        assert.equal(usage.web_searches, 2);
      });
    }
  }
});

/** xAI's Responses API: OpenAI's, which the mock is, and the search of X besides. */
function serveX(mock: string, taken: Json[]): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const body = asObject(await request.json());
    taken.push(body);
    const tools = asList(body.tools ?? []).filter((tool) => asObject(tool).type !== "x_search");
    const { pathname } = new URL(request.url);
    return await fetch(mock + pathname.replace("/v1", ""), {
      method: "POST",
      headers: request.headers,
      body: JSON.stringify({ ...body, tools }),
    });
  });
}

const xSettings = {
  allowed_x_handles: ["denoland"],
  from_date: "2026-01-01",
  to_date: null,
  enable_image_understanding: true,
};
const xPlugin = { id: "web", x_search: xSettings };
const { to_date: _none, ...sentToX } = xSettings;
const asked = (api: Api, model: string, more: Json = {}) =>
  requestOn(api, { model, text: QUESTION, plugins: [{ ...xPlugin, ...more }] });

Deno.test("x_search is named where no row lists it, on every wire", async (t) => {
  await withWeb({ model: sells }, async ({ gateway, plan }) => {
    for (const wire of upstreamWires) {
      await t.step(`${wire}, whose row does not list it`, async () => {
        plan(hi);
        const body = asked("responses", `mock/${wire}`);
        const answer = await askWith(gateway, { api: "responses", stream: false, body });
        assert.deepEqual(paramsOf(answer).dropped, ["plugin web: x_search"]);
      });
    }
  });
});

Deno.test("x_search goes to the models whose row lists it, as the tool of X", async (t) => {
  const taken: Json[] = [];
  await using stack = new AsyncDisposableStack();
  const openai = upstreams.responses.start({ apiKey: PROVIDER_KEY, answer: () => planOf([says("Hi.")]) });
  stack.defer(() => openai.close());
  await using x = serveX(openai.url, taken);
  await using engine = startSearchMock("exa", { hits });
  const models = [{ ...mockModel, ...sells, supported_parameters: ["tools", "x_search"] }];
  await using gateway = await startGateway({
    providers: [providerAt(`http://127.0.0.1:${x.addr.port}/v1`, { models })],
    env: { EXA_API_KEY: SEARCH_KEY },
    file: { search: { exa: { base_url: engine.url } } },
  });
  for (const api of apis) {
    for (const stream of [false, true]) {
      await t.step(`${api} ${stream ? "streamed" : "whole"}`, async () => {
        const answer = await askWith(gateway, { api, stream, body: asked(api, "mock/model") });
        assert.deepEqual(taken.at(-1)?.tools, [{ type: "web_search" }, { ...sentToX, type: "x_search" }]);
        assert.equal(paramsOf(answer).dropped, undefined);
      });
    }
  }
  for (const type of ["service:web_search", "openrouter:web_search"]) {
    await t.step(`the tool ${type}`, async () => {
      const tool = { type, parameters: { x_search: xSettings } };
      const body = { model: "mock/model", input: QUESTION, tools: [tool] };
      const answer = await askWith(gateway, { api: "responses", stream: false, body });
      assert.deepEqual(taken.at(-1)?.tools, [{ type: "web_search" }, { ...sentToX, type: "x_search" }]);
      assert.equal(paramsOf(answer).dropped, undefined);
      const named = { ...body, tools: [{ type, parameters: { x_search: xSettings, engine: "exa" } }] };
      const other = await askWith(gateway, { api: "responses", stream: false, body: named });
      assert.doesNotMatch(JSON.stringify(taken.at(-1)?.tools), /x_search/);
      assert.deepEqual(paramsOf(other).dropped, ["tool web_search: x_search"]);
    });
  }
  await t.step("an engine is named", async () => {
    const body = asked("responses", "mock/model", { engine: "exa" });
    const answer = await askWith(gateway, { api: "responses", stream: false, body });
    assert.equal(taken.at(-1)?.tools, undefined);
    assert.deepEqual(paramsOf(answer).dropped, ["plugin web: x_search"]);
  });
});
