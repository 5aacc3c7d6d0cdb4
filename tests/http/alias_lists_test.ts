/** An alias of several models through the public door: answers, receipts, prices, guardrails and errors. */

import assert from "node:assert/strict";
import { apiNames, call, price, pricedAt, receiptOf } from "../money/rig.ts";
import { readError } from "../support/call.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { mockModel, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, type Script, scripted } from "../support/scripted.ts";

const dear = { prompt: "0.0001", completion: "0.0002" } as const;

const models = [{ name: "first", pricing: dear }, { name: "second", pricing: price }].map((
  { name, pricing },
) => ({
  ...mockModel,
  id: `mock/${name}`,
  upstream_id: name,
  max_output_tokens: 20_000,
  pricing,
}));

/** The first model is down, the second says two words. */
const halfDown: Script = (requested, number) =>
  requested.body.model === "first"
    ? Response.json({ error: { message: "down" } }, { status: 503 })
    : says("chat", "Hello there")(requested, number);

const file = {
  aliases: {
    chain: ["mock/first", "mock/second"],
    gone: ["mock/none", "mock/nobody"],
    // The name of a model, which stands for another one too.
    "mock/first": ["mock/second", "mock/first"],
  },
};

const gatewayAt = (baseUrl: string) =>
  startGateway({ providers: [pricedAt(baseUrl, { wire: "chat", models })], file });

Deno.test("the second model of an alias answers for the first, at its own price, on every API", async () => {
  await using upstream = scripted(halfDown);
  await using gateway = await gatewayAt(upstream.baseUrl);
  const key = await gateway.addKey({ kind: "api", limit: 10 });
  for (const api of apiNames) {
    for (const stream of [false, true]) {
      const response = await call(gateway, { api, key, stream, model: "chain" });
      const said = await response.text();
      assert.equal(response.status, 200, `${api}, ${stream}: ${said}`);
      assert.match(said, /mock\/second/, "the answer names the model that it is of");
      const receipt = await receiptOf(gateway, response);
      assert.deepEqual([receipt.requested_model, receipt.model], ["chain", "mock/second"]);
      assert.equal(receipt.cost, 7 * 1_000 + 2 * 2_000, "only the second is paid");
    }
  }
});

Deno.test("preferences, guardrails and explain see each model of an alias", async () => {
  await using upstream = scripted(halfDown);
  await using gateway = await gatewayAt(upstream.baseUrl);
  const { key, record } = await createKey(gateway);
  const only = await call(gateway, {
    key,
    model: "chain",
    more: { provider: { allow_fallbacks: false } },
  });
  assert.equal((await readError(only)).status, 503, "without fallbacks the first alone is asked");
  const explained = async () => {
    const body = { model: "chain", input: "Hi" };
    const { status, body: reply } = await managed(gateway, { call: "POST /route/explain", body, token: key });
    assert.equal(status, 200, JSON.stringify(reply));
    const candidates = asList(reply.candidates).map(asObject);
    return { requested: reply.requested, shown: candidates.map((one) => [one.model, one.excluded_by]) };
  };
  assert.deepEqual(await explained(), {
    requested: ["chain"],
    shown: [["mock/first", null], ["mock/second", null]],
  });
  const rules = { name: "The second alone", allowed_models: ["mock/second"] };
  const made = await managed(gateway, { call: "POST /guardrails", body: rules });
  const assign = `POST /guardrails/${asObject(made.body.data).id}/assignments/keys`;
  await managed(gateway, { call: assign, body: { key_hashes: [record.hash] } });
  assert.deepEqual((await explained()).shown, [["mock/second", null], ["mock/first", "allowed_models"]]);
  const asked = upstream.requested.length;
  const response = await call(gateway, { key, model: "chain" });
  assert.equal(response.status, 200, await response.text());
  assert.deepEqual(upstream.requested.slice(asked).map(({ body }) => body.model), ["second"]);
});

Deno.test("an alias of unknown models is 404 by its own name, and the list of models has models alone", async () => {
  await using upstream = scripted(halfDown);
  await using gateway = await gatewayAt(upstream.baseUrl);
  const { status, message, error } = await readError(
    await call(gateway, { key: gateway.apiKey, model: "gone" }),
  );
  assert.deepEqual([status, asObject(error.metadata).path], [404, "model"], message);
  assert.match(message, /"gone" stands for mock\/none, mock\/nobody: no such model is configured here/);
  const list = await managed(gateway, { call: "GET /models?limit=500", token: gateway.apiKey });
  assert.deepEqual(asList(list.body.data).map((one) => asObject(one).id).toSorted(), [
    "mock/first",
    "mock/second",
  ]);
  const one = await managed(gateway, { call: "GET /models/chain", token: gateway.apiKey });
  assert.deepEqual([one.status, one.body.id], [200, "mock/first"]);
});
