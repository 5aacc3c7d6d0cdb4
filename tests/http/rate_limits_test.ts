/** Rate limits as callers meet them: on every API, streamed and whole, with their headers. */

import assert from "node:assert/strict";
import { hashKey, keyCollection } from "../../server/management/keys/key_rows.ts";
import { workspaceCollection } from "../../server/management/workspaces/workspace_rows.ts";
import { type FakeClock, fakeClock } from "../support/clock.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { frame, says, type Script, scripted } from "../support/scripted.ts";
import { until } from "../support/until.ts";

interface Rig {
  readonly gateway: Gateway;
  readonly clock: FakeClock;
}

async function withGateway(script: Script, test: (rig: Rig) => Promise<void>): Promise<void> {
  await using upstream = scripted(script);
  const clock = fakeClock();
  const providers = [providerAt(upstream.baseUrl)];
  await using gateway = await startGateway({ providers, clock, env: { TOLLGATE_CORS: "*" } });
  await test({ gateway, clock });
}

const hello = says("responses", "Hello");

const apis: Readonly<Record<string, Json>> = {
  "/v1/responses": { model: "mock/model", input: "Hi", max_output_tokens: 16 },
  "/v1/chat/completions": {
    model: "mock/model",
    messages: [{ role: "user", content: "Hi" }],
    max_tokens: 16,
  },
  "/v1/messages": { model: "mock/model", messages: [{ role: "user", content: "Hi" }], max_tokens: 16 },
  "/v1/messages/count_tokens": { model: "mock/model", messages: [{ role: "user", content: "Hi" }] },
};

interface Call {
  readonly key: string;
  readonly api?: string;
  readonly body?: Json;
  readonly signal?: AbortSignal;
}

function call({ gateway: { url } }: Rig, { key, api = "/v1/responses", body = {}, signal }: Call) {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    origin: "https://a.example",
  };
  const text = JSON.stringify({ ...apis[api], ...body });
  return fetch(url + api, { method: "POST", headers, body: text, signal });
}

/** Sets the limits of a key or a workspace as an operator does. */
async function setLimits(
  { gateway: { url, managementKey } }: Rig,
  path: string,
  limits: Json,
): Promise<void> {
  const answer = await fetch(`${url}/v1/${path}/rate-limits`, {
    method: "PUT",
    headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
    body: JSON.stringify(limits),
  });
  assert.equal(answer.status, 200, await answer.text());
}

async function limitedKey(rig: Rig, limits: Json): Promise<string> {
  const key = await rig.gateway.addKey({ kind: "api" });
  await setLimits(rig, `keys/${hashKey(key)}`, limits);
  return key;
}

/** Limit, remaining and reset, as the two families of headers have them. */
function rateOf({ headers }: Response, { now }: Pick<FakeClock, "now">): unknown {
  const numbers = ["limit", "remaining", "reset"].map((name) =>
    Number(headers.get(`ratelimit-${name}`) ?? NaN)
  );
  const [limit, remaining, reset = 0] = numbers;
  assert.equal(Number(headers.get("x-ratelimit-limit")), limit);
  assert.equal(Number(headers.get("x-ratelimit-remaining")), remaining);
  const ms = Number(headers.get("x-ratelimit-reset")) - now();
  assert.ok(Math.abs(ms - reset * 1_000) <= 1_000, `${ms} ms are ${reset} s`);
  return { limit, remaining, reset };
}

const names = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "x-ratelimit-limit"];

for (const api of Object.keys(apis)) {
  Deno.test(`rateLimit counts on ${api}, whole and streamed, and refuses with 429`, async () => {
    await withGateway(hello, async (rig) => {
      const key = await limitedKey(rig, { requests_per_minute: 2 });
      const whole = await call(rig, { key, api });
      assert.equal(whole.status, 200, await whole.text());
      assert.deepEqual(rateOf(whole, rig.clock), { limit: 2, remaining: 1, reset: 61 });
      const exposed = whole.headers.get("access-control-expose-headers")?.toLowerCase().split(", ");
      for (const name of names) assert.ok(exposed?.includes(name), `${name} is exposed`);
      rig.clock.leap(20_000);
      const streamed = await call(rig, { key, api, body: { stream: true } });
      assert.equal(streamed.status, 200, await streamed.text());
      assert.deepEqual(rateOf(streamed, rig.clock), { limit: 2, remaining: 0, reset: 61 });
      for (const stream of [false, true]) {
        const refused = await call(rig, { key, api, body: { stream } });
        assert.equal(refused.status, 429);
        assert.equal(refused.headers.get("retry-after"), "41");
        assert.deepEqual(rateOf(refused, rig.clock), { limit: 2, remaining: 0, reset: 61 });
        assert.match(await refused.text(), /the key may start 2 requests in any 60 s\. Try again in 41 s/);
      }
      rig.clock.leap(41_000);
      const later = await call(rig, { key, api });
      assert.equal(later.status, 200, await later.text());
    });
  });
}

Deno.test("rateLimit tells in metadata what refused, and all of the error in the usual envelope", async () => {
  await withGateway(hello, async (rig) => {
    const key = await limitedKey(rig, { requests_per_minute: 1 });
    await (await call(rig, { key })).text();
    const { error } = asObject(await (await call(rig, { key })).json());
    assert.deepEqual(error, {
      code: 429,
      message: "Rate limit exceeded: the key may start 1 request in any 60 s. Try again in 60 s.",
      metadata: {
        error_type: "rate_limit_exceeded",
        scope: "key",
        limit_name: "requests_per_minute",
        limit: 1,
        remaining: 0,
        window_seconds: 60,
        retry_after: 60,
      },
    });
  });
});

Deno.test("rateLimit says nothing where no limit is set, and follows a change with the next request", async () => {
  await withGateway(hello, async (rig) => {
    const key = await rig.gateway.addKey({ kind: "api" });
    const free = await call(rig, { key });
    assert.equal(free.status, 200, await free.text());
    for (const name of names) assert.equal(free.headers.get(name), null);
    await setLimits(rig, `keys/${hashKey(key)}`, { requests_per_minute: 1 });
    for (const status of [200, 429]) {
      const answer = await call(rig, { key });
      assert.equal(answer.status, status, await answer.text());
    }
    await setLimits(rig, `keys/${hashKey(key)}`, {});
    const again = await call(rig, { key });
    assert.equal(again.status, 200, await again.text());
    for (const name of names) assert.equal(again.headers.get(name), null);
  });
});

Deno.test("writeRateLimitHeaders tells also those whose request is refused before it counts", async () => {
  await withGateway(hello, async (rig) => {
    const key = await limitedKey(rig, { requests_per_minute: 5 });
    await (await call(rig, { key })).text();
    for (const body of [{ model: 7 }, { input: null, store: true }]) {
      const answer = await call(rig, { key, body });
      assert.equal(answer.status, 400, await answer.text());
      assert.deepEqual(rateOf(answer, rig.clock), { limit: 5, remaining: 4, reset: 61 });
    }
  });
});

Deno.test("rateLimit counts all keys of a workspace together", async () => {
  await withGateway(hello, async (rig) => {
    const { store } = rig.gateway;
    const [home] = await workspaceCollection(store).list();
    assert(home !== undefined);
    const workspaceId = home.record.id;
    const keys = [
      await rig.gateway.addKey({ kind: "api", workspaceId }),
      await rig.gateway.addKey({ kind: "api", workspaceId }),
    ];
    await setLimits(rig, `workspaces/${workspaceId}`, { requests_per_minute: 3 });
    const statuses: number[] = [];
    for (let index = 0; index < 4; index++) {
      const answer = await call(rig, { key: keys[index % 2] ?? "" });
      statuses.push(answer.status);
      const { error } = asObject(await answer.json());
      if (answer.status === 429) assert.equal(asObject(asObject(error).metadata).scope, "workspace");
    }
    assert.deepEqual(statuses, [200, 200, 200, 429]);
  });
});

Deno.test("rateLimit counts tokens as they were used, and says when a request is too large for ever", async () => {
  await withGateway(hello, async (rig) => {
    const key = await limitedKey(rig, { tokens_per_minute: 100 });
    const first = await call(rig, { key });
    assert.equal(first.status, 200);
    const { usage } = asObject(await first.json());
    const used = Number(asObject(usage).total_tokens);
    assert.ok(used > 0 && used < 100);
    assert.equal(first.headers.get("ratelimit-remaining"), String(100 - used));
    const large = await call(rig, { key, body: { input: "x".repeat(1_000) } });
    assert.equal(large.status, 429);
    assert.equal(large.headers.get("retry-after"), null);
    assert.equal(large.headers.get("x-should-retry"), "false");
    // 0.19 tokens for each of a thousand letters, and the 16 of output that the request allows.
    assert.match(await large.text(), /may use 100 tokens in any 60 s, and this request is estimated at 206/);
  });
});

/** Answers that begin and go on for ever, until they are not wanted any more. */
function endless() {
  const seen = { left: 0 };
  const item = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };
  const part = { type: "output_text", text: "", annotations: [] };
  const begin = [
    { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.content_part.added", output_index: 0, content_index: 0, part },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hel" },
  ].map(frame).join("");
  const script: Script = () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(begin)),
      cancel: () => {
        seen.left++;
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { seen, script };
}

Deno.test("rateLimit counts open streams down when their readers leave", async () => {
  const { seen, script } = endless();
  await withGateway(script, async (rig) => {
    const key = await limitedKey(rig, { concurrent_streams: 2 });
    const open: Response[] = [];
    for (let round = 1; round <= 3; round++) {
      for (let index = 0; index < 2; index++) {
        const answer = await call(rig, { key, body: { stream: true } });
        assert.equal(answer.status, 200);
        open.push(answer);
      }
      const refused = await call(rig, { key, body: { stream: true } });
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get("retry-after"), "1");
      assert.match(await refused.text(), /may have 2 streams open at a time/);
      for (const answer of open.splice(0)) await answer.body?.cancel();
      await until(() => seen.left === round * 2, { what: "that both streams have ended" });
    }
  });
});

Deno.test("rateLimit counts a stream that its provider refuses no longer than it lasts", async () => {
  const no = () => Response.json({ error: { message: "Not that one" } }, { status: 400 });
  await withGateway(no, async (rig) => {
    const key = await limitedKey(rig, { concurrent_streams: 1, requests_per_minute: 50 });
    for (let index = 0; index < 5; index++) {
      const answer = await call(rig, { key, body: { stream: true } });
      assert.equal(answer.status, 400, await answer.text());
    }
  });
});

Deno.test("rateLimit counts a rotated key under its first key's name", async () => {
  await withGateway(hello, async (rig) => {
    const [key, twin] = [
      await limitedKey(rig, { requests_per_minute: 2 }),
      await rig.gateway.addKey({ kind: "api" }),
    ];
    await keyCollection(rig.gateway.store).update([hashKey(twin)], (row) => ({
      ...row,
      ledger_id: hashKey(key),
      rate_limits: { requests_per_minute: 2, tokens_per_minute: null, concurrent_streams: null },
    }));
    const statuses: number[] = [];
    for (const one of [key, twin, key, twin]) {
      const answer = await call(rig, { key: one });
      statuses.push(answer.status);
      await answer.text();
    }
    assert.deepEqual(statuses, [200, 200, 429, 429]);
  });
});
