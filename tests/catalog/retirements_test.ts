import assert from "node:assert/strict";
import { retirementsOf } from "./retirements.ts";

const source = { name: "litellm 1.0.0", date: "2026-11-25" };

Deno.test("retirementsOf keeps the ends of the snapshot's offers, by the names of each provider", () => {
  const rows = {
    "gpt-4": { litellm_provider: "openai", deprecation_date: "2026-10-23", successor_model: "gpt-6-sol" },
    "azure/gpt-4": {
      litellm_provider: "azure",
      deprecation_date: "2027-01-14",
      successor_model: "azure/gpt-6-sol",
    },
    "gpt-5": { litellm_provider: "openai" },
    "claude-3": { litellm_provider: "vertex_ai-anthropic_models", deprecation_date: "2026-01-01" },
    "gone": { litellm_provider: "openai", deprecation_date: "2026-01-01" },
    "o1": { litellm_provider: "openai", deprecation_date: "date when the model becomes deprecated" },
  };
  const offers = {
    openai: { "gpt-4": {}, "gpt-5": {}, "o1": {}, constructor: {} },
    azure: { "gpt-4": {} },
    anthropic: { "claude-3": {} },
  };
  assert.deepEqual(retirementsOf(rows, { offers, source }).providers, {
    openai: { "gpt-4": { date: "2026-10-23", successor: "gpt-6-sol" } },
    azure: { "gpt-4": { date: "2027-01-14", successor: "gpt-6-sol" } },
  });
});
