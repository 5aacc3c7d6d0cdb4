import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { startMessagesMock, tokensOf } from "../mocks/messages_upstream.ts";
import { bearer } from "../support/bad_credentials.ts";
import { mockModel, PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { scripted } from "../support/scripted.ts";
import { anthropicOf } from "./anthropic.ts";
import { forEach, targets, withTarget } from "./targets.ts";

const text = "How many tokens are these, Köln 👋?";
const messages: Anthropic.MessageParam[] = [{ role: "user", content: text }];

forEach(
  ["echo", "responses", "chat"],
  "@anthropic-ai/sdk countTokens counts by our tokenizer",
  async (rig) => {
    const { countTokens } = anthropicOf(rig).messages;
    const count = countTokens.bind(anthropicOf(rig).messages);
    const { input_tokens: tokens } = await count({ model: rig.model, messages });
    // The role, and three tokens around each item and at the end.
    assert.equal(tokens, encode(text).length + 1 + 6);
    const system = "Be brief. ".repeat(50);
    const more = await count({ model: rig.model, messages, system });
    assert(more.input_tokens >= tokens + encode(system).length);
    const tools = [{ name: "look", description: "Looks around.", input_schema: { type: "object" as const } }];
    assert((await count({ model: rig.model, messages, tools })).input_tokens > tokens + 10);
    assert.equal(rig.mock?.requests.length ?? 0, 0, "nobody is called");
  },
);

forEach(
  ["messages"],
  "@anthropic-ai/sdk countTokens is answered by a provider of its own API",
  async (rig) => {
    const tools = [{ name: "look", input_schema: { type: "object" as const } }];
    const thinking = { type: "enabled" as const, budget_tokens: 2_000 };
    const body = { model: rig.model, messages, system: "Be brief.", tools, thinking };
    const { input_tokens: tokens } = await anthropicOf(rig).messages.countTokens(body);
    const [requested] = rig.mock?.requests ?? [];
    assert.equal(requested?.path, "/messages/count_tokens");
    assert.equal(tokens, tokensOf(requested?.body ?? {}));
    assert.deepEqual(requested?.body.thinking, thinking);
    assert.equal(requested?.body.model, "claude-haiku-4-5-mock-model");
  },
);

forEach(
  ["messages"],
  "countTokens gives no provider a text that a moderation has not judged",
  async (rig) => {
    const { gateway, model, mock } = rig;
    const { messages: api } = anthropicOf(rig);
    const defaults: readonly unknown[] = [
      [{ id: "moderation" }],
      [{ id: "moderation", locked: true }],
      [{ id: "moderation", enabled: false, locked: true }],
    ];
    for (const default_plugins of defaults) {
      const call = { call: "PATCH /workspaces/default", body: { default_plugins } };
      assert.equal((await managed(gateway, call)).status, 200);
      const { input_tokens: tokens } = await api.countTokens({ model, messages });
      assert.equal(tokens, encode(text).length + 1 + 6);
    }
    const call = { call: "PATCH /workspaces/default", body: { default_plugins: null } };
    assert.equal((await managed(gateway, call)).status, 200);
    const named = { model, messages, plugins: [{ id: "moderation" }] };
    await api.countTokens(named);
    assert.equal(mock?.requests.length, 0, "nobody is called");
    await api.countTokens({ model, messages });
    assert.equal(mock?.requests.length, 1);
  },
);

forEach(
  targets,
  "POST /messages/count_tokens leaves no receipt and costs nothing",
  async ({ gateway, model }) => {
    const response = await fetch(`${gateway.url}/api/v1/messages/count_tokens`, {
      method: "POST",
      headers: { "x-api-key": gateway.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ model, messages, max_tokens: 5, stream: true }),
    });
    assert.deepEqual(Object.keys(await response.json()), ["input_tokens"]);
    assert.match(response.headers.get("request-id") ?? "", /^req_/);
    assert.equal(response.headers.get("x-generation-id"), null);
    const receipts = await fetch(`${gateway.url}/v1/receipts`, {
      headers: bearer(gateway.managementKey),
    });
    assert.deepEqual((await receipts.json()).data, []);
    const key = await fetch(`${gateway.url}/v1/key`, { headers: bearer(gateway.apiKey) });
    assert.equal((await key.json()).data.usage, 0);
  },
);

for (const [fault, kind] of [["429", Anthropic.RateLimitError], ["401", Anthropic.APIError]] as const) {
  Deno.test(`@anthropic-ai/sdk countTokens tells of a provider's ${fault}`, () =>
    withTarget({ target: "messages", upstream: `mock-${fault}` }, async (rig) => {
      const client = anthropicOf(rig);
      await assert.rejects(() => client.messages.countTokens({ model: rig.model, messages }), kind);
      // What a provider says of counts says nothing of its answers.
      await assert.rejects(() => client.messages.create({ model: rig.model, messages, max_tokens: 9 }), kind);
      assert.equal(rig.mock?.requests.length, 2);
    }));
}

Deno.test("POST /messages/count_tokens counts itself where a server of the API does not count", async () => {
  const paths: string[] = [];
  await using upstream = scripted(({ path }) => {
    paths.push(path);
    return Response.json({ detail: "Not Found" }, { status: 404 });
  });
  const provider = providerAt(upstream.baseUrl, { wire: "messages" });
  await using gateway = await startGateway({ providers: [provider] });
  const client = anthropicOf({ gateway });
  const { input_tokens } = await client.messages.countTokens({ model: "mock/model", messages });
  assert.equal(input_tokens, encode(text).length + 7);
  assert.equal(paths.length, 1);
});

Deno.test("POST /messages/count_tokens goes on to the next endpoint", async () => {
  const [broken, well] = [
    startMessagesMock({ apiKey: "another" }),
    startMessagesMock({ apiKey: PROVIDER_KEY }),
  ];
  try {
    const models = [{ ...mockModel, upstream_id: "claude-haiku-4-5-mock-model" }];
    const row = { wire: "messages", models };
    await using gateway = await startGateway({
      providers: [
        providerAt(broken.url, { ...row, id: "broken" }),
        providerAt(well.url, { ...row, id: "well" }),
      ],
    });
    const client = anthropicOf({ gateway });
    const order = { provider: { order: ["broken", "well"] } };
    const count = () =>
      client.post("/v1/messages/count_tokens", { body: { model: "mock/model", messages, ...order } });
    assert(Number((await count() as Anthropic.MessageTokensCount).input_tokens) > 1_000_000);
    assert.equal(broken.requests.length, 1);
  } finally {
    await broken.close();
    await well.close();
  }
});

forEach(
  ["echo"],
  "nothing below /messages has its 404 in another form than Anthropic's",
  async ({ gateway }) => {
    for (
      const [method, path] of [["GET", ""], ["POST", "/batches"], ["GET", "/count_tokens"], ["POST", "/a/b"]]
    ) {
      for (const base of ["/v1", "/api/v1"]) {
        const response = await fetch(`${gateway.url}${base}/messages${path}`, { method });
        assert.equal(response.status, 404);
        const { type, error, request_id } = await response.json();
        assert.deepEqual([type, error.type], ["error", "not_found_error"]);
        assert.match(request_id, /^req_/);
      }
    }
    const other = await fetch(`${gateway.url}/v1/messagesx`);
    assert.equal((await other.json()).error.code, 404);
  },
);

Deno.test("POST /messages/count_tokens ends the provider's call when the client leaves", async () => {
  const [requested, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    await request.text();
    request.signal.addEventListener("abort", () => ended.resolve());
    requested.resolve();
    await ended.promise;
    return new Response(null, { status: 499 });
  });
  const provider = providerAt(`http://127.0.0.1:${server.addr.port}/v1`, { wire: "messages" });
  await using gateway = await startGateway({ providers: [provider] });
  const leaving = new AbortController();
  const client = anthropicOf({ gateway });
  const counting = client.messages.countTokens({ model: "mock/model", messages }, { signal: leaving.signal });
  const refused = assert.rejects(() => counting, Anthropic.APIUserAbortError);
  await requested.promise;
  leaving.abort();
  await refused;
  await ended.promise;
  await server.shutdown();
});
