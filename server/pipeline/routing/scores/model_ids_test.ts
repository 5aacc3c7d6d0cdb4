import assert from "node:assert/strict";
import { marketEvidence } from "./market.ts";
import { indexModelIds } from "./model_ids.ts";

const ids = indexModelIds([
  "anthropic/claude-sonnet-4-5",
  "openai/gpt-5",
  "openai/gpt-4o",
  "openai/gpt-4o-2024-08-06",
  "google/gemini-3-flash-preview",
]);

Deno.test("exact ids differ in their spelling only; similar ones in the day and the order of their words", () => {
  const cases = [
    ["anthropic/claude-sonnet-4.5", "anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"],
    ["openai/gpt-5-2025-08-07", "openai/gpt-5-2025-08-07", "openai/gpt-5"],
    [
      "anthropic/claude-4.5-sonnet-20250929",
      "anthropic/claude-4.5-sonnet-20250929",
      "anthropic/claude-sonnet-4-5",
    ],
    ["openai/gpt-4o-2024-08-06", "openai/gpt-4o-2024-08-06", "openai/gpt-4o-2024-08-06"],
    ["openai/gpt-4.5", "openai/gpt-4.5", "openai/gpt-4.5"],
    ["google/gemini-3-flash", "google/gemini-3-flash", "google/gemini-3-flash"],
    ["acme/unknown", "acme/unknown", "acme/unknown"],
  ];
  assert.deepEqual(cases.map(([name = ""]) => [name, ids.exact(name), ids.similar(name)]), cases);
});

Deno.test("market evidence adds up the names of one model, and leaves tasks apart", () => {
  const { source, date, shares } = marketEvidence({
    source: "Market",
    attribution: "Source: Market",
    licence: "CC BY 4.0",
    as_of: "2026-11-20",
    shares: {
      "code:debugging": { "openai/gpt-5": 0.25, "openai/gpt-5-2025-08-07": 0.5, "acme/unknown": 0.1 },
      code: { "openai/gpt-5": 1 },
    },
  }, ids.similar);
  assert.deepEqual([source, date], ["Market, CC BY 4.0", "2026-11-20"]);
  assert.deepEqual([...shares].map(([task, models]) => [task, [...models]]), [
    ["code:debugging", [["openai/gpt-5", 0.75], ["acme/unknown", 0.1]]],
    ["code", [["openai/gpt-5", 1]]],
  ]);
});
