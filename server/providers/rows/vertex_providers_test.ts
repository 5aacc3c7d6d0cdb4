import assert from "node:assert/strict";
import { anthropic } from "./anthropic.ts";
import { vertexOffers } from "./vertex_providers.ts";

const account = JSON.stringify({ client_email: "a@b.c", private_key: "-----BEGIN", project_id: "p" });

function claudeAt(location: string) {
  const offers = vertexOffers(
    new Map([["VERTEX_SERVICE_ACCOUNT", account], ["VERTEX_LOCATION", location]]),
  );
  const { models = [] } = offers.find(({ provider }) => provider.id === "google-vertex-anthropic") ?? {};
  return (id: string) => models.find(({ model }) => model.id === id);
}

Deno.test("vertexOffers prices every Claude as Anthropic does, and a tenth higher in a region", () => {
  const [global, regional] = [claudeAt("global"), claudeAt("europe-west4")];
  for (const { model: { id }, pricing } of anthropic.models) {
    const [one, other] = [global(id)?.pricing, regional(id)?.pricing];
    assert.deepEqual(one, pricing, id);
    assert.ok(Math.abs(Number(other?.prompt) / Number(pricing?.prompt) - 1.1) < 1e-9, id);
  }
  const price = regional("anthropic/claude-haiku-5.5")?.pricing;
  assert.equal(price?.prompt, "0.00000011");
  assert.equal(price?.completion, "0.00000055");
  assert.equal(price?.overrides?.[0]?.prompt, "0.00000055");
  assert.equal(price?.overrides?.[0]?.minPromptTokens, 100_000);
});

Deno.test("vertexOffers knows each Claude by Vertex AI's dated name, and has it once", () => {
  const models = claudeAt("global");
  assert.equal(models("anthropic/claude-opus-4.5")?.upstreamModel, "claude-opus-4-5@20251101");
  assert.equal(models("anthropic/claude-opus-5.5")?.upstreamModel, "claude-opus-5-5");
  assert.equal(models("google-vertex-anthropic/claude-opus-4-5"), undefined);
});
