import assert from "node:assert/strict";
import { toNanoUsd } from "../../../../shared/money.ts";
import type { Usage } from "../../canonical/usage.ts";
import { parseUsage, type UsageContext } from "./parse_usage.ts";

Deno.test("U14 readUsage reads what the provider counted and keeps its own object", () => {
  const raw = {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
    output_tokens_details: { reasoning_tokens: 3 },
  };
  assert.deepEqual(parseUsage(raw), {
    inputTokens: 10,
    outputTokens: 5,
    cachedTokens: 4,
    cacheWriteTokens: 2,
    reasoningTokens: 3,
    estimated: false,
    raw,
  });
});

Deno.test("U14 readUsage says nothing where the provider said nothing", () => {
  const nonsense = [{ input_tokens: "NaN", output_tokens: 2 }, { input_tokens: -5, output_tokens: 2 }];
  const nothing = [undefined, null, {}, [], "12", { input_tokens: null }, { total_tokens: 3 }];
  for (const raw of [...nothing, ...nonsense]) {
    assert.equal(parseUsage(raw), undefined, JSON.stringify(raw));
  }
});

Deno.test("U14 readUsage takes zero for zero and brings back what cannot be true", () => {
  const counts = (fields: Record<string, unknown>) => {
    const { raw: _raw, estimated: _estimated, ...rest } = parseUsage(fields) ?? { raw: 0, estimated: 0 };
    return Object.values(rest);
  };
  assert.deepEqual(counts({ input_tokens: 0, output_tokens: 0 }), [0, 0, 0, 0, 0]);
  assert.deepEqual(counts({ input_tokens: 5, output_tokens: 1e18 }), [5, 100_000_000, 0, 0, 0]);
  assert.deepEqual(counts({ input_tokens: 1, output_tokens: 2.4 }), [1, 3, 0, 0, 0]);
  assert.deepEqual(
    counts({
      input_tokens: 3,
      output_tokens: 2,
      input_tokens_details: { cached_tokens: 9, cache_write_tokens: -1 },
      output_tokens_details: { reasoning_tokens: 9 },
    }),
    [3, 2, 3, 0, 2],
  );
  assert.deepEqual(counts({ input_tokens: 3, output_tokens: 2, input_tokens_details: null }), [
    3,
    2,
    0,
    0,
    0,
  ]);
});

Deno.test("U14 readUsage takes one count from the total and the other where it is no number", () => {
  const usage = parseUsage({ input_tokens: "10", output_tokens: 5, total_tokens: 15 });
  assert.deepEqual([usage?.inputTokens, usage?.outputTokens], [10, 5]);
});

Deno.test("parseUsage reads what else an answer says of its cost", async (t) => {
  const counts = { input_tokens: 100, output_tokens: 50 };
  const cases:
    readonly (readonly [string, Readonly<Record<string, unknown>>, UsageContext, Partial<Usage>])[] = [
      [
        "sound and images",
        {
          input_tokens_details: { cached_tokens: 0, audio_tokens: 30, image_tokens: 60 },
          output_tokens_details: { audio_tokens: 20, image_tokens: 10 },
        },
        {},
        { inputAudioTokens: 30, inputImageTokens: 60, outputAudioTokens: 20, outputImageTokens: 10 },
      ],
      ["OpenAI's own tools", {}, {
        tool_usage: {
          image_gen: { input_tokens: 50, output_tokens: 4160, total_tokens: 4210 },
          web_search: { num_requests: 3 },
        },
        output: [{ type: "web_search_call" }, { type: "image_generation_call" }],
      }, { imageToolInputTokens: 50, imageToolOutputTokens: 4160, webSearches: 3, outputImages: 1 }],
      ["no count of searches", {}, { output: [{ type: "web_search_call" }, { type: "message" }, null, 7] }, {
        webSearches: 1,
      }],
      [
        "xAI's tools and cost",
        {
          num_sources_used: 0,
          server_side_tool_usage_details: { web_search_calls: 2, x_search_calls: 1, mcp_calls: 9 },
          cost_in_usd_ticks: 466701500,
        },
        {},
        { webSearches: 3, reportedCost: toNanoUsd(46_670_150) },
      ],
      ["OpenRouter's cost", { cost: 0.0123, server_tool_use_details: { web_search_requests: 2 } }, {}, {
        webSearches: 2,
        reportedCost: toNanoUsd(12_300_000),
      }],
      ["the tier", {}, { service_tier: "flex" }, { serviceTier: "flex" }],
      ["the wish for a tier", {}, { service_tier: "auto" }, {}],
      ["oddities", {}, { tool_usage: "much" }, {}],
    ];
  for (const [name, more, result, expected] of cases) {
    await t.step(name, () => {
      const raw = { ...counts, ...more };
      const none = { cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, estimated: false };
      assert.deepEqual(parseUsage(raw, result), {
        inputTokens: 100,
        outputTokens: 50,
        ...none,
        ...expected,
        raw,
      });
    });
  }
});
