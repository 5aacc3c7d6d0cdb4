/** `service:web_search`: engines, settings, citations, money and what goes wrong. */

import assert from "node:assert/strict";
import { searchEngineIds } from "../../shared/search_engines.ts";
import { receiptOf } from "../money/rig.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import {
  apis,
  calls,
  eventsOf,
  itemsOf,
  price,
  responseOf,
  says,
  send,
  type Turns,
  upstreamWires,
  wholeOf,
} from "./rig.ts";
import { hits, withWeb } from "./web_rig.ts";

const QUERY = "what is new?";
const searching = (text: string): Turns => (turn) =>
  turn === 0 ? [calls("web_search", { args: { query: QUERY } })] : [says(text)];

const tool = (more: Json = {}): readonly Json[] => [{ type: "service:web_search", ...more }];

const textsOf = (result: Json): Json =>
  asObject(asList(itemsOf(result).find(({ type }) => type === "message")?.content)[0]);

for (const engine of searchEngineIds) {
  Deno.test(`web_search asks ${engine}, and the model is told what it found`, async () => {
    await withWeb({ engines: [engine] }, async ({ gateway, plan, taken, engine: mock }) => {
      plan(searching("See https://a.example/one."));
      const result = wholeOf(
        await send(gateway, { body: { model: "mock/chat", input: "?", tools: tool() } }),
      );
      assert.equal(result.status, "completed");
      const [item] = itemsOf(result);
      assert.equal(item?.type, "service:web_search");
      assert.equal(item?.status, "completed");
      const sources = hits.map(({ url }) => ({ type: "url", url }));
      assert.deepEqual(item?.action, { type: "search", query: QUERY, sources });
      assert.equal(mock(engine).requests.length, 1);
      const sent = JSON.stringify(taken("chat").at(-1));
      for (const { url, title, text } of hits) {
        for (const part of [url, title, text]) assert.ok(sent.includes(part), part);
      }
    });
  });
}

for (const wire of upstreamWires) {
  Deno.test(`an answer cites what was found, whole and streamed, on every API (${wire})`, async () => {
    await withWeb({}, async ({ gateway, plan }) => {
      const text =
        "😀 As [One](https://a.example/one) says (https://b.example/two?x=1), not https://c.example.";
      for (const api of apis) {
        for (const stream of [false, true]) {
          plan(searching(text));
          const said = api === "responses" ? { input: "?" } : { messages: [{ role: "user", content: "?" }] };
          const body = { model: `mock/${wire}`, tools: tool(), stream, max_tokens: 500, ...said };
          const { max_tokens: _, ...without } = body;
          const sent = await send(gateway, { api, body: api === "messages" ? body : without });
          for (const url of ["https://a.example/one", "https://b.example/two"]) {
            assert.ok(sent.text.split(url).length > 2, `${api}: ${url} is cited: ${sent.text}`);
          }
          if (api !== "responses") continue;
          const part = textsOf(responseOf(sent));
          const cited = asList(part.annotations).map(asObject);
          assert.deepEqual(
            cited.map(({ start_index, end_index }) =>
              String(part.text).slice(Number(start_index), Number(end_index))
            ),
            ["[One](https://a.example/one)", "https://b.example/two?x=1"],
          );
          assert.deepEqual(cited.map(({ title }) => title), ["One", "Two"]);
        }
      }
    });
  });
}

Deno.test("a search is streamed with its progress, in either spelling", async () => {
  await withWeb({}, async ({ gateway, plan }) => {
    for (const type of ["service:web_search", "openrouter:web_search", "web_search", "web_search_preview"]) {
      plan(searching("Done."));
      const body = { model: "mock/chat", input: "?", tools: [{ type }], stream: true };
      const events = eventsOf(await send(gateway, { body }));
      const itemType = type.startsWith("web_search") ? "web_search_call" : type;
      const seen = events.filter(({ type }) => String(type).includes("web_search_call"));
      assert.deepEqual(seen.map(({ type }) => type), [
        "response.web_search_call.in_progress",
        "response.web_search_call.searching",
        "response.web_search_call.completed",
      ]);
      const added = asObject(events.find(({ type }) => type === "response.output_item.added")?.item);
      assert.deepEqual([added.type, added.status], [itemType, "in_progress"]);
      for (const { item_id, output_index } of seen) assert.deepEqual([item_id, output_index], [added.id, 0]);
    }
  });
});

Deno.test("the engine is the one that is named, else the first that is switched on", async () => {
  await withWeb({ engines: ["parallel", "exa", "searxng"] }, async ({ gateway, plan, engine }) => {
    for (
      const [named, chosen] of [[undefined, "searxng"], ["auto", "searxng"], ["exa", "exa"], [
        "parallel",
        "parallel",
      ]] as const
    ) {
      plan(searching("Done."));
      const before = engine(chosen).requests.length;
      wholeOf(
        await send(gateway, { body: { model: "mock/chat", input: "?", tools: tool({ engine: named }) } }),
      );
      assert.equal(engine(chosen).requests.length, before + 1);
    }
  });
});

/** Every spelling of the tool, by API; those of a provider's own are run here where it is another provider. */
const spellings: Readonly<Record<(typeof apis)[number], readonly Json[]>> = {
  responses: ["service:web_search", "openrouter:web_search", "web_search", "web_search_preview"]
    .map((type) => ({ type })),
  chat: ["service:web_search", "openrouter:web_search", "web_search", "web_search_2025_08_26"]
    .map((type) => ({ type })),
  messages: [
    { type: "service:web_search" },
    { type: "openrouter:web_search" },
    { type: "web_search_20250305", name: "web_search" },
  ],
};

/** A request with the tool, on an API, for a model of a wire. */
function requestOf(
  api: (typeof apis)[number],
  { wire, tool }: { readonly wire: string; readonly tool: Json },
) {
  const said = api === "responses" ? { input: "?" } : { messages: [{ role: "user", content: "?" }] };
  const more = api === "messages" ? { max_tokens: 500 } : {};
  return { api, body: { model: `mock/${wire}`, tools: [tool], ...said, ...more } };
}

const oneOfEach = apis.flatMap((api) => spellings[api].map((spelled) => [api, spelled] as const));

for (const [api, spelled] of oneOfEach) {
  const options = { engines: searchEngineIds, model: { pricing: { ...price, web_search: "0.01" } } };
  Deno.test(`${api}: ${spelled.type} is run by the engine that it names`, async () => {
    await withWeb(options, async ({ gateway, plan, engine }) => {
      for (const wire of ["chat", "responses", "messages"]) {
        for (const id of searchEngineIds) {
          plan(searching("Done."));
          const before = engine(id).requests.length;
          wholeOf(await send(gateway, requestOf(api, { wire, tool: { ...spelled, engine: id } })));
          assert.equal(engine(id).requests.length, before + 1, `${id}, model of the ${wire} wire`);
        }
      }
    });
  });

  Deno.test(`${api}: ${spelled.type} says which engines it may name`, async () => {
    await withWeb({ engines: ["exa", "brave"], model: options.model }, async ({ gateway, plan, taken }) => {
      for (const wire of ["chat", "responses", "messages"] as const) {
        for (const engine of ["firecrawl", "searxng", "bing", "constructor", ""]) {
          const sent = await send(gateway, requestOf(api, { wire, tool: { ...spelled, engine } }));
          assert.equal(sent.status, 400, sent.text);
          assert.match(sent.text, /tools\[0\]\.engine/);
          assert.match(sent.text, /Allowed: auto, native, exa, brave\./);
        }
        for (const engine of ["auto", "native", null]) {
          plan(() => [says("Hi.")]);
          wholeOf(await send(gateway, requestOf(api, { wire, tool: { ...spelled, engine } })));
          assert.doesNotMatch(JSON.stringify(taken(wire)[0]?.tools ?? []), /"engine"/);
        }
      }
    });
  });
}

Deno.test("lists of domains are checked on every API, in every spelling", async () => {
  await withWeb({}, async ({ gateway }) => {
    const wrong: readonly (readonly [settings: Json, path: string])[] = [
      [{ allowed_domains: ["a b"] }, "allowed_domains[0]"],
      [{ blocked_domains: ["a.example", "b.example:8080"] }, "blocked_domains[1]"],
      [{ filters: { blocked_domains: [""] } }, "filters.blocked_domains[0]"],
    ];
    for (const [api, spelled] of oneOfEach) {
      for (const [settings, path] of wrong) {
        const sent = await send(gateway, requestOf(api, { wire: "chat", tool: { ...spelled, ...settings } }));
        assert.equal(sent.status, 400, `${api}: ${JSON.stringify({ ...spelled, ...settings })}`);
        assert.ok(sent.text.includes(path), sent.text);
      }
    }
  });
});

Deno.test("what an engine is not asked is told to the model", async () => {
  const engines = ["brave"] as const;
  await withWeb({ engines }, async ({ gateway, plan, taken, engine }) => {
    const query = "many words ".repeat(100);
    plan((turn) => turn === 0 ? [calls("web_search", { args: { query } })] : [says("Done.")]);
    const settings = {
      allowed_domains: Array.from({ length: 100 }, (_, at) => `${at}.example`),
      user_location: { type: "approximate", country: "LU" },
    };
    wholeOf(await send(gateway, { body: { model: "mock/chat", input: "?", tools: tool(settings) } }));
    const sent = JSON.stringify(taken("chat").at(-1));
    for (const part of [/it was cut to/, /of the 100 allowed domains/, /country LU/, /Nothing was found/]) {
      assert.match(sent, part);
    }
    assert.equal(engine("brave").requests.length, 1);
    plan(searching("Done."));
    wholeOf(await send(gateway, { body: { model: "mock/chat", input: "?", tools: tool() } }));
    assert.doesNotMatch(JSON.stringify(taken("chat").at(-1)), /\bnote\b/);
  });
});

Deno.test("settings reach the engine, and the gateway holds them itself", async () => {
  const many = Array.from({ length: 30 }, (_, at) => ({
    url: `https://${at % 2 === 0 ? "a" : "b"}.example/${at}`,
    title: `Page ${at}`,
    text: "x".repeat(5_000),
  }));
  await withWeb({ hits: many }, async ({ gateway, plan, engine }) => {
    const search = async (settings: Json, times = 1) => {
      plan((turn) =>
        turn < times ? [calls("web_search", { args: { query: QUERY }, id: `call_${turn}` })] : [says("Done.")]
      );
      const result = wholeOf(
        await send(gateway, { body: { model: "mock/chat", input: "?", tools: tool(settings) } }),
      );
      return itemsOf(result).filter(({ type }) => type === "service:web_search");
    };
    const sources = (item: Json | undefined) =>
      asList(asObject(item?.action).sources ?? []).map((one) => String(asObject(one).url));
    assert.equal(sources((await search({}))[0]).length, 5);
    assert.equal(sources((await search({ parameters: { max_results: 12 } }))[0]).length, 12);
    const [only] = await search({ allowed_domains: ["a.example"] });
    assert.ok(
      sources(only).every((url) => url.startsWith("https://a.example/")) && sources(only).length === 5,
    );
    const [without] = await search({ excluded_domains: ["*.example", "a.example/1"] });
    assert.equal(sources(without).length, 0, "wildcards are held by the gateway");
    const total = await search({ max_results: 4, max_total_results: 6 }, 3);
    assert.deepEqual(total.map((item) => sources(item).length), [4, 2, 0]);
    assert.deepEqual(total.map(({ status }) => status), ["completed", "completed", "incomplete"]);
    const uses = await search({ max_uses: 1 }, 2);
    assert.deepEqual(uses.map(({ status }) => status), ["completed", "incomplete"]);
    await search({
      mode: "deep",
      user_location: { type: "approximate", country: "de" },
      max_characters: 900,
    });
    const sent = asObject(engine("exa").requests.at(-1));
    assert.deepEqual([sent.type, sent.userLocation], ["deep", "DE"]);
    assert.deepEqual(asObject(sent.contents).highlights, { maxCharacters: 900 });
  });
});

Deno.test("searches at the same time share max_total_results, and what they did not need is there for later ones", async () => {
  const many = Array.from(
    { length: 30 },
    (_, at) => ({ url: `https://a.example/${at}`, title: "", text: "x" }),
  );
  let asked = 0;
  const { promise: allAsked, resolve } = Promise.withResolvers<void>();
  const response = async () => {
    // The third of a turn is refused without being asked.
    if (++asked === 2) resolve();
    await allAsked;
    return Response.json({
      results: asked <= 2 ? many.map(({ url }) => ({ url, title: "T", text: "x" })) : [],
    });
  };
  await withWeb({ response }, async ({ gateway, plan }) => {
    plan((turn) =>
      turn < 2
        ? [0, 1, 2].map((at) => calls("web_search", { args: { query: QUERY }, id: `call_${turn}_${at}` }))
        : [says("Done.")]
    );
    const tools = tool({ max_results: 4, max_total_results: 6 });
    const result = wholeOf(await send(gateway, { body: { model: "mock/chat", input: "?", tools } }));
    const items = itemsOf(result).filter(({ type }) => type === "service:web_search");
    const counts = items.map(({ action }) => asList(asObject(action).sources ?? []).length);
    assert.deepEqual(counts.slice(0, 3), [4, 2, 0]);
    assert.equal(counts.reduce((sum, count) => sum + count, 0), 6);
    assert.equal(asked, 2, "no search is made whose results nobody may have");
  });
});

Deno.test("results that a search did not bring are left for later ones", async () => {
  const few = [{ url: "https://a.example/1", title: "One", text: "x" }];
  await withWeb({ hits: few }, async ({ gateway, plan }) => {
    plan((turn) =>
      turn < 2
        ? [0, 1].map((at) => calls("web_search", { args: { query: QUERY }, id: `call_${turn}_${at}` }))
        : [says("Done.")]
    );
    const tools = tool({ max_results: 4, max_total_results: 4 });
    const result = wholeOf(await send(gateway, { body: { model: "mock/chat", input: "?", tools } }));
    const items = itemsOf(result).filter(({ type }) => type === "service:web_search");
    assert.deepEqual(items.map(({ status }) => status), [
      "completed",
      "incomplete",
      "completed",
      "incomplete",
    ]);
  });
});

Deno.test("unknown values and wrong types of its options are 400 with their path", async () => {
  await withWeb({}, async ({ gateway }) => {
    const wrong: readonly (readonly [Json, string])[] = [
      [{ engine: "bing" }, "tools[0].engine"],
      [{ max_results: 26 }, "tools[0].max_results"],
      [{ parameters: { max_uses: 0 } }, "tools[0].parameters.max_uses"],
      [{ allowed_domains: ["a b"] }, "tools[0].allowed_domains[0]"],
      [{ excluded_domains: ["example.com:8080"] }, "tools[0].excluded_domains[0]"],
      [{ search_context_size: "huge" }, "tools[0].search_context_size"],
      [{ mode: "slow" }, "tools[0].mode"],
    ];
    for (const [settings, path] of wrong) {
      const sent = await send(gateway, { body: { model: "mock/chat", input: "?", tools: tool(settings) } });
      assert.equal(sent.status, 400, path);
      assert.ok(sent.text.includes(path), sent.text);
    }
  });
});

const failures: Readonly<Record<string, readonly [response: () => Response, word: RegExp]>> = {
  "a wrong key": [() => Response.json({}, { status: 401 }), /key is missing or wrong/],
  "a used-up quota": [() => Response.json({}, { status: 429 }), /rate limit is reached/],
  "a page instead of JSON": [() => new Response("<html>"), /something else than results/],
  "a failing server": [() => Response.json({}, { status: 500 }), /does not work at the moment/],
};

for (const [what, [response, word]] of Object.entries(failures)) {
  Deno.test(`an engine with ${what} is a result, costs nothing, and the model goes on`, async () => {
    await withWeb({ response }, async ({ gateway, plan, taken }) => {
      plan(searching("I could not look it up."));
      const sent = await send(gateway, { body: { model: "mock/chat", input: "?", tools: tool() } });
      const result = wholeOf(sent);
      assert.equal(result.status, "completed");
      assert.equal(itemsOf(result)[0]?.status, "incomplete");
      assert.match(JSON.stringify(taken("chat").at(-1)), word);
      const charged = what === "a page instead of JSON" ? 7_000_000 : 0;
      const receipt = await receiptOf(gateway, new Response(null, { headers: sent.headers }));
      assert.equal(receipt.cost, 2 * 120_000 + charged);
    });
  });
}

Deno.test("an engine that cannot be reached is a result, and costs nothing", async () => {
  const file = { search: { exa: { base_url: "http://127.0.0.1:1" } } };
  await withWeb({ gateway: { file } }, async ({ gateway, plan, taken }) => {
    plan(searching("Sorry."));
    const sent = await send(gateway, { body: { model: "mock/chat", input: "?", tools: tool() } });
    assert.equal(itemsOf(wholeOf(sent))[0]?.status, "incomplete");
    assert.match(JSON.stringify(taken("chat").at(-1)), /cannot be reached/);
    const receipt = await receiptOf(gateway, new Response(null, { headers: sent.headers }));
    assert.equal(receipt.cost, 2 * 120_000);
  });
});

Deno.test("a search without results says so", async () => {
  await withWeb({ hits: [] }, async ({ gateway, plan, taken }) => {
    plan(searching("Nothing."));
    const result = wholeOf(await send(gateway, { body: { model: "mock/chat", input: "?", tools: tool() } }));
    assert.equal(itemsOf(result)[0]?.status, "completed");
    assert.match(JSON.stringify(taken("chat").at(-1)), /Nothing was found/);
  });
});

Deno.test("searches stand on the receipt, each as a line of its call", async () => {
  const found = Array.from({ length: 12 }, (_, at) => ({
    url: `https://a.example/${at}`,
    title: "t",
    text: "x",
  }));
  await withWeb({ hits: found }, async ({ gateway, plan }) => {
    plan((turn) =>
      turn < 2 ? [calls("web_search", { args: { query: QUERY }, id: `call_${turn}` })] : [says("Done.")]
    );
    const sent = await send(gateway, {
      body: { model: "mock/chat", input: "?", tools: tool({ max_results: 12 }) },
    });
    const usage = asObject(wholeOf(sent).usage);
    const cost = 3 * 120_000 + 2 * 9_000_000;
    assert.equal(usage.cost, cost / 1e9);
    assert.equal(asObject(usage.server_tool_use_details).web_search_requests, 2);
    const receipt = await receiptOf(gateway, new Response(null, { headers: sent.headers }));
    assert.equal(receipt.cost, cost);
    assert.equal(receipt.server_tool_cost, 18_000_000);
    assert.deepEqual([receipt.usage.web_searches, receipt.usage.search_results], [2, 24]);
    assert.deepEqual(
      receipt.calls?.map(({ purpose, provider, cost, status }) => [purpose, provider, cost, status]),
      [
        ["model", "mock-chat", 120_000, "completed"],
        ["tool:web_search", "Exa", 9_000_000, "completed"],
        ["model", "mock-chat", 120_000, "completed"],
        ["tool:web_search", "Exa", 9_000_000, "completed"],
        ["model", "mock-chat", 120_000, "completed"],
      ].map((
        [purpose, provider, ...rest],
      ) => [purpose, provider === "mock-chat" ? receipt.provider : provider, ...rest]),
    );
    const headers = { authorization: `Bearer ${gateway.managementKey}` };
    const generation = await fetch(`${gateway.url}/v1/generation?id=${receipt.id}`, { headers });
    const { web_search_engine, num_search_results } = asObject(asObject(await generation.json()).data);
    assert.deepEqual([web_search_engine, num_search_results], ["Exa", 24]);
    const lines = receipt.lines.filter(({ rate }) => rate === "web_search");
    assert.deepEqual(lines.map(({ quantity, unit_price, call }) => [quantity, Number(unit_price), call]), [[
      1,
      0.009,
      1,
    ], [1, 0.009, 3]]);
  });
});

Deno.test("without a price an engine is not offered under a limit, and costs nothing without one", async () => {
  await withWeb({ engines: ["firecrawl"] }, async ({ gateway, plan, engine, taken }) => {
    plan(searching("Done."));
    const body = { model: "mock/chat", input: "?", tools: tool() };
    const sent = await send(gateway, { body });
    wholeOf(sent);
    assert.equal(engine("firecrawl").requests.length, 1);
    const receipt = await receiptOf(gateway, new Response(null, { headers: sent.headers }));
    assert.deepEqual([receipt.cost, receipt.unpriced], [240_000, true]);
    const key = await gateway.addKey({ kind: "api", limit: 1 });
    plan(() => [says("Hi.")]);
    wholeOf(await send(gateway, { body, key }));
    assert.equal(taken("chat")[0]?.tools, undefined);
  });
  await withWeb({ engines: ["firecrawl"], price: "0.002" }, async ({ gateway, plan, engine }) => {
    plan(searching("Done."));
    const key = await gateway.addKey({ kind: "api", limit: 1 });
    wholeOf(await send(gateway, { body: { model: "mock/chat", input: "?", tools: tool() }, key }));
    assert.equal(engine("firecrawl").requests.length, 1);
  });
});

Deno.test("a search that the limit does not allow is a result, and is not made", async () => {
  await withWeb({}, async ({ gateway, plan, engine }) => {
    plan(searching("Done."));
    const key = await gateway.addKey({ kind: "api", limit: 0.005 });
    const body = { model: "mock/chat", input: "?", tools: tool(), max_output_tokens: 500 };
    const sent = await send(gateway, { body, key });
    const [item] = itemsOf(wholeOf(sent));
    assert.equal(item?.status, "incomplete");
    assert.equal(engine("exa").requests.length, 0);
  });
});
