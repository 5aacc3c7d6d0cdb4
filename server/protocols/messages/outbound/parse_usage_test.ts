import assert from "node:assert/strict";
import { toNanoUsd } from "../../../../shared/money.ts";
import type { Usage } from "../../canonical/usage.ts";
import { addCounts, parseServiceTierUsed, toUsage } from "./parse_usage.ts";

const final = (received: unknown) => toUsage(addCounts(undefined, { said: received, final: true }));

const cases: readonly (readonly [string, unknown, Partial<Usage> | undefined])[] = [
  ["plain", { input_tokens: 10, output_tokens: 5 }, { inputTokens: 10, outputTokens: 5, estimated: false }],
  ["zero is zero", { input_tokens: 0, output_tokens: 0 }, { inputTokens: 0, outputTokens: 0 }],
  ["missing", undefined, undefined],
  ["null", null, undefined],
  ["a list", [], undefined],
  ["only one side", { output_tokens: 5 }, undefined],
  ["numbers as text", { input_tokens: "10", output_tokens: "5" }, undefined],
  ["NaN", { input_tokens: NaN, output_tokens: 5 }, undefined],
  ["negative", { input_tokens: -3, output_tokens: -1 }, undefined],
  ["absurd", { input_tokens: 1e18, output_tokens: 5 }, { inputTokens: 100_000_000, outputTokens: 5 }],
  ["cache beside the input", {
    input_tokens: 10,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 30,
    output_tokens: 5,
  }, { inputTokens: 140, cachedTokens: 100, cacheWriteTokens: 30 }],
  ["absurd cache", { input_tokens: 1, cache_read_input_tokens: 1e18, output_tokens: 5 }, {
    inputTokens: 100_000_000,
    cachedTokens: 100_000_000,
  }],
  ["thinking", { input_tokens: 1, output_tokens: 50, output_tokens_details: { thinking_tokens: 40 } }, {
    outputTokens: 50,
    reasoningTokens: 40,
  }],
  ["more thinking than output", {
    input_tokens: 1,
    output_tokens: 5,
    output_tokens_details: { thinking_tokens: 40 },
  }, { reasoningTokens: 5 }],
  ["odd details", { input_tokens: 1, output_tokens: 5, output_tokens_details: 1, service_tier: 7 }, {
    reasoningTokens: 0,
  }],
  ["cache by age", {
    input_tokens: 10,
    output_tokens: 5,
    cache_creation_input_tokens: 2448,
    cache_creation: { ephemeral_5m_input_tokens: 448, ephemeral_1h_input_tokens: 2000 },
  }, { inputTokens: 2458, cacheWriteTokens: 2448, cacheWrite1hTokens: 2000 }],
  ["cache by age alone", {
    input_tokens: 10,
    output_tokens: 5,
    cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 3 },
  }, { inputTokens: 20, cacheWriteTokens: 10, cacheWrite1hTokens: 3 }],
  ["searches and tier", {
    input_tokens: 10,
    output_tokens: 5,
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
    service_tier: "standard",
  }, { webSearches: 2, serviceTier: "default" }],
  ["fast mode", { input_tokens: 1, output_tokens: 5, speed: "fast", service_tier: "standard" }, {
    serviceTier: "fast",
  }],
  ["condensed on the way", {
    input_tokens: 23000,
    output_tokens: 1000,
    iterations: [
      { type: "compaction", input_tokens: 180000, output_tokens: 3500, cache_read_input_tokens: 40 },
      { type: "message", input_tokens: 23000, output_tokens: 1000 },
    ],
  }, { inputTokens: 203040, cachedTokens: 40, outputTokens: 4500 }],
  ["advised on the way", {
    input_tokens: 400,
    output_tokens: 500,
    iterations: [
      { type: "message", input_tokens: 400, output_tokens: 100 },
      {
        type: "advisor_message",
        model: "a",
        input_tokens: 800,
        output_tokens: 1600,
        cache_read_input_tokens: 20,
      },
      { type: "message", input_tokens: 1300, output_tokens: 400 },
    ],
  }, { inputTokens: 1220, cachedTokens: 20, outputTokens: 2100 }],
  ["a gateway's cost", { input_tokens: 1, output_tokens: 5, cost: 0.002 }, {
    reportedCost: toNanoUsd(2_000_000),
  }],
  [
    "odd lists",
    { input_tokens: 1, output_tokens: 5, iterations: 4, cache_creation: [], server_tool_use: 1 },
    {
      inputTokens: 1,
      cacheWriteTokens: 0,
    },
  ],
];

Deno.test("toUsage (U14)", async (t) => {
  for (const [name, received, expected] of cases) {
    await t.step(name, () => {
      const usage = final(received);
      if (expected === undefined) return assert.equal(usage, undefined);
      assert.deepEqual({ ...usage, ...expected }, usage);
    });
  }
});

Deno.test("counted lets what is said last hold, and what is not said again stay", () => {
  const first = addCounts(undefined, {
    said: { input_tokens: 10, cache_read_input_tokens: 7, output_tokens: 1, service_tier: "priority" },
    final: false,
  });
  assert.equal(toUsage(first)?.estimated, true);
  const second = addCounts(first, {
    said: { input_tokens: null, output_tokens: 9, server_tool_use: { web_search_requests: 1 } },
    final: true,
  });
  assert.deepEqual(toUsage(second), {
    inputTokens: 17,
    outputTokens: 9,
    cachedTokens: 7,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    webSearches: 1,
    serviceTier: "priority",
    estimated: false,
    raw: {
      input_tokens: 10,
      cache_read_input_tokens: 7,
      output_tokens: 9,
      service_tier: "priority",
      server_tool_use: { web_search_requests: 1 },
    },
  });
  assert.equal(addCounts(second, { said: undefined, final: true }), second);
  assert.equal(parseServiceTierUsed(second), "priority");
});

Deno.test("parseServiceTierUsed says the tier in our clients' words", () => {
  const tier = (service_tier: unknown) =>
    parseServiceTierUsed(addCounts(undefined, { said: { service_tier }, final: true }));
  assert.deepEqual(["standard", "priority", "batch", null].map(tier), [
    "default",
    "priority",
    "batch",
    undefined,
  ]);
});
