/** `~author/family-latest`: the newest model of a family, wherever a model is named. */

import assert from "node:assert/strict";
import { asObject } from "../support/event_stream.ts";
import { modelRequest } from "../support/requests.ts";
import { endpointAt, routing, type RoutingOptions } from "../routing/rig.ts";
import { indexLatestModels } from "../../server/pipeline/routing/selection/latest_models.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import snapshot from "../../server/providers/catalog/snapshot.json" with { type: "json" };

const day = (text: string): number => Date.parse(text) / 1_000;
const at = (id: string, created: string, more: { readonly supportedParameters?: readonly string[] } = {}) =>
  endpointAt(id.replaceAll("/", "-"), { model: { id, created: day(created), ...more } });

const endpoints = [
  at("acme/opus-4.8", "2026-01-01"),
  at("acme/opus-5", "2026-05-01"),
  at("acme/opus-5-mini", "2026-09-01"),
  at("acme/opus-6-preview", "2026-06-01", { supportedParameters: ["temperature"] }),
  at("acme/old-2", "2026-02-01"),
];
const rig = (more: Partial<RoutingOptions> = {}) => routing({ endpoints, ...more });
const calledBy = async (fields: Partial<ModelRequest>, more?: Partial<RoutingOptions>) =>
  (await rig(more).send(fields)).called.map(({ model }) => model.id);

Deno.test("a family's name is its newest model in model, models, aliases and as the default", async () => {
  const model = "~acme/opus-latest";
  assert.deepEqual(await calledBy({ model }), ["acme/opus-6-preview"]);
  assert.deepEqual(await calledBy({ models: [model] }), ["acme/opus-6-preview"]);
  assert.deepEqual(await calledBy({ model: "best" }, { aliases: { best: model } }), ["acme/opus-6-preview"]);
  assert.deepEqual(await calledBy({ model: undefined }, { defaultModel: model }), ["acme/opus-6-preview"]);
  assert.deepEqual(await calledBy({ model: "~acme/opus-mini-latest:floor" }), ["acme/opus-5-mini"]);
  const explanation = asObject(rig().explain(modelRequest({ model })));
  assert.deepEqual([explanation.strategy, explanation.requested], ["latest", [model]]);
});

Deno.test("an empty family is 404 and names the author's families", () => {
  const refused = (model: string) =>
    String(asObject(asObject(rig().explain(modelRequest({ model }))).refusal).message);
  assert.match(
    refused("~acme/none-latest"),
    /No model named "~acme\/none-latest" .* ~acme\/old-latest, ~acme\/opus-latest, ~acme\/opus-mini-latest\./,
  );
  assert.match(refused("~other/none-latest"), /No listed model of other has a version in its name/);
  for (
    const odd of ["~acme/__proto__-latest", "~/-latest", "~acme/opus", `~acme/${"x".repeat(500)}-latest`]
  ) {
    assert.match(refused(odd), /No model named/, odd);
  }
});

Deno.test("reasoning that the newest model does not have is left out and named, here only", async () => {
  const reasoning = { effort: "high" };
  const latest = await rig().send({ model: "~acme/opus-latest", reasoning });
  assert.equal(latest.sent?.reasoning, undefined);
  assert.match(latest.record.dropped.join(), /reasoning, which the newest model of the family does not have/);
  const named = await rig().send({ model: "acme/opus-6-preview", reasoning });
  assert.deepEqual(named.sent?.reasoning, reasoning);
});

Deno.test("a guardrail holds for the model that the name stands for", async () => {
  const { error } = await rig({
    rules: {
      byokKeys: [],
      policy: {
        allowedModels: [["acme/opus-5"]],
        ignoredModels: [],
        allowedProviders: [],
        ignoredProviders: [],
        zdr: new Set(),
        noPaidTraining: false,
        noFreeTraining: false,
        regions: [],
      },
    },
  }).send({ model: "~acme/opus-latest" });
  assert.ok(error instanceof Error);
});

Deno.test("families of the shipped catalog have the newest model that a person would name", () => {
  const latest = indexLatestModels(shipped);
  const newest = (family: string) => latest.get(family)?.id.replaceAll(".", "-");
  assert.deepEqual(
    Object.fromEntries(Object.keys(expected).map((family) => [family, newest(family)])),
    expected,
  );
  for (const [family, { id }] of latest) {
    const [author = ""] = id.split("/");
    assert.ok(family.startsWith(`${author.toLowerCase()}/`), `${family} is ${id}, of another author`);
    for (const size of ["mini", "nano", "lite", "flash", "haiku"]) {
      assert.equal(family.includes(size), id.toLowerCase().includes(size), `${family} is ${id}`);
    }
  }
  assert.ok(latest.size > 200);
});

const shipped = Object.values(snapshot.offers).flatMap((offers) =>
  Object.values<{ readonly model: string; readonly created: number }>(offers).map(({ model, created }) => ({
    id: model,
    created,
  }))
);

const expected = {
  "anthropic/claude-opus": "anthropic/claude-opus-5-5",
  "anthropic/claude-sonnet": "anthropic/claude-sonnet-5-5",
  "anthropic/claude-haiku": "anthropic/claude-haiku-5-5",
  "openai/gpt": "openai/gpt-5-5",
  "openai/gpt-sol": "openai/gpt-6-1-sol",
  "openai/gpt-mini": "openai/gpt-5-4-mini",
  "openai/o": "openai/o3",
  "openai/o-mini": "openai/o4-mini",
  "google/gemini-pro": "google/gemini-3-1-pro-preview",
  "google/gemini-flash": "google/gemini-3-8-flash",
  "google/gemini-flash-lite": "google/gemini-3-5-flash-lite",
  "x-ai/grok": "x-ai/grok-4-7",
  "moonshotai/kimi": "moonshotai/kimi-k3",
  "z-ai/glm": "z-ai/glm-5-3",
  "qwen/qwen-max": "qwen/qwen3-8-max-0902",
  "deepseek/deepseek-pro": "deepseek/deepseek-v4-pro-0813",
};
