/** An alias of several models in every place that takes one, as if its models stood there. */

import assert from "node:assert/strict";
import { apiNames, call, type Calling, price, pricedAt, receiptOf } from "../money/rig.ts";
import { type Gateway, type GatewayOptions, mockModel, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { says, type Script, scripted } from "../support/scripted.ts";

const ids = ["a", "b", "c", "d", "e", "f"];
const models = ids.map((name) => ({
  ...mockModel,
  id: `mock/${name}`,
  upstream_id: name,
  max_output_tokens: 20_000,
  pricing: price,
}));
const aliases = { chain: ["mock/none", "mock/b", "mock/c"], wide: ids.map((name) => `mock/${name}`) };

/** All but one of the models are down. */
const answering = (name: string): Script => (requested, number) =>
  requested.body.model === name
    ? says("chat", "Hello there")(requested, number)
    : Response.json({ error: { message: "down" } }, { status: 503 });

const gatewayAt = (baseUrl: string, { file = {}, limits }: Pick<GatewayOptions, "file" | "limits"> = {}) =>
  startGateway({
    providers: [pricedAt(baseUrl, { wire: "chat", models })],
    file: { aliases, ...file },
    limits,
  });

/** Asks on each API and both ways. */
async function answers(gateway: Gateway, calling: Omit<Calling, "key">): Promise<void> {
  for (const api of apiNames) {
    for (const stream of [false, true]) {
      const response = await call(gateway, { ...calling, key: gateway.apiKey, api, stream });
      const said = await response.text();
      assert.equal(response.status, 200, `${api}, ${stream}: ${said}`);
      assert.equal((await receiptOf(gateway, response)).model, "mock/c", api);
    }
  }
}

const unnamed = { more: { model: undefined } };

Deno.test("an alias is the default model of the gateway, and with a variant behind it", async () => {
  for (const default_model of ["chain", "chain:floor"]) {
    await using upstream = scripted(answering("c"));
    await using gateway = await gatewayAt(upstream.baseUrl, { file: { default_model } });
    await answers(gateway, unnamed);
  }
});

Deno.test("an alias is the default model of a workspace, and the model of a preset", async () => {
  await using upstream = scripted(answering("c"));
  await using gateway = await gatewayAt(upstream.baseUrl);
  const changed = await managed(gateway, {
    call: "PATCH /workspaces/default",
    body: { default_text_model: "chain" },
  });
  assert.deepEqual([changed.status, changed.body.warnings ?? []], [200, []]);
  await answers(gateway, unnamed);
  const saved = await managed(gateway, {
    call: "POST /presets/steady/chat/completions",
    body: { model: "chain" },
  });
  assert.ok(saved.status < 300, JSON.stringify(saved.body));
  await answers(gateway, { model: "@preset/steady" });
});

Deno.test("an alias stands anywhere in models, with others before and behind it", async () => {
  await using upstream = scripted(answering("c"));
  await using gateway = await gatewayAt(upstream.baseUrl);
  await answers(gateway, { model: "mock/a", more: { models: ["chain", "mock/d"] } });
});

Deno.test("of an alias as many models are tried as limits.attempts allows", async () => {
  for (const attempts of [2, 6]) {
    await using upstream = scripted(answering("f"));
    await using gateway = await gatewayAt(upstream.baseUrl, { limits: { attempts } });
    const response = await call(gateway, { key: gateway.apiKey, model: "wide" });
    const said = await response.text();
    assert.equal(response.status, attempts === 6 ? 200 : 503, said);
    assert.deepEqual(upstream.requested.map(({ body }) => body.model), ids.slice(0, attempts));
  }
});
