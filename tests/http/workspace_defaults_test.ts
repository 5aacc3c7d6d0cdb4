/** Tests the defaults of a workspace where a request names none: a model, and the order of providers. */

import assert from "node:assert/strict";
import { readError } from "../support/call.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, mockModel, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { apiNames, call, pricedAt } from "../money/rig.ts";

const answer = says("chat", "one two three");

async function settle(gateway: Gateway, body: Json): Promise<void> {
  const { status, body: reply } = await managed(gateway, { call: "PATCH /workspaces/default", body });
  assert.equal(status, 200, JSON.stringify(reply));
}

const noModel = { more: { model: undefined } };

Deno.test("a request that names no model gets its workspace's, before the gateway's own default", async () => {
  await using upstream = scripted(answer);
  const models = ["one", "two", "three"].map((name) => ({
    ...mockModel,
    id: `mock/${name}`,
    upstream_id: name,
    output_modalities: ["text", "image"],
  }));
  await using gateway = await startGateway({
    providers: [pricedAt(upstream.baseUrl, { wire: "chat", models })],
    file: { default_model: "mock/one" },
  });
  const { key } = await createKey(gateway);
  const lab = await managed(gateway, { call: "POST /workspaces", body: { name: "Lab", slug: "lab" } });
  const { key: outside } = await createKey(gateway, { workspace_id: asObject(lab.body.data).id });
  const requested = async (more: Json = {}, one = key) => {
    const response = await call(gateway, { key: one, more: { ...noModel.more, ...more } });
    assert.equal(response.status, 200, await response.text());
    return upstream.requested.at(-1)?.body.model;
  };
  const image = { modalities: ["text", "image"] };
  assert.equal(await requested(), "one");
  await settle(gateway, { default_text_model: "mock/two" });
  assert.deepEqual([await requested(), await requested(image), await requested({}, outside)], [
    "two",
    "two",
    "one",
  ]);
  await settle(gateway, { default_image_model: "mock/three" });
  assert.deepEqual([await requested(), await requested(image)], ["two", "three"]);
  assert.equal(await requested({ ...image, model: "mock/one" }), "one");
  for (const api of apiNames) {
    await (await call(gateway, { key, api, ...noModel })).body?.cancel();
    assert.equal(upstream.requested.at(-1)?.body.model, "two", api);
  }
  await settle(gateway, { default_text_model: "mock/gone" });
  const refused = await readError(await call(gateway, { key, ...noModel }));
  assert.deepEqual([refused.status, /mock\/gone/.test(refused.message)], [404, true]);
  await settle(gateway, { default_text_model: null, default_image_model: null });
  assert.deepEqual([await requested(), await requested(image)], ["one", "one"]);
});

Deno.test("a workspace's order of providers holds where the request has none of its own", async () => {
  await using upstream = scripted(answer);
  const at = (id: string, prompt: string) => {
    const model = { ...mockModel, max_output_tokens: 100, pricing: { prompt, completion: prompt } };
    return pricedAt(upstream.baseUrl, { id, wire: "chat", models: [model] });
  };
  await using gateway = await startGateway({ providers: [at("dear", "0.00001"), at("cheap", "0.000001")] });
  const { key } = await createKey(gateway);
  const strategy = async (more: Json = {}) => {
    const body = { model: "mock/model", input: "Hi", ...more };
    const { body: explanation } = await managed(gateway, { call: "POST /route/explain", body, token: key });
    const [first] = asList(explanation.candidates);
    return [asObject(first).provider_slug, asObject(first).probability];
  };
  const [, drawn] = await strategy();
  assert(Number(drawn) < 1, "drawn by weight");
  await settle(gateway, { default_provider_sort: "price" });
  assert.deepEqual(await strategy(), ["cheap", 1]);
  assert.deepEqual(await strategy({ provider: { order: ["dear"] } }), ["dear", 1]);
  const variant = await strategy({ model: "mock/model:nitro" });
  assert(Number(variant[1]) < 1, "nobody has a throughput yet, so that sort leaves the draw");
  for (const wrong of ["cheapest", "", 1]) {
    const body = { default_provider_sort: wrong };
    const { status } = await managed(gateway, { call: "PATCH /workspaces/default", body });
    assert.equal(status, 400, String(wrong));
  }
  await settle(gateway, { default_provider_sort: null });
  assert(Number((await strategy())[1]) < 1);
});
