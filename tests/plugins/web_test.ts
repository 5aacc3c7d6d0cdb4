/** The plugin `web`, `:online` and `web_search_options`: who searches, what the model is given, and what goes wrong. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { createKey, managed } from "../support/manage.ts";
import { receiptOf } from "../money/rig.ts";
import { calls, price, says, send, type Turns, wholeOf } from "../server_tools/rig.ts";
import { hits, withWeb } from "../server_tools/web_rig.ts";
import { apis, askWith, explained, paramsOf, refusedPath, requestOn, stagesOf } from "./rig.ts";

const QUESTION = "What is new today?";
const plugins = [{ id: "web" }];
const hi: Turns = () => [says("Hi.")];
/** A price of searches says that the provider makes them. */
const sells = { pricing: { ...price, web_search: "0.01" } };

/** Stages of the plugin. */
const searches = (stages: readonly Json[]) => stages.filter(({ name }) => name === "web-search");

Deno.test("one search is made before the first call, and its results stand in front of the question", async () => {
  await withWeb({}, async ({ gateway, plan, taken, engine }) => {
    plan(hi);
    const input = [
      { role: "user", content: "Hello." },
      { role: "assistant", content: "Hello!" },
      { role: "user", content: `> quoted\n${QUESTION}\n\`\`\`\ncode()\n\`\`\`` },
    ];
    const answer = await askWith(gateway, {
      api: "responses",
      stream: false,
      body: { model: "mock/responses", input, plugins: [{ id: "web", max_results: 3, mode: "fast" }] },
    });
    assert.equal(engine("exa").requests.length, 1);
    const search = asObject(engine("exa").requests[0]);
    assert.deepEqual([search.query, search.numResults, search.type], [QUESTION, 3, "fast"]);
    const [, , results, question] = asList(taken("responses")[0]?.input).map(asObject);
    assert.equal(results?.role, "developer");
    assert.match(JSON.stringify(question), /quoted/);
    const text = JSON.stringify(results);
    for (const { url, title, text: excerpt } of hits) {
      for (const part of [url, title, excerpt]) assert(text.includes(part), part);
    }
    const [stage, ...more] = stagesOf(answer);
    assert.deepEqual(more, []);
    assert.deepEqual([stage?.type, stage?.name, stage?.cost_usd], ["plugin", "web-search", 0.007]);
    assert.deepEqual(stage?.data, { engine: "exa", results: 2 });
  });
});

Deno.test(":online is the same for the models that are named so, behind other variants and aliases too", async () => {
  const file = { aliases: { news: "mock/chat:online" } };
  await withWeb({ gateway: { file } }, async ({ gateway, plan, taken, engine }) => {
    const names = [
      "mock/chat:online",
      "mock/chat:nitro:online",
      "mock/chat:online:floor",
      "news",
      "news:floor",
    ];
    for (const [at, model] of names.entries()) {
      plan(hi);
      await askWith(gateway, {
        api: "chat",
        stream: at % 2 === 1,
        body: requestOn("chat", { model, text: QUESTION }),
      });
      assert.match(JSON.stringify(taken("chat")[0]), /The first 😀 text/, model);
    }
    assert.equal(engine("exa").requests.length, names.length);
    plan(hi);
    const models = ["mock/chat-500:online", "mock/chat"];
    const body = requestOn("chat", { text: QUESTION, models });
    wholeOf(await send(gateway, { api: "chat", body }));
    const [failed, answered] = taken("chat");
    assert.match(JSON.stringify(failed), /The first 😀 text/);
    assert.doesNotMatch(JSON.stringify(answered), /The first 😀 text/, "it was not named so");
    plan(hi);
    const off = requestOn("chat", {
      model: "news",
      text: QUESTION,
      plugins: [{ id: "web", enabled: false }],
    });
    wholeOf(await send(gateway, { api: "chat", body: off }));
    assert.doesNotMatch(JSON.stringify(taken("chat")), /The first 😀 text/);
  });
});

Deno.test("a second candidate gets the same results, and nothing is searched for twice", async () => {
  await withWeb({}, async ({ gateway, plan, taken, engine }) => {
    for (const api of apis) {
      plan(hi);
      const before = engine("exa").requests.length;
      const models = ["mock/chat-500", "mock/messages"];
      wholeOf(
        await send(gateway, {
          api,
          body: requestOn(api, { text: QUESTION, models, model: models[0], plugins }),
        }),
      );
      for (const wire of ["chat", "messages"] as const) {
        assert.match(JSON.stringify(taken(wire)[0]), /The first 😀 text/);
      }
      assert.equal(engine("exa").requests.length, before + 1);
    }
  });
});

Deno.test("who searches is decided for each candidate: its provider where it sells searches, else the engine", async () => {
  await withWeb({ model: sells }, async ({ gateway, plan, taken, engine }) => {
    const location = { type: "approximate", city: "Rome", country: "IT" };
    const web = { id: "web", max_uses: 2, include_domains: ["a.example"], user_location: location };
    const ask = async (model: string, plugin: Json) => {
      plan(hi);
      const body = { model, input: QUESTION, plugins: [plugin] };
      return searches(stagesOf(await askWith(gateway, { api: "responses", stream: false, body })));
    };
    assert.deepEqual((await ask("mock/responses", web))[0]?.data, { engine: "native" });
    assert.deepEqual(taken("responses")[0]?.tools, [{
      type: "web_search",
      filters: { allowed_domains: ["a.example"] },
      user_location: location,
    }]);
    await ask("mock/messages", web);
    assert.deepEqual(taken("messages")[0]?.tools, [{
      type: "web_search_20250305",
      name: "web_search",
      max_uses: 2,
      allowed_domains: ["a.example"],
      user_location: location,
    }]);
    assert.equal(engine("exa").requests.length, 0);
    for (const model of ["mock/responses", "mock/messages"]) {
      plan(hi);
      const own = { id: "web", max_results: 2, search_prompt: "Cite." };
      const body = { model, input: QUESTION, plugins: [own] };
      const answer = await askWith(gateway, { api: "responses", stream: false, body });
      assert.deepEqual(paramsOf(answer).dropped, ["plugin web: max_results", "plugin web: search_prompt"]);
    }
    await ask("mock/gemini", web);
    assert.equal(engine("exa").requests.length, 1, "its own search takes no domains");
    const unknown = [{ engine: "exa" }, { exclude_domains: ["b.example"] }];
    for (const settings of unknown) {
      await ask("mock/responses", { id: "web", ...settings });
      assert.equal(taken("responses")[0]?.tools, undefined);
    }
    assert.equal(
      engine("exa").requests.length,
      3,
      "an engine is named, or the provider's own knows no such list",
    );
    plan(hi);
    const models = ["mock/responses-500", "mock/bedrock"];
    wholeOf(await send(gateway, { body: { models, input: QUESTION, plugins } }));
    assert.match(JSON.stringify(taken("responses")[0]?.tools), /web_search/);
    assert.match(JSON.stringify(taken("bedrock")[0]), /The first 😀 text/);
    assert.equal(engine("exa").requests.length, 4);
  });
});

Deno.test("domain lists hold for an engine that does not know them", async () => {
  await withWeb({ engines: ["searxng"] }, async ({ gateway, plan, taken }) => {
    for (
      const [lists, kept, left] of [
        [{ include_domains: ["*.example/one", "a.example/one"] }, "a.example/one", "b.example/two"],
        [{ exclude_domains: ["a.example"] }, "b.example/two", "a.example/one"],
      ] as const
    ) {
      plan(hi);
      const body = { model: "mock/chat", input: QUESTION, plugins: [{ id: "web", ...lists }] };
      wholeOf(await send(gateway, { body }));
      const sent = JSON.stringify(taken("chat")[0]);
      assert(sent.includes(kept) && !sent.includes(left), sent);
    }
  });
});

Deno.test("without any engine a named plugin is 400, and :online or a default goes on with a note", async () => {
  await withWeb({ engines: [] }, async ({ gateway, plan, taken }) => {
    for (const api of apis) {
      plan(hi);
      const body = requestOn(api, {
        model: "mock/chat",
        text: QUESTION,
        plugins: [{ id: "switchyard-router" }, { id: "web" }],
      });
      const refused = await send(gateway, { api, body });
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, /plugins\[1\] \(web\) needs a search engine.*SEARXNG_URL/);
      if (api !== "messages") assert.equal(refusedPath(refused), "plugins[1]");
      assert.equal(taken("chat").length, 0);
      const online = requestOn(api, { model: "mock/chat:online", text: QUESTION });
      const answer = await askWith(gateway, { api, stream: false, body: online });
      assert.match(
        String(paramsOf(answer).notes),
        /The plugin web did not act: it has no search engine here/,
      );
      assert.match(answer.sent.headers.get("x-tollgate-notes") ?? "", /no search engine here/);
      assert.deepEqual(stagesOf(answer), []);
    }
    const [said] = await explained(gateway, { model: "mock/chat", input: QUESTION, plugins });
    assert.match(
      String(said?.would),
      /^refuse the request \(400\): plugins\[0\] \(web\) needs a search engine/,
    );
    const native = { model: "mock/responses", input: QUESTION, plugins: [{ id: "web", engine: "native" }] };
    assert.match((await send(gateway, { body: native })).text, /wants the provider's own search/);
    const settled = await managed(gateway, {
      call: "PATCH /workspaces/default",
      body: { default_plugins: plugins },
    });
    assert.equal(settled.status, 200);
    plan(hi);
    const body = { model: "mock/chat", input: QUESTION };
    const answer = await askWith(gateway, { api: "responses", stream: true, body });
    assert.match(String(paramsOf(answer).notes), /has no search engine here/);
  });
  await withWeb({ engines: [], model: sells }, async ({ gateway, plan, taken }) => {
    plan(hi);
    const body = { models: ["mock/chat", "mock/responses"], input: QUESTION, plugins };
    wholeOf(await send(gateway, { body }));
    assert.equal(taken("chat").length, 0, "it cannot search");
    assert.equal(taken("responses").length, 1);
  });
});

Deno.test("an engine that is not switched on is 400 with its path, and the error lists those that are", async () => {
  await withWeb({}, async ({ gateway, plan }) => {
    plan(hi);
    const body = { model: "mock/chat", input: QUESTION, plugins: [{ id: "web", engine: "perplexity" }] };
    const refused = await send(gateway, { body });
    assert.equal(refusedPath(refused), "plugins[0].engine");
    assert.match(refused.text, /Allowed: auto, native, exa/);
  });
});

Deno.test("a request that offers the tool web_search searches by the tool alone", async () => {
  const searching: Turns = (turn) =>
    turn === 0 ? [calls("web_search", { args: { query: "x" } })] : [says("Hi.")];
  await withWeb({}, async ({ gateway, plan, taken, engine }) => {
    for (const [more, model] of [[{ plugins }, "mock/chat"], [{}, "mock/chat:online"]] as const) {
      plan(searching);
      const before = engine("exa").requests.length;
      const body = { model, input: QUESTION, tools: [{ type: "service:web_search" }], ...more };
      const answer = await askWith(gateway, { api: "responses", stream: false, body });
      assert.deepEqual(searches(stagesOf(answer)), []);
      assert.doesNotMatch(JSON.stringify(taken("chat")[0]), /The first 😀 text/);
      assert.equal(engine("exa").requests.length, before + 1);
    }
    const body = { model: "mock/chat", input: QUESTION, tools: [{ type: "service:web_search" }], plugins };
    assert.match(String((await explained(gateway, body))[0]?.would), /leave the search to the tool/);
  });
});

Deno.test("tools of the request are run beside the plugin, whose results stay where they were", async () => {
  const twice: Turns = (turn) => turn === 0 ? [calls("datetime")] : [says("See https://a.example/one.")];
  await withWeb({}, async ({ gateway, plan, taken, engine }) => {
    for (const stream of [false, true]) {
      plan(twice);
      const body = { model: "mock/chat", input: QUESTION, tools: [{ type: "service:datetime" }], plugins };
      const answer = await askWith(gateway, { api: "responses", stream, body });
      const [first, second] = taken("chat").map(({ messages }) => asList(messages));
      assert.match(JSON.stringify(first), /The first 😀 text/);
      assert.deepEqual(second?.slice(0, first?.length), first);
      assert.deepEqual(answer.citations.map(({ url }) => url), ["https://a.example/one"]);
    }
    assert.equal(engine("exa").requests.length, 2);
  });
});

Deno.test("web_search_options of Chat Completions means the plugin, and its size that of a native search", async () => {
  const options = {
    search_context_size: "low",
    user_location: { type: "approximate", approximate: { country: "IT" } },
  };
  const body = (model: string) => ({
    ...requestOn("chat", { model, text: QUESTION }),
    web_search_options: options,
  });
  await withWeb({ model: sells }, async ({ gateway, plan, taken, engine }) => {
    plan(hi);
    wholeOf(await send(gateway, { api: "chat", body: body("mock/responses") }));
    assert.deepEqual(taken("responses")[0]?.tools, [{
      type: "web_search",
      search_context_size: "low",
      user_location: { type: "approximate", country: "IT" },
    }]);
    plan(hi);
    const answer = await askWith(gateway, { api: "chat", stream: false, body: body("mock/chat") });
    assert.match(JSON.stringify(taken("chat")[0]), /The first 😀 text/);
    assert.equal(taken("chat")[0]?.web_search_options, undefined);
    assert.equal(paramsOf(answer).dropped, undefined);
    assert.equal(engine("exa").requests.length, 1);
    const defaults = { default_plugins: [{ id: "web", enabled: false }] };
    const settled = await managed(gateway, { call: "PATCH /workspaces/default", body: defaults });
    assert.equal(settled.status, 200);
    plan(hi);
    wholeOf(await send(gateway, { api: "chat", body: body("mock/chat") }));
    assert.equal(engine("exa").requests.length, 2, "the request asks for it");
  });
  await withWeb(
    { model: { ...sells, supported_parameters: ["web_search_options"] } },
    async ({ gateway, plan, taken, engine }) => {
      plan(hi);
      wholeOf(await send(gateway, { api: "chat", body: body("mock/chat") }));
      assert.deepEqual(taken("chat")[0]?.web_search_options, options);
      plan(hi);
      wholeOf(
        await send(gateway, {
          api: "chat",
          body: requestOn("chat", { model: "mock/chat", text: "?", plugins }),
        }),
      );
      assert.deepEqual(taken("chat")[0]?.web_search_options, {});
      assert.equal(engine("exa").requests.length, 0);
    },
  );
});

Deno.test("a message without a text of its own is searched for by nothing, and the note says so", async () => {
  await withWeb({}, async ({ gateway, plan, engine }) => {
    plan(hi);
    const body = { model: "mock/chat", input: "```\ncode()\n```", plugins };
    const answer = await askWith(gateway, { api: "responses", stream: false, body });
    assert.match(String(paramsOf(answer).notes), /found no text of the user to search for/);
    assert.equal(engine("exa").requests.length, 0);
  });
});

Deno.test("what a page says is read by the guardrails before a model gets it, and so is what is cited", async () => {
  const secret = { url: "https://a.example/", title: "A heffalump", text: "The word is heffalump." };
  await withWeb({ hits: [secret] }, async ({ gateway, plan, taken }) => {
    for (const [action, status] of [["redact", 200], ["block", 403]] as const) {
      const { body: row } = await managed(gateway, {
        call: "POST /guardrails",
        body: { name: action, content_filters: [{ pattern: "heffalump", action }] },
      });
      const { key, record: { hash } } = await createKey(gateway);
      const id = String(asObject(row.data).id);
      const { status: assigned } = await managed(gateway, {
        call: `POST /guardrails/${id}/assignments/keys`,
        body: { key_hashes: [hash] },
      });
      assert.equal(assigned, 200);
      for (const api of apis) {
        plan(() => [says("See https://a.example/.")]);
        const body = requestOn(api, { model: "mock/chat", text: QUESTION, plugins });
        const headers = { "x-service-metadata": action === "block" ? "enabled" : "disabled" };
        const sent = await send(gateway, { api, key, body, headers });
        assert.equal(sent.status, status, sent.text);
        if (status === 403) assert.match(sent.text, /"web-search"/, "it is told what was paid");
        assert.doesNotMatch(JSON.stringify(taken("chat")) + (status === 200 ? sent.text : ""), /heffalump/);
        if (status === 200) assert.match(sent.text, /_citation|citations/);
      }
    }
  });
});

Deno.test("a search that fails costs nothing, is told, and is not made again for the next candidate", async () => {
  const response = () => Response.json({ error: "no" }, { status: 500 });
  await withWeb({ response }, async ({ gateway, plan, engine }) => {
    for (const api of apis) {
      plan(hi);
      const before = engine("exa").requests.length;
      const body = requestOn(api, {
        text: QUESTION,
        model: "mock/chat-500",
        models: ["mock/chat-500", "mock/chat"],
        plugins,
      });
      const answer = await askWith(gateway, { api, stream: false, body });
      assert.match(
        String(paramsOf(answer).notes),
        /did not act: it came to nothing\. The search with Exa failed/,
      );
      assert.deepEqual(searches(stagesOf(answer)), []);
      assert.equal(engine("exa").requests.length, before + 1);
      const receipt = await receiptOf(gateway, answer.sent);
      assert.equal(receipt.usage.web_searches ?? 0, 0);
      const made = receipt.calls?.filter(({ purpose }) => purpose === "plugin:web");
      assert.deepEqual(made?.map(({ cost }) => cost), [0]);
    }
  });
});
