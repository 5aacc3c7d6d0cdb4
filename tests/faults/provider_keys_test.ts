/** A provider with several keys: one rests alone, the others go on, and each is named by its variable. */

import assert from "node:assert/strict";
import { asList, asObject } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { type Requested, says, scripted } from "../support/scripted.ts";

const ENV = { KEY_A: "sk-first-0123456789", KEY_B: "sk-second-0123456789" } as const;
const keyIn = ({ headers }: Requested) => headers.get("authorization")?.replace("Bearer ", "") ?? "";
const keyed = (baseUrl: string) =>
  providerAt(baseUrl, { wire: "chat", api_key_env: undefined, api_keys_env: ["KEY_A", "KEY_B"] });

const ask = (gateway: Gateway, session: string) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "mock/model",
      session_id: session,
      messages: [{ role: "user", content: "Hi" }],
    }),
  });

async function explained(gateway: Gateway, session: string) {
  const { body } = await managed(gateway, {
    call: "POST /route/explain",
    token: gateway.apiKey,
    body: { model: "mock/model", session_id: session, input: "Hi" },
  });
  return asList(body.candidates).map(asObject);
}

async function statusOf(gateway: Gateway) {
  const { body } = await managed(gateway, { call: "GET /status" });
  return asList(asObject(body.data).endpoints).map(asObject);
}

/** A session whose first key is A. */
async function sessionOfA(gateway: Gateway): Promise<string> {
  for (let at = 0; at < 50; at++) {
    const [first] = await explained(gateway, `s${at}`);
    if (first?.key === "KEY_A") return `s${at}`;
  }
  return assert.fail("one of 50 sessions has the first key");
}

const refusals = [
  { status: 401, headers: {}, standing: "misconfigured" },
  { status: 402, headers: {}, standing: "misconfigured" },
  { status: 403, headers: {}, standing: "misconfigured" },
  { status: 429, headers: { "retry-after": "7" }, standing: "cooling_down" },
] as const;

for (const { status, headers, standing } of refusals) {
  Deno.test(`a key rests alone after ${status}, and the other goes on`, async () => {
    const answer = says("chat", "Hello");
    await using provider = scripted((requested, number) =>
      keyIn(requested) === ENV.KEY_A
        ? Response.json({ error: { message: `No, ${ENV.KEY_A}` } }, { status, headers })
        : answer(requested, number)
    );
    await using gateway = await startGateway({ providers: [keyed(provider.baseUrl)], env: ENV });
    const session = await sessionOfA(gateway);
    const first = await ask(gateway, session);
    assert.equal(first.status, 200);
    await first.body?.cancel();
    assert.deepEqual(provider.requested.map(keyIn), [ENV.KEY_A, ENV.KEY_B]);
    for (const next of [session, "other", "another"]) {
      const again = await ask(gateway, next);
      assert.equal(again.status, 200);
      await again.body?.cancel();
    }
    assert.deepEqual(provider.requested.slice(2).map(keyIn), [ENV.KEY_B, ENV.KEY_B, ENV.KEY_B]);
    const [endpoint] = await statusOf(gateway);
    const keys = asList(endpoint?.keys).map(asObject);
    assert.deepEqual([endpoint?.standing, endpoint?.endpoint_id], ["well", "mock|mock/model|upstream-model"]);
    assert.deepEqual(keys.map((key) => [key.name, key.standing]), [["KEY_A", standing], ["KEY_B", "well"]]);
    const rows = await explained(gateway, session);
    assert.deepEqual(
      rows.map(({ key, position, excluded_by }) => [key, position, excluded_by]),
      [["KEY_B", 1, null], ["KEY_A", null, standing === "misconfigured" ? standing : "resting"]],
    );
    const receipts = await managed(gateway, { call: "GET /receipts" });
    const text = JSON.stringify([endpoint, rows, receipts.body, gateway.logged]);
    assert.match(text, /mock\|mock\/model\|upstream-model\|key:KEY_B/);
    assert.ok(!text.includes("sk-first") && !text.includes("sk-second"), "no key's text");
  });
}

Deno.test("a server that fails is not asked again with the other key", async () => {
  await using broken = scripted(() => new Response("no", { status: 500 }));
  await using other = scripted(says("chat", "Hello"));
  const second = providerAt(other.baseUrl, { id: "second", wire: "chat", api_key_env: undefined });
  await using gateway = await startGateway({ providers: [keyed(broken.baseUrl), second], env: ENV });
  for (let at = 0; at < 6; at++) {
    const response = await ask(gateway, `s${at}`);
    assert.equal(response.status, 200);
    await response.body?.cancel();
  }
  const [endpoint] = (await statusOf(gateway)).filter(({ provider }) => provider === "mock");
  const calls = Number(endpoint?.requests_5m);
  assert.equal(broken.requested.length, calls, "one call a request at most");
  if (calls >= 3) assert.equal(endpoint?.standing, "cooling_down", "for all keys");
});

Deno.test("a provider that refuses all its keys is told as one that refuses the gateway's key", async () => {
  await using provider = scripted(() => Response.json({ error: { message: "no" } }, { status: 401 }));
  await using gateway = await startGateway({ providers: [keyed(provider.baseUrl)], env: ENV });
  const response = await ask(gateway, "s");
  assert.equal(response.status, 502);
  assert.match(String(asObject(asObject(await response.json()).error).message), /refuses the gateway's key/);
  assert.deepEqual(provider.requested.map(keyIn).sort(), [ENV.KEY_A, ENV.KEY_B].sort());
  const { details } = asObject(await (await fetch(`${gateway.url}/readyz`)).json());
  assert.match(String(asObject(details).providers), /^Mock refuses every call with the gateway's key/);
});

Deno.test("a session stays with one key, and sessions are spread over all", async () => {
  await using provider = scripted(says("chat", "Hello"));
  await using gateway = await startGateway({ providers: [keyed(provider.baseUrl)], env: ENV });
  const bySession = new Map<string, Set<string>>();
  for (let at = 0; at < 40; at++) {
    const session = `s${at % 20}`;
    const [first] = await explained(gateway, session);
    await (await ask(gateway, session)).body?.cancel();
    const last = provider.requested.at(-1);
    assert(last !== undefined);
    assert.equal(keyIn(last), first?.key === "KEY_A" ? ENV.KEY_A : ENV.KEY_B, "explain agrees with the call");
    bySession.set(session, (bySession.get(session) ?? new Set()).add(keyIn(last)));
  }
  assert.deepEqual([...bySession.values()].filter(({ size }) => size !== 1), []);
  assert.equal(new Set([...bySession.values()].flatMap((keys) => [...keys])).size, 2);
});

Deno.test("one endpoint is left where no fallback is allowed, with each of its keys", async () => {
  const answer = says("chat", "Hello");
  await using provider = scripted((requested, number) =>
    keyIn(requested) === ENV.KEY_A ? new Response("{}", { status: 401 }) : answer(requested, number)
  );
  await using gateway = await startGateway({
    providers: [
      keyed(provider.baseUrl),
      providerAt("http://127.0.0.1:1", { id: "second", name: "Second", wire: "chat" }),
    ],
    env: ENV,
  });
  for (let at = 0; at < 4; at++) {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: mockModel.id,
        session_id: `s${at}`,
        provider: { order: ["mock"], allow_fallbacks: false },
        messages: [{ role: "user", content: "Hi" }],
      }),
    });
    assert.equal(response.status, 200, await response.text());
  }
});
