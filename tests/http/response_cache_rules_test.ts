/** The response cache by the rules of now: whatever changes between the first use of a response and the second. */

import assert from "node:assert/strict";
import {
  cachedApis,
  type CachedCall,
  type CachedReply,
  type CacheRig,
  callCached,
  generationOf,
  startCacheRig,
} from "../support/cached_call.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, type MadeKey, managed } from "../support/manage.ts";
import { deltaFrame, openingFrames, says } from "../support/scripted.ts";
import { shiftedClock, type ShiftedTime } from "../support/ticking_clock.ts";

interface Between extends CacheRig {
  readonly made: MadeKey;
  /** Calls a management operation, and gives its data. */
  readonly manage: (call: string, body?: Json) => Promise<Json>;
  readonly time: ShiftedTime;
}

interface Change {
  readonly what: string;
  /** Fields of the key. */
  readonly key?: Json;
  /** Before the first use. */
  readonly before?: (rig: Between) => Promise<unknown>;
  readonly change: (rig: Between) => Promise<unknown>;
  readonly call?: CachedCall;
  /** The second use: the word of its reply on the cache, or its status where it is refused. */
  readonly then: "HIT" | "MISS" | null | number;
  /** Text that the second reply has. */
  readonly says?: string;
  /** Times that the provider was asked in the end; 1 for hits and refusals, else 2. */
  readonly asked?: number;
}

const guardrail = async ({ manage }: Pick<Between, "manage">, change: Json) => {
  const { default_guardrail_id: id } = await manage("GET /workspaces/default");
  await manage(`PATCH /guardrails/${id}`, change);
};
const noFilters = {
  content_filters: [],
  allowed_models: null,
  ignored_models: null,
  enforce_zdr_other: null,
};
const pattern = (action: string) => ({ content_filters: [{ pattern: "answer", action }] });
const preset = ({ manage }: Between, fields: Json) =>
  manage("POST /presets/cached/chat/completions", { model: "acme/one", ...fields });
const byPreset: CachedCall = {
  body: { model: undefined, preset: "cached" },
  headers: { "x-openrouter-cache": "" },
};
const byKey: CachedCall = { headers: { "x-openrouter-cache": "" } };
const setKey = ({ manage, made }: Between, fields: Json) => manage(`PATCH /keys/${made.record.hash}`, fields);

const HOUR = 3_600_000;
const inAnHour = () => new Date(Date.now() + HOUR).toISOString();

const changes: readonly Change[] = [
  { what: "nothing", change: () => Promise.resolve(), then: "HIT", says: "An answer." },
  { what: "the key is disabled", change: (rig) => setKey(rig, { disabled: true }), then: 401, asked: 1 },
  {
    what: "the key is deleted",
    change: ({ manage, made }) => manage(`DELETE /keys/${made.record.hash}`),
    then: 401,
  },
  { what: "its limit is spent", change: (rig) => setKey(rig, { limit: 0.000001 }), then: 402 },
  {
    what: "its rate is used up",
    before: ({ manage, made }) =>
      manage(`PUT /keys/${made.record.hash}/rate-limits`, { requests_per_minute: 1 }),
    change: () => Promise.resolve(),
    then: 429,
  },
  {
    what: "the model is forbidden",
    change: (rig) => guardrail(rig, { ignored_models: ["acme/*"] }),
    then: 404,
  },
  {
    what: "requests are filtered",
    change: (rig) =>
      guardrail(rig, {
        content_filters: [{ pattern: "Hello", action: "block" }],
      }),
    then: 403,
  },
  { what: "responses are blocked", change: (rig) => guardrail(rig, pattern("block")), then: 403, asked: 2 },
  {
    what: "responses are changed",
    change: (rig) => guardrail(rig, pattern("redact")),
    then: "MISS",
    says: "[",
  },
  {
    what: "nothing may be retained",
    change: (rig) => guardrail(rig, { enforce_zdr_other: true }),
    then: null,
  },
  {
    what: "a filter is there, and stays",
    before: (rig) => guardrail(rig, pattern("redact")),
    change: () => Promise.resolve(),
    then: "HIT",
    says: "[",
  },
  {
    what: "the workspace has a new description",
    change: ({ manage }) => manage("PATCH /workspaces/default", { description: "Of another team" }),
    then: "HIT",
  },
  {
    what: "a preset that caches",
    before: (rig) => preset(rig, { cache_enabled: true, cache_ttl_seconds: 77 }),
    change: () => Promise.resolve(),
    call: byPreset,
    then: "HIT",
  },
  {
    what: "its settings change",
    before: (rig) => preset(rig, { cache_enabled: true }),
    change: (rig) => preset(rig, { cache_enabled: true, temperature: 0.1 }),
    call: byPreset,
    then: "MISS",
  },
  {
    what: "it caches no more",
    before: (rig) => preset(rig, { cache_enabled: true }),
    change: (rig) => preset(rig, { cache_enabled: false }),
    call: { ...byPreset, headers: {} },
    then: null,
  },
  {
    what: "a key that caches",
    key: { cache_enabled: true },
    change: () => Promise.resolve(),
    call: byKey,
    then: "HIT",
  },
  {
    what: "the key caches no more",
    key: { cache_enabled: true, cache_ttl_seconds: 60 },
    change: (rig) => setKey(rig, { cache_enabled: false }),
    call: byKey,
    then: null,
  },
  {
    what: "a preset of its requests does not",
    key: { cache_enabled: true },
    before: (rig) => preset(rig, { cache_enabled: true }),
    change: (rig) => preset(rig, { cache_enabled: false }),
    call: byPreset,
    then: null,
  },
  {
    what: "it is disabled",
    before: (rig) => preset(rig, { cache_enabled: true }),
    change: ({ manage }) => manage("PATCH /presets/cached", { status: "disabled" }),
    call: byPreset,
    then: 400,
  },
  {
    what: "the key has run out",
    key: { expires_at: inAnHour() },
    change: ({ time }) => Promise.resolve(time.ahead = 2 * HOUR),
    then: 401,
  },
];

/** Calls management operations of a gateway, and gives their data. */
const managerOf = (gateway: Gateway) => async (call: string, body?: Json): Promise<Json> => {
  const done = await managed(gateway, { call, body });
  assert.ok(done.status < 300, `${call} ${JSON.stringify(done.body)}`);
  return asObject(done.body.data ?? {});
};

const outcomeOf = ({ status, cached }: CachedReply) => status === 200 ? cached : status;

Deno.test("what has changed since the first use of a response holds for the second", async () => {
  const time: ShiftedTime = { ahead: 0 };
  await using rig = await startCacheRig(says("chat", "An answer."), { clock: shiftedClock(time) });
  const { gateway, upstream } = rig;
  const manage = managerOf(gateway);
  for (const { what, key: fields, before, change, call = {}, then, says: said, asked } of changes) {
    const own: Between = { ...rig, made: await createKey(gateway, fields), manage, time };
    await guardrail(own, noFilters);
    await before?.(own);
    const from = upstream.requested.length;
    const key = own.made.key;
    const first = await callCached(gateway, { ...call, key });
    assert.equal(outcomeOf(first), "MISS", `${what}: ${first.text}`);
    await change(own);
    const second = await callCached(gateway, { ...call, key });
    assert.equal(outcomeOf(second), then, `${what}: ${second.text}`);
    if (said !== undefined) assert.ok(second.text.includes(said), `${what}: ${second.text}`);
    const usual = then === "HIT" || typeof then === "number" ? 1 : 2;
    assert.equal(upstream.requested.length - from, asked ?? usual, what);
  }
});

/** Begins a stream, and ends it when the test lets it. */
function held() {
  const opened = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const script = () => {
    const encoder = new TextEncoder();
    const frames = [...openingFrames("chat"), deltaFrame("chat", "Half")].join("");
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(encoder.encode(frames));
        opened.resolve();
        released.promise.then(() => controller.close(), () => {});
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { script, opened: opened.promise, release: () => released.resolve() };
}

Deno.test("a stream that its client leaves is not kept", async () => {
  const first = held();
  await using rig = await startCacheRig((asked, number) =>
    number === 0 ? first.script() : says("chat", "Whole.")(asked, number)
  );
  const { gateway } = rig;
  const leaving = new AbortController();
  const left = callCached(gateway, { body: { stream: true }, signal: leaving.signal });
  await first.opened;
  leaving.abort();
  await assert.rejects(left);
  first.release();
  const second = await callCached(gateway, { body: { stream: true } });
  assert.equal(second.cached, "MISS");
  assert.match(second.text, /Whole/);
  assert.match((await callCached(gateway, { body: { stream: true } })).text, /Whole/);
});

Deno.test("equal requests at the same time are each called and paid, and never beyond the limit", async () => {
  const both = Promise.withResolvers<void>();
  await using rig = await startCacheRig(async (asked, number) => {
    if (number === 1) both.resolve();
    await both.promise;
    return says("chat", "One two.")(asked, number);
  });
  const { gateway, upstream } = rig;
  const { key, record } = await createKey(gateway, { limit: 0.01 });
  const [one, two] = await Promise.all([callCached(gateway, { key }), callCached(gateway, { key })]);
  assert.deepEqual([one.cached, two.cached], ["MISS", "MISS"]);
  const again = await callCached(gateway, { key });
  assert.equal(again.cached, "HIT");
  assert.equal(upstream.requested.length, 2);
  const paid = await Promise.all([one, two, again].map((reply) => generationOf(gateway, reply)));
  const costs = paid.map(({ total_cost }) => Number(total_cost));
  assert.ok(costs[0] && costs[0] > 0);
  assert.deepEqual(costs, [costs[0], costs[0], 0]);
  await gateway.ledger.caughtUp();
  const { body } = await managed(gateway, { call: `GET /keys/${record.hash}` });
  assert.equal(asObject(body.data).usage, 2 * Number(costs[0]));
});

Deno.test("M1 holds with the cache: a limit pays for what was called, and a hit reserves nothing", async () => {
  await using rig = await startCacheRig(says("chat", "One two three."));
  const { gateway, upstream } = rig;
  const body = { max_tokens: 20 };
  const probe = await generationOf(gateway, await callCached(gateway, { body, text: "Probe" }));
  const [reserved, cost] = [Number(probe.reserved), Number(probe.total_cost)];
  // Room for three calls, the last of them with nothing left over.
  const limit = Number((reserved + 2 * cost).toFixed(9));
  const { key, record } = await createKey(gateway, { limit });
  const texts = ["Text a", "Text b", "Text c", "Text d", "Text e", "Text f"];
  const asked = upstream.requested.length;
  const replies = await Promise.all(
    [...texts, ...texts, ...texts].map((text) => callCached(gateway, { key, text, body })),
  );
  const hits = replies.filter(({ cached }) => cached === "HIT");
  const calls = upstream.requested.length - asked;
  for (const hit of hits) assert.equal((await generationOf(gateway, hit)).reserved, 0);
  await gateway.ledger.caughtUp();
  const { body: shown } = await managed(gateway, { call: `GET /keys/${record.hash}` });
  const spent = Number(asObject(shown.data).usage);
  assert.ok(spent <= limit, `${spent} of ${limit}`);
  assert.equal(spent.toFixed(9), (calls * cost).toFixed(9));
});

Deno.test("a response that a guardrail stops is not kept for later", async () => {
  await using rig = await startCacheRig(says("chat", "An answer."));
  const { gateway, upstream } = rig;
  const manage = managerOf(gateway);
  await guardrail({ manage }, pattern("block"));
  for (const api of cachedApis) {
    for (const stream of [false, true]) {
      const asked = upstream.requested.length;
      for (const _ of [1, 2]) {
        const { cached } = await callCached(gateway, { api, body: { stream } });
        assert.notEqual(cached, "HIT", `${api} ${stream}`);
      }
      assert.equal(upstream.requested.length, asked + 2, `${api} ${stream}`);
    }
  }
});

Deno.test("embeddings are given again", async () => {
  const data = [{ object: "embedding", index: 0, embedding: [0.5, 0.25] }];
  const usage = { prompt_tokens: 3, total_tokens: 3 };
  await using rig = await startCacheRig(() => Response.json({ object: "list", data, model: "m", usage }));
  const call = () =>
    fetch(`${rig.gateway.url}/v1/embeddings`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${rig.gateway.apiKey}`,
        "content-type": "application/json",
        "x-openrouter-cache": "true",
      },
      body: JSON.stringify({ model: "acme/vectors", input: "Hello" }),
    });
  const [first, again] = [await call(), await call()];
  assert.equal(first.headers.get("x-openrouter-cache-status"), "MISS", await first.clone().text());
  assert.equal(again.headers.get("x-openrouter-cache-status"), "HIT");
  const [one, two] = [asObject(await first.json()), asObject(await again.json())];
  assert.deepEqual(two.data, one.data);
  assert.equal(asObject(two.usage).prompt_tokens, 0);
  assert.equal(rig.upstream.requested.length, 1);
});

Deno.test("a service that judges texts is asked about a hit too, and its word of now holds", async () => {
  let action = "allow";
  const asked: string[] = [];
  await using judge = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    asked.push(await request.text());
    return Response.json({ action: asked.at(-1)?.includes("An answer.") ? action : "allow" });
  });
  const host = `127.0.0.1:${judge.addr.port}`;
  const file = { fetch: { allowed_hosts: [host] } };
  await using rig = await startCacheRig(says("chat", "An answer."), { file });
  await guardrail({ manage: managerOf(rig.gateway) }, {
    external: { type: "http", url: `http://${host}/judge`, on: ["input", "output"] },
  });
  assert.equal((await callCached(rig.gateway)).cached, "MISS");
  const before = asked.length;
  assert.equal((await callCached(rig.gateway)).cached, "HIT");
  assert.equal(asked.length, 2 * before);
  action = "block";
  assert.equal((await callCached(rig.gateway)).status, 403);
  assert.equal(rig.upstream.requested.length, 1);
});

Deno.test("texts that are masked for the provider are the client's own again in a hit", async () => {
  await using rig = await startCacheRig(({ body }, number) =>
    says("chat", `You wrote ${/\[EMAIL_\d\]/.exec(JSON.stringify(body))?.[0]}.`)({
      path: "",
      headers: new Headers(),
      body,
    }, number)
  );
  await guardrail({ manage: managerOf(rig.gateway) }, {
    content_filter_builtins: [{ slug: "email", action: "mask" }],
  });
  for (const cached of ["MISS", "HIT"]) {
    const reply = await callCached(rig.gateway, { text: "I am ada@example.org" });
    assert.equal(reply.cached, cached);
    assert.match(reply.text, /You wrote ada@example\.org\./);
  }
});

Deno.test("each instance has a cache of its own", async () => {
  await using rig = await startCacheRig(says("chat", "Hi."), { shared: true });
  const { gateway, upstream, options } = rig;
  await using other = await startGateway({ ...options, beside: gateway });
  const there = { url: other.url, apiKey: gateway.apiKey };
  for (const cached of ["MISS", "HIT"]) assert.equal((await callCached(gateway)).cached, cached);
  for (const cached of ["MISS", "HIT"]) assert.equal((await callCached(there)).cached, cached);
  const headers = { "x-openrouter-cache-clear": "true" };
  assert.equal((await callCached(there, { headers })).cached, "MISS");
  assert.equal((await callCached(gateway)).cached, "HIT", "nothing is cleared elsewhere");
  assert.equal(upstream.requested.length, 3);
});

Deno.test("a model that is configured anew by a reload is asked again", async () => {
  const files = new Map<string, string>();
  await using rig = await startCacheRig(says("chat", "Hi."), { files });
  const { gateway, upstream } = rig;
  for (const cached of ["MISS", "HIT"]) assert.equal((await callCached(gateway)).cached, cached);
  assert.equal((await managed(gateway, { call: "POST /reload" })).status, 200);
  assert.equal((await callCached(gateway)).cached, "HIT", "no setting has changed");
  const changed = files.get("test.jsonc")?.replaceAll("0.000001", "0.000002") ?? assert.fail();
  files.set("test.jsonc", changed);
  const { status, body } = await managed(gateway, { call: "POST /reload" });
  assert.equal(status, 200, JSON.stringify(body));
  for (const cached of ["MISS", "HIT"]) assert.equal((await callCached(gateway)).cached, cached);
  assert.equal(upstream.requested.length, 2);
});

Deno.test("metrics count hits apart from calls of models", async () => {
  await using rig = await startCacheRig(says("chat", "Hi."));
  const { gateway } = rig;
  for (const _ of [1, 2, 3]) await callCached(gateway);
  await gateway.ledger.caughtUp();
  const authorization = `Bearer ${gateway.managementKey}`;
  const text = await (await fetch(`${gateway.url}/metrics`, { headers: { authorization } })).text();
  const count = (name: string) =>
    text.split("\n").filter((line) => line.startsWith(name)).map((line) => Number(line.split(" ").at(-1)));
  assert.deepEqual(count('tollgate_response_cache_hits_total{api="chat"}'), [2]);
  assert.deepEqual(count('tollgate_requests_total{api="chat",status="completed"}'), [3]);
  assert.deepEqual(count("gen_ai_client_operation_duration_seconds_count"), [1]);
});
