/**
 * Amazon Bedrock's published prices (USD per million tokens or characters, else by the chunk) and usage examples.
 */

import type { CostRow } from "./row.ts";

export const bedrockRows: readonly CostRow[] = [
  {
    provider: "amazon-bedrock",
    model: "claude-3-7-sonnet",
    date: "2025-02-24",
    what: "plain",
    wire: "bedrock",
    reported: {
      usage: {
        inputTokens: 125,
        outputTokens: 60,
        totalTokens: 185,
        cacheReadInputTokens: 0,
        cacheWriteInputTokens: 0,
      },
    },
    prices: { prompt: "3", completion: "15", input_cache_read: "0.3", input_cache_write: "3.75" },
    cost: "0.001275",
  },
  {
    provider: "amazon-bedrock",
    model: "claude-3-7-sonnet",
    date: "2025-02-24",
    what: "cache beside the input",
    wire: "bedrock",
    reported: {
      usage: {
        inputTokens: 4,
        outputTokens: 60,
        totalTokens: 4264,
        cacheReadInputTokens: 1200,
        cacheWriteInputTokens: 3000,
      },
    },
    prices: { prompt: "3", completion: "15", input_cache_read: "0.3", input_cache_write: "3.75" },
    cost: "0.012522",
  },
  {
    provider: "amazon-bedrock",
    model: "global.anthropic.claude-opus-5-5",
    date: "2026-09-23",
    what: "cache write by age",
    wire: "bedrock",
    reported: {
      usage: {
        inputTokens: 4,
        outputTokens: 60,
        totalTokens: 3064,
        cacheReadInputTokens: 0,
        cacheWriteInputTokens: 3000,
        cacheDetails: [{ ttl: "1h", inputTokens: 2000 }, { ttl: "5m", inputTokens: 1000 }],
      },
    },
    prices: {
      prompt: "4",
      completion: "20",
      input_cache_read: "0.2",
      input_cache_write: "5",
      input_cache_write_1h: "8",
    },
    cost: "0.022216",
  },
  {
    provider: "amazon-bedrock",
    model: "amazon.nova-pro-v1:0",
    date: "2024-12-03",
    what: "cache read",
    wire: "bedrock",
    reported: {
      usage: {
        inputTokens: 500,
        outputTokens: 120,
        totalTokens: 2668,
        cacheReadInputTokens: 2048,
        cacheWriteInputTokens: 0,
      },
    },
    prices: { prompt: "0.8", completion: "3.2", input_cache_read: "0.2" },
    cost: "0.0011936",
  },
  {
    provider: "amazon-bedrock",
    model: "amazon.nova-micro-v1:0",
    date: "2024-12-03",
    what: "fractions of a nano-USD",
    wire: "bedrock",
    reported: {
      usage: {
        inputTokens: 7,
        outputTokens: 3,
        totalTokens: 10,
        cacheReadInputTokens: 0,
        cacheWriteInputTokens: 0,
      },
    },
    prices: { prompt: "0.035", completion: "0.14", input_cache_read: "0.00875" },
    cost: "0.000000665",
  },
  {
    provider: "amazon-bedrock",
    model: "amazon.nova-pro-v1:0",
    date: "2025-11-18",
    what: "flex tier",
    wire: "bedrock",
    reported: {
      usage: {
        inputTokens: 1000,
        outputTokens: 100,
        totalTokens: 1100,
        cacheReadInputTokens: 0,
        cacheWriteInputTokens: 0,
      },
      serviceTier: { type: "flex" },
    },
    prices: {
      prompt: "0.8",
      completion: "3.2",
      overrides: [{ service_tier: "flex", prompt: "0.4", completion: "1.6" }, {
        service_tier: "priority",
        prompt: "1.4",
        completion: "5.6",
      }],
    },
    cost: "0.00056",
  },
  {
    provider: "amazon-bedrock",
    model: "us.meta.llama3-3-70b-instruct-v1:0",
    date: "2024-12-06",
    what: "plain",
    wire: "bedrock",
    reported: {
      usage: {
        inputTokens: 900,
        outputTokens: 40,
        totalTokens: 940,
        cacheReadInputTokens: 0,
        cacheWriteInputTokens: 0,
      },
    },
    prices: { prompt: "0.72", completion: "0.72" },
    cost: "0.0006768",
  },
];
