/** The response cache: what is found again, told how, and at what cost. */

import assert from "node:assert/strict";
import {
  cachedApis,
  type CachedCall,
  callCached,
  generationOf,
  startCacheRig,
} from "../support/cached_call.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import {
  chatChunk,
  chatTurn,
  deltaFrame,
  openingFrames,
  type Requested,
  says,
  sse,
  wholeText,
} from "../support/scripted.ts";

/** Fields of a reply that differ between two requests: ids, times, and what was used. */
const own = /"\w*(?:id|created|_at|cost|tokens)\w*":\s*(?:"[^"]*"|[\d.e-]+|null)/g;
const common = (text: string) => text.replace(own, "");
const usage = /"(?!max_)\w*tokens":\s*(\d+)/g;

Deno.test("a response is given again on every API, whole and streamed, for nothing", async () => {
  await using rig = await startCacheRig(says("chat", "A cached answer."));
  const { gateway, upstream } = rig;
  for (const api of cachedApis) {
    for (const stream of [false, true]) {
      const name = `${api} ${stream}`;
      const asked = upstream.requested.length;
      const first = await callCached(gateway, { api, body: { stream } });
      assert.equal(first.status, 200, first.text);
      assert.equal(first.cached, "MISS", name);
      assert.equal(first.headers.get("x-openrouter-cache-ttl"), "300", name);
      assert.equal(first.headers.get("x-openrouter-cache-source-id"), null, name);
      const again = await callCached(gateway, { api, body: { stream } });
      assert.equal(again.cached, "HIT", name);
      assert.equal(upstream.requested.length, asked + 1, name);
      assert.equal(again.headers.get("x-openrouter-cache-source-id"), first.generation, name);
      assert.match(again.headers.get("x-openrouter-cache-age") ?? "", /^\d+$/);
      assert.match(again.headers.get("x-openrouter-cache-ttl") ?? "", /^(?:300|29\d)$/);
      assert.notEqual(again.generation, first.generation);
      assert.equal(common(again.text), common(first.text), name);
      for (const [count] of again.text.matchAll(usage)) {
        assert.match(count, /(?:max_\w+":\s*\d+|: ?0)$/, name);
      }
      const [paid, free] = [await generationOf(gateway, first), await generationOf(gateway, again)];
      assert.equal(paid.response_cache_source_id, null);
      assert.ok(Number(paid.usage) > 0, name);
      assert.equal(free.response_cache_source_id, first.generation, name);
      const { model, provider_name, finish_reason, status, streamed } = paid;
      const { attempts, usage: cost, total_cost, reserved, settled, lines } = free;
      assert.deepEqual({ attempts, cost, total_cost, reserved, settled, lines }, {
        attempts: [],
        cost: 0,
        total_cost: 0,
        reserved: 0,
        settled: 0,
        lines: [],
      });
      assert.deepEqual(
        [free.model, free.provider_name, free.finish_reason, free.status, free.streamed],
        [model, provider_name, finish_reason, status, streamed],
      );
    }
  }
});

/** Changes of a request, and whether the response to the one before it is found. */
const variations: readonly (readonly [what: string, call: CachedCall, cached: string | null])[] = [
  ["nothing", {}, "HIT"],
  ["attribution", { headers: { "http-referer": "https://a.example", "x-openrouter-title": "A" } }, "HIT"],
  ["order of fields", { body: { temperature: 0.5, model: "acme/one" } }, "HIT"],
  ["null for absent", { body: { top_p: null } }, "HIT"],
  ["the text", { text: "Hello!" }, "MISS"],
  ["temperature", { body: { temperature: 0.6 } }, "MISS"],
  ["the model", { body: { model: "acme/two" } }, "MISS"],
  ["a fallback", { body: { models: ["acme/two"] } }, "MISS"],
  ["streaming", { body: { stream: true } }, "MISS"],
  ["the API", { api: "responses" }, "MISS"],
  ["the session", { headers: { "x-session-id": "s1" } }, "MISS"],
  ["the user", { body: { user: "u1" } }, "MISS"],
  ["the cache is off", { headers: { "x-openrouter-cache": "false" } }, null],
  ["junk", { headers: { "x-openrouter-cache": "yes" } }, null],
  ["capitals", { headers: { "x-openrouter-cache": " TRUE " } }, "HIT"],
  ["clear", { headers: { "x-openrouter-cache-clear": "true" } }, "MISS"],
];

Deno.test("only the same request of the same key finds a response", async () => {
  await using rig = await startCacheRig(says("chat", "Hi."));
  const { gateway } = rig;
  const base = { temperature: 0.5 };
  assert.equal((await callCached(gateway, { body: base })).cached, "MISS");
  for (const [what, { body, ...call }, cached] of variations) {
    assert.equal((await callCached(gateway, { ...call, body: { ...base, ...body } })).cached, cached, what);
  }
  const key = await gateway.addKey({ kind: "api" });
  assert.equal((await callCached(gateway, { body: base, key })).cached, "MISS", "another key");
  assert.equal((await callCached(gateway, { body: base })).cached, "HIT", "the first one's is still there");
});

Deno.test("clear drops what is kept and keeps the new response; without the cache it does nothing", async () => {
  let number = 0;
  await using rig = await startCacheRig((asked) => says("chat", `Answer ${++number}.`)(asked, number));
  const { gateway } = rig;
  const said = async (headers: Readonly<Record<string, string>> = {}) =>
    /Answer \d/.exec((await callCached(gateway, { headers })).text)?.[0];
  const clear = { "x-openrouter-cache-clear": "true" };
  assert.equal(await said(), "Answer 1");
  assert.equal(await said({ ...clear, "x-openrouter-cache": "false" }), "Answer 2");
  assert.equal(await said(), "Answer 1");
  assert.equal(await said(clear), "Answer 3");
  assert.equal(await said(), "Answer 3");
});

const chatEnd = (reason: string) => (asked: Requested) =>
  asked.body.stream === true
    ? sse([
      ...openingFrames("chat"),
      deltaFrame("chat", "Half"),
      chatChunk({ delta: {}, finish_reason: reason }),
      "data: [DONE]\n\n",
    ])
    : Response.json({
      ...wholeText("chat", "Half"),
      choices: [{ index: 0, message: { role: "assistant", content: "Half" }, finish_reason: reason }],
    });

/** How responses end that are not kept, by the text that asks for them. */
const endings: ReadonlyMap<string, (asked: Requested) => Response> = new Map([
  ["cut by the cap", chatEnd("length")],
  ["filtered by the provider", chatEnd("content_filter")],
  ["an error", () => Response.json({ error: { message: "No." } }, { status: 400 })],
  [
    "broken off",
    (asked) =>
      asked.body.stream === true
        ? sse([...openingFrames("chat"), deltaFrame("chat", "Half")])
        : new Response("{", { headers: { "content-type": "application/json" } }),
  ],
]);

const lastText = ({ body }: Requested): string => String(asObject(asList(body.messages).at(-1)).content);

Deno.test("a response that did not end well is never kept", async () => {
  await using rig = await startCacheRig((asked) => endings.get(lastText(asked))?.(asked) ?? assert.fail());
  const { gateway, upstream } = rig;
  for (const text of endings.keys()) {
    for (const api of cachedApis) {
      for (const stream of [false, true]) {
        const asked = upstream.requested.length;
        for (const _ of [1, 2]) {
          const { cached } = await callCached(gateway, { api, text, body: { stream } });
          assert.notEqual(cached, "HIT", `${text} ${api} ${stream}`);
        }
        assert.ok(upstream.requested.length >= asked + 2, `${text} ${api} ${stream}`);
      }
    }
  }
});

const weather = { name: "weather", parameters: { type: "object", properties: {} } };

/** Requests that the cache leaves alone, and one with tools of the client, which it does not. */
const kinds: readonly (readonly [what: string, body: Json, again: string | null])[] = [
  ["a function", { tools: [{ type: "function", function: weather }] }, "HIT"],
  ["a plugin that mends answers", {
    plugins: [{ id: "response-healing" }],
    response_format: { type: "json_object" },
  }, "HIT"],
  ["a plugin that searches", { plugins: [{ id: "web" }] }, null],
  ["a server tool", { tools: [{ type: "openrouter:datetime" }] }, null],
  ["a function and a server tool", {
    tools: [{ type: "function", function: weather }, { type: "openrouter:datetime" }],
  }, null],
  ["echo of what the provider is sent", { stream: true, debug: { echo_upstream_body: true } }, null],
];

Deno.test("requests with tools that act are never answered from the cache, nor are their responses kept", async () => {
  await using engine = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => Response.json({ results: [{ title: "Hi", url: "https://a.example/", content: "Hi there." }] }),
  );
  const env = { SEARXNG_URL: `http://127.0.0.1:${engine.addr.port}` };
  await using rig = await startCacheRig(says("chat", "Hi."), { env });
  const { gateway, upstream } = rig;
  for (const [what, body, again] of kinds) {
    const asked = upstream.requested.length;
    const first = await callCached(gateway, { body });
    assert.equal(first.status, 200, first.text);
    assert.equal(first.cached, again && "MISS", what);
    assert.equal((await callCached(gateway, { body })).cached, again, what);
    assert.equal(upstream.requested.length, asked + (again === null ? 2 : 1), what);
  }
});

Deno.test("a call of the client's function is given again with its arguments", async () => {
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Ulm"}' } };
  await using rig = await startCacheRig(({ body }) => chatTurn(body, { tool_calls: [call] }));
  const body = { tools: [{ type: "function", function: weather }] };
  for (const stream of [false, true]) {
    const first = await callCached(rig.gateway, { body: { ...body, stream } });
    const again = await callCached(rig.gateway, { body: { ...body, stream } });
    assert.equal(again.cached, "HIT");
    assert.match(again.text, /Ulm/);
    assert.equal(common(again.text), common(first.text));
    assert.equal((await generationOf(rig.gateway, again)).finish_reason, "tool_calls");
  }
});

Deno.test("a hit says nothing of routing, and nothing is called twice", async () => {
  await using rig = await startCacheRig(says("chat", "Hi."));
  const headers = { "x-openrouter-metadata": "enabled" };
  const first = await callCached(rig.gateway, { headers });
  assert.match(first.text, /openrouter_metadata/);
  const again = await callCached(rig.gateway, { headers });
  assert.equal(again.cached, "HIT");
  assert.doesNotMatch(again.text, /openrouter_metadata/);
});
