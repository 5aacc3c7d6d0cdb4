/** `openrouter/auto` as a step of the plan: its place among models, its bands, its words when nothing is left. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { modelRequest } from "../support/requests.ts";
import type { Plugin } from "../../shared/responses/plugins.ts";
import { endpointAt, routing, type RoutingOptions } from "../routing/rig.ts";
import { noEvidence } from "../../server/pipeline/routing/routers/evidence.ts";
import { UpstreamError } from "../../server/pipeline/routing/upstream_error.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";

/** Models m0 to m9 of acme, m0 the cheapest, and their evidence: the dearest is the best. */
const ids = Array.from({ length: 10 }, (_, at) => `acme/m${at}`);
const endpoints = ids.map((id, at) => endpointAt(`p${at}`, { usd: 1 + at, model: { id } }));
const evidence = { ...noEvidence, defaultModels: ids.toReversed() };
const rig = (more: Partial<RoutingOptions> = {}) => routing({ endpoints, evidence, ...more });

const plugin = (settings: Omit<Extract<Plugin, { id: "auto-router" }>, "id">): Plugin => ({
  id: "auto-router",
  ...settings,
});
const auto = (fields: Partial<ModelRequest> = {}) => modelRequest({ model: "openrouter/auto", ...fields });

const explained = (fields: Partial<ModelRequest>, more?: Partial<RoutingOptions>): Json =>
  asObject(rig(more).explain(auto(fields)));
const orderOf = (explanation: Json): readonly unknown[] =>
  asList(explanation.order).map((one) => asObject(one).model);
const order = (fields: Partial<ModelRequest>, more?: Partial<RoutingOptions>) =>
  orderOf(explained(fields, more)).map((id) => String(id).slice("acme/".length)).join(" ");

Deno.test("openrouter/auto is replaced by the best of its band and its fallbacks, at most one an attempt", () => {
  assert.equal(order({}), "m1 m0");
  assert.equal(order({ plugins: [plugin({ cost_tier: "medium" })] }), "m3 m2");
  assert.equal(order({ plugins: [plugin({ cost_tier: "max" })] }), "m9 m8");
  assert.equal(order({ plugins: [plugin({ cost_quality_tradeoff: 0 })] }), "m8 m7 m6 m5");
  assert.equal(order({ plugins: [plugin({ cost_quality_tradeoff: 0 })] }, { attempts: 2 }), "m8 m7");
  assert.equal(order({ plugins: [plugin({ cost_quality_tradeoff: 10 })] }), "m0");
  assert.equal(order({ plugins: [plugin({ cost_quality_tradeoff: 0, cost_tier: "low" })] }), "m1 m0");
});

Deno.test("service/auto, aliases, default models and the plugin alone stand for the same router", () => {
  for (const model of ["service/auto", "fast", "openrouter/auto:nitro"]) {
    assert.equal(order({ model }, { aliases: { fast: "openrouter/auto" } }), "m1 m0", model);
  }
  assert.equal(order({ model: undefined }, { defaultModel: "service/auto" }), "m1 m0");
});

Deno.test("a slug in models keeps its place beside named models", () => {
  const both = explained({ model: "acme/m7", models: ["openrouter/auto", "acme/m8"] });
  assert.deepEqual(orderOf(both), ["acme/m7", "acme/m1", "acme/m0", "acme/m8"]);
  assert.deepEqual(both.requested, ["acme/m7", "openrouter/auto", "acme/m8"]);
  assert.equal(both.strategy, "fallback");
  const aliases = { mix: ["acme/m7", "openrouter/auto", "acme/m8"] };
  assert.equal(order({ model: "mix" }, { aliases }), "m7 m1 m0 m8", "an alias of several, too");
  const first = explained({ models: ["acme/m8"] });
  assert.deepEqual(orderOf(first), ["acme/m1", "acme/m0", "acme/m8"]);
  assert.equal(first.strategy, "auto");
});

Deno.test("a slug that is no router is 404 and lists those that are", async () => {
  for (const model of ["openrouter/bodybuilder", "service/magic", "openrouter/autos:free"]) {
    const { error } = await rig().send({ model });
    assert.match(
      String(error),
      /No model named .* Of such names there are openrouter\/auto, openrouter\/auto-beta/,
      model,
    );
  }
});

Deno.test("settings of the other router, and of a router that is not named, mean nothing", async () => {
  const plugins: readonly Plugin[] = [{ id: "auto-beta-router", cost_tier: "max" }];
  assert.equal(order({ plugins }), "m1 m0");
  assert.equal(order({ model: "openrouter/auto-beta", plugins }), "m9 m8");
  const { record } = await rig().send({ model: "openrouter/auto-beta", plugins });
  assert.deepEqual([record.router, record.stages.map(({ name }) => name)], [
    "openrouter/auto-beta",
    ["auto-beta-router"],
  ]);
});

Deno.test("patterns choose among models, what is excluded is out, and none left is 404", async () => {
  const tier = { cost_quality_tradeoff: 0 };
  assert.equal(order({ plugins: [plugin({ ...tier, allowed_models: ["acme/m2", "*/m3"] })] }), "m2");
  assert.equal(order({ plugins: [plugin({ ...tier, excluded_models: ["acme/*"] })] }), "");
  const both = { allowed_models: ["acme/*"], excluded_models: ["*/m0", "acme/m1"] };
  assert.equal(order({ plugins: [plugin(both)] }), "m3 m2");
  const { error } = await rig().send({
    model: "openrouter/auto",
    plugins: [plugin({ excluded_models: ["*"] })],
  });
  assert.match(String(error), /No models match your request and model restrictions$/);
});

Deno.test("the stage, the record and explain say the same of a choice", async () => {
  const plugins = [plugin({ cost_tier: "high" })];
  const { record, called } = await rig().send({ model: "openrouter/auto", plugins });
  const { routers, strategy } = explained({ plugins });
  assert.deepEqual(record.stages.map(({ type, name, data }) => [type, name, data]), [
    ["plugin", "auto-router", asList(routers)[0]],
  ]);
  assert.deepEqual([record.router, strategy, record.first.strategy], ["openrouter/auto", "auto", "auto"]);
  assert.deepEqual(called.map(({ model }) => model.id), ["acme/m5"]);
  assert.deepEqual(asObject(asList(routers)[0]).candidates, [
    { model: "acme/m5", cost_usd: 0.012, cost_by: "price", percentile: 55.6, tier: "high" },
    { model: "acme/m4", cost_usd: 0.01, cost_by: "price", percentile: 44.4, tier: "high" },
  ]);
});

Deno.test("an empty band is replaced by the nearest one, of two the cheaper, and the stage says so", () => {
  const three = { endpoints: [0, 5, 9].flatMap((at) => endpoints[at] ?? []) };
  const tierOf = (cost_tier: "low" | "medium" | "high" | "xhigh" | "max") => {
    const { order: calls, routers } = explained({ plugins: [plugin({ cost_tier })] }, three);
    return [asObject(asList(calls)[0]).model, asObject(asList(routers)[0]).nearest_tier];
  };
  assert.deepEqual((["low", "medium", "high", "xhigh", "max"] as const).map(tierOf), [
    ["acme/m0", undefined],
    ["acme/m0", "low"],
    ["acme/m5", undefined],
    ["acme/m5", "high"],
    ["acme/m9", undefined],
  ]);
});

Deno.test("a conversation stays with its model while it is in the band, for ten minutes after each success", async () => {
  const routes = rig();
  const ask = async (fields: Partial<ModelRequest>) =>
    (await routes.send({ model: "openrouter/auto", ...fields })).called.at(-1)?.model.id;
  const session = { sessionId: "s" };
  const cheapest = { plugins: [plugin({ cost_quality_tradeoff: 10 })] };
  assert.equal(await ask({ ...session, ...cheapest }), "acme/m0");
  assert.equal(await ask(session), "acme/m0", "m1 is better, m0 is remembered");
  assert.equal(await ask({ sessionId: "other" }), "acme/m1");
  assert.equal(
    await ask({ ...session, plugins: [plugin({ cost_tier: "max" })] }),
    "acme/m9",
    "out of the band",
  );
  assert.equal(await ask({ ...session, ...cheapest }), "acme/m0");
  routes.clock.leap(599_000);
  assert.equal(await ask(session), "acme/m0");
  routes.clock.leap(599_000);
  assert.equal(await ask(session), "acme/m0", "renewed by the success before");
  routes.clock.leap(601_000);
  assert.equal(await ask(session), "acme/m1");
});

Deno.test("what comes in and is to come out limits the choice like every filter", () => {
  const kinds = [
    { inputs: ["text"], outputs: ["text"] },
    { inputs: ["text", "image"], outputs: ["text"] },
    { inputs: ["text"], outputs: ["text", "image"] },
    { inputs: ["text"], outputs: ["speech"] },
    { inputs: ["text"], outputs: ["embeddings"] },
  ];
  const some = kinds.map(({ inputs, outputs }, at) =>
    endpointAt("p", {
      usd: 1 + at,
      model: { id: `acme/m${at}`, inputModalities: inputs, outputModalities: outputs },
    })
  );
  const wide = { plugins: [plugin({ cost_quality_tradeoff: 0, allowed_models: ["*"] })] };
  const image = { type: "image", url: "https://a.example/b.png" } as const;
  const input = [{ type: "message", role: "user", parts: [image] } as const];
  assert.equal(order(wide, { endpoints: some }), "m1 m0");
  assert.equal(order({ ...wide, input }, { endpoints: some }), "m1");
  assert.equal(order({ ...wide, modalities: ["text", "image"] }, { endpoints: some }), "m2");
  assert.equal(order({ ...wide, provider: { max_price: { prompt: 1 } } }, { endpoints: some }), "m0");
});

Deno.test("the record names the router where it has chosen the model that was called, and only there", async () => {
  const failing = (slug: string): Partial<RoutingOptions> => ({
    at: (endpoint) => {
      if (endpoint.provider.id !== slug) return undefined;
      const message = "it is down";
      throw new UpstreamError({
        endpoint,
        kind: "unavailable",
        status: 503,
        message,
        endpointSpecific: false,
      });
    },
  });
  const routerOf = async (models: readonly string[], more?: Partial<RoutingOptions>) => {
    const { record, called } = await rig(more).send({ model: undefined, models });
    return [called.at(-1)?.model.id, record.router];
  };
  const named = ["acme/m7", "openrouter/auto"];
  assert.deepEqual(await routerOf(named), ["acme/m7", undefined]);
  assert.deepEqual(await routerOf(named, failing("p7")), ["acme/m1", "openrouter/auto"]);
  const routed = ["service/auto", "acme/m7"];
  assert.deepEqual(await routerOf(routed), ["acme/m1", "service/auto"]);
  const { called, record } = await rig(failing("p1")).send({ model: "service/auto", models: [] });
  assert.deepEqual(
    called.map(({ model }) => model.id),
    ["acme/m1", "acme/m0"],
    "its next choice is the fallback",
  );
  assert.equal(record.router, "service/auto");
});

Deno.test("of a hundred routers in one request the first four are asked", () => {
  const variants = ["free", "nitro", "floor", "thinking"];
  const names = variants.flatMap((one) =>
    variants.flatMap((two) => [`auto:${one}:${two}`, `auto-beta:${one}:${two}`])
  );
  const models = ["openrouter", "service"].flatMap((prefix) => names.map((name) => `${prefix}/${name}`));
  const told = explained({ model: undefined, models: [...models, "acme/m7"] });
  assert.equal(asList(told.routers).length, 4);
  assert.equal(orderOf(told).at(-1), "acme/m7");
});
