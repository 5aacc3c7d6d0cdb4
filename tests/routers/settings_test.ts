/** Settings of the configuration file by which routers choose, over HTTP: what ranks, and what the metadata says of it. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import type { GatewayOptions } from "../support/gateway.ts";
import { ask, bodyOn, modelIds, type Routed, withModels } from "./rig.ts";

const FIX =
  "My Python script fails with: TypeError: 'NoneType' object is not iterable\n```py\nfor x in f(): print(x)\n```\nFix the bug";

/** Every model by its figures, whatever it costs. */
async function routed(file: GatewayOptions["file"]): Promise<Routed> {
  let found: Routed | undefined;
  await withModels({ file }, async (gateway) => {
    const plugins = [{ id: "auto-router", cost_quality_tradeoff: 0, allowed_models: ["acme/*"] }];
    const body = { model: "openrouter/auto", plugins, ...bodyOn("chat", [{ role: "user", content: FIX }]) };
    found = await ask(gateway, { api: "chat", body });
  });
  return found ?? assert.fail();
}

const candidatesOf = ({ stage }: Routed): readonly Json[] => asList(stage.candidates).map(asObject);
const of = (figures: object, date = "2026-01-01") => ({ ...figures, source: "our evaluation", date });

Deno.test("scores of the configuration file rank, are inherited by newer models, and are cited", async () => {
  const result = await routed({ scores: { "acme/m1": of({ coding: 40 }), "acme/m2": of({ coding: 70 }) } });
  assert.deepEqual([result.stage.task_type, result.stage.evidence], ["code:debugging", "scores"]);
  assert.equal(result.stage.cited, "coding, the configuration file, 2026-01-01");
  assert.equal(result.model, "acme/m2");
  const inherited = candidatesOf(result).find(({ model }) => model === "acme/m3");
  assert.deepEqual([inherited?.score, inherited?.inferred_from, inherited?.cited], [
    70,
    "acme/m2",
    "our evaluation, 2026-01-01",
  ]);
});

Deno.test("a score for another ability does not rank, and default models do where no score does", async () => {
  const auto = { default_models: ["acme/m1", "acme/m3"] };
  const result = await routed({ auto, scores: { "acme/m2": of({ summaries: 99 }) } });
  assert.deepEqual([result.stage.evidence, result.model], ["default_models", "acme/m1"]);
});

Deno.test("an alias among the default models ranks each of its models, in order", async () => {
  const result = await routed({
    aliases: { good: ["acme/m3", "acme/m1"] },
    auto: { default_models: ["good", "acme/m3", "acme/m0"] },
  });
  const ranked = candidatesOf(result).map(({ model }) => model);
  assert.deepEqual([result.stage.evidence, ranked.slice(0, 3)], ["default_models", [
    "acme/m3",
    "acme/m1",
    "acme/m0",
  ]]);
});

Deno.test("without any evidence the price ranks", async () => {
  const result = await routed({ auto: { default_models: [] } });
  assert.deepEqual([result.stage.evidence, result.model], ["price", modelIds[0]]);
});
