import assert from "node:assert/strict";
import { toNanoUsd } from "../../../../shared/money.ts";
import type { Usage } from "../../canonical/usage.ts";
import { parseUsage, usageOfChunk } from "./parse_usage.ts";

const cases: readonly (readonly [string, unknown, Partial<Usage> | undefined])[] = [
  ["plain", { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }, {
    inputTokens: 10,
    outputTokens: 5,
  }],
  ["zero is zero", { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, {
    inputTokens: 0,
    outputTokens: 0,
  }],
  ["missing", undefined, undefined],
  ["null", null, undefined],
  ["an empty object", {}, undefined],
  ["a list", [], undefined],
  ["only the total", { total_tokens: 10 }, undefined],
  ["output from the total", { prompt_tokens: 4, total_tokens: 10 }, { inputTokens: 4, outputTokens: 6 }],
  ["input from the total", { completion_tokens: 4, total_tokens: 10 }, { inputTokens: 6, outputTokens: 4 }],
  ["numbers as text", { prompt_tokens: "10", completion_tokens: "5" }, undefined],
  ["NaN", { prompt_tokens: NaN, completion_tokens: 5 }, undefined],
  ["negative", { prompt_tokens: -3, completion_tokens: -1 }, undefined],
  ["negative, and the total", { prompt_tokens: 3, completion_tokens: -1, total_tokens: 9 }, {
    outputTokens: 6,
  }],
  ["absurd", { prompt_tokens: 1e18, completion_tokens: 5 }, { inputTokens: 100_000_000, outputTokens: 5 }],
  ["fractions", { prompt_tokens: 1.6, completion_tokens: 0.2 }, { inputTokens: 2, outputTokens: 1 }],
  [
    "cached and reasoning",
    {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 30 },
    },
    { inputTokens: 100, cachedTokens: 64, cacheWriteTokens: 20, outputTokens: 50, reasoningTokens: 30 },
  ],
  [
    "details null",
    { prompt_tokens: 1, completion_tokens: 2, prompt_tokens_details: null, completion_tokens_details: null },
    { cachedTokens: 0, reasoningTokens: 0 },
  ],
  ["more cached than sent", {
    prompt_tokens: 10,
    completion_tokens: 1,
    prompt_tokens_details: { cached_tokens: 99 },
  }, { inputTokens: 10, cachedTokens: 10 }],
  ["DeepSeek's cache", { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 8 }, {
    cachedTokens: 8,
  }],
  ["Moonshot's cache", { prompt_tokens: 10, completion_tokens: 1, cached_tokens: 7 }, { cachedTokens: 7 }],
  ["Anthropic's cache", {
    prompt_tokens: 10,
    completion_tokens: 1,
    cache_read_input_tokens: 6,
    cache_creation_input_tokens: 2,
  }, { cachedTokens: 6, cacheWriteTokens: 2 }],
  ["reasoning beside the completion", {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 115,
    completion_tokens_details: { reasoning_tokens: 100 },
  }, { outputTokens: 105, reasoningTokens: 100 }],
  ["more reasoning than output", {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    completion_tokens_details: { reasoning_tokens: 1e18 },
  }, { outputTokens: 5, reasoningTokens: 5 }],
  ["sound and images", {
    prompt_tokens: 300,
    completion_tokens: 200,
    prompt_tokens_details: { cached_tokens: 20, text_tokens: 50, audio_tokens: 150, image_tokens: 100 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 120, image_tokens: 60 },
  }, {
    inputAudioTokens: 150,
    inputImageTokens: 100,
    outputAudioTokens: 120,
    outputImageTokens: 60,
  }],
  ["more sound than input", {
    prompt_tokens: 10,
    completion_tokens: 1,
    prompt_tokens_details: { audio_tokens: 99, image_tokens: 99 },
  }, { inputTokens: 10, inputAudioTokens: 10 }],
  ["Mistral's cache and sound", {
    prompt_tokens: 50,
    completion_tokens: 1,
    num_cached_tokens: 16,
    prompt_audio_seconds: 12.3,
  }, { cachedTokens: 16, seconds: 13 }],
  ["Mistral's sound where there is none", {
    prompt_tokens: 5,
    completion_tokens: 1,
    prompt_audio_seconds: {},
  }, {
    inputTokens: 5,
  }],
  ["Anthropic's cache by age", {
    prompt_tokens: 100,
    completion_tokens: 1,
    cache_creation_input_tokens: 60,
    cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 40 },
  }, { cacheWriteTokens: 60, cacheWrite1hTokens: 40 }],
  ["xAI's live search", {
    prompt_tokens: 7,
    completion_tokens: 1,
    total_tokens: 8,
    num_sources_used: 4,
    cost_in_usd_ticks: 158_505,
  }, { webSearches: 4, reportedCost: toNanoUsd(15_851) }],
  ["Perplexity's search", {
    prompt_tokens: 20,
    completion_tokens: 10,
    total_tokens: 30,
    search_context_size: "low",
    citation_tokens: null,
    num_search_queries: null,
    reasoning_tokens: null,
    cost: { input_tokens_cost: 0.00006, request_cost: 0.006, total_cost: 0.03073 },
  }, { inputTokens: 20, outputTokens: 10, reasoningTokens: 0, reportedCost: toNanoUsd(30_730_000) }],
  ["Perplexity's research", {
    prompt_tokens: 33,
    completion_tokens: 7163,
    total_tokens: 7196,
    citation_tokens: 20016,
    num_search_queries: 18,
    reasoning_tokens: 73997,
  }, { inputTokens: 20049, outputTokens: 81160, reasoningTokens: 73997, webSearches: 18 }],
  ["OpenRouter's cost", {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    cost: 0.00014,
    cost_details: { upstream_inference_cost: 0.00019 },
    server_tool_use: { web_search_requests: 2 },
  }, { reportedCost: toNanoUsd(140_000), webSearches: 2 }],
  ["a cost that is none", { prompt_tokens: 1, completion_tokens: 1, cost: -3, num_sources_used: -1 }, {
    inputTokens: 1,
  }],
  ["details that are no objects", {
    prompt_tokens: 1,
    completion_tokens: 1,
    prompt_tokens_details: 7,
    server_tool_use: "none",
  }, { inputTokens: 1, cachedTokens: 0 }],
];

Deno.test("parseUsage normalises what providers count (U14)", async (t) => {
  for (const [name, raw, expected] of cases) {
    await t.step(name, () => {
      const usage = parseUsage(raw);
      if (expected === undefined) return assert.equal(usage, undefined);
      assert.partialDeepStrictEqual(usage, { ...expected, estimated: false, raw });
    });
  }
});

Deno.test("usageOfChunk finds the usage wherever a dialect puts it", () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4 };
  const bare = { code: undefined, error: undefined };
  assert.equal(usageOfChunk({ ...bare, usage })?.outputTokens, 4);
  assert.equal(usageOfChunk({ ...bare, usage: null, x_groq: { usage } })?.outputTokens, 4);
  assert.equal(usageOfChunk({ ...bare, usage: null, choices: [{ usage }] })?.outputTokens, 4);
  assert.equal(usageOfChunk({ ...bare, usage: null }), undefined);
});
