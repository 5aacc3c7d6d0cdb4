/** Google's published prices (USD per million tokens or characters, else by the chunk) and usage examples. */

import type { CostRow, Prices } from "./row.ts";

const pro: Prices = {
  prompt: "1.25",
  completion: "10",
  input_cache_read: "0.125",
  overrides: [{ min_prompt_tokens: 200000, prompt: "2.5", completion: "15", input_cache_read: "0.25" }],
};

const flash: Prices = {
  prompt: "0.3",
  completion: "2.5",
  input_cache_read: "0.03",
  audio: "1",
  input_audio_cache: "0.1",
};

export const googleRows: readonly CostRow[] = [
  {
    provider: "google",
    model: "gemini-2.5-pro",
    date: "2025-06-17",
    what: "thoughts beside the answer",
    wire: "gemini",
    reported: {
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 2,
        totalTokenCount: 1036,
        thoughtsTokenCount: 1024,
      },
    },
    prices: pro,
    cost: "0.0102725",
  },
  {
    provider: "google",
    model: "gemini-2.5-pro",
    date: "2025-06-17",
    what: "long context",
    wire: "gemini",
    reported: {
      usageMetadata: { promptTokenCount: 200001, candidatesTokenCount: 100, totalTokenCount: 200101 },
    },
    prices: pro,
    cost: "0.5015025",
  },
  {
    provider: "google",
    model: "gemini-2.5-pro",
    date: "2025-06-17",
    what: "at the edge of long context, cached",
    wire: "gemini",
    reported: {
      usageMetadata: {
        promptTokenCount: 200000,
        candidatesTokenCount: 100,
        totalTokenCount: 200100,
        cachedContentTokenCount: 100000,
      },
    },
    prices: pro,
    cost: "0.1385",
  },
  {
    provider: "google",
    model: "gemini-2.5-flash",
    date: "2025-06-17",
    what: "hears",
    wire: "gemini",
    reported: {
      usageMetadata: {
        promptTokenCount: 1530,
        candidatesTokenCount: 20,
        totalTokenCount: 1550,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 10 }, { modality: "AUDIO", tokenCount: 1520 }],
        candidatesTokensDetails: [{ modality: "TEXT", tokenCount: 20 }],
      },
    },
    prices: flash,
    cost: "0.001573",
  },
  {
    provider: "google",
    model: "gemini-2.5-flash",
    date: "2025-06-17",
    what: "cached sound",
    wire: "gemini",
    reported: {
      usageMetadata: {
        promptTokenCount: 4000,
        candidatesTokenCount: 20,
        totalTokenCount: 4020,
        cachedContentTokenCount: 3000,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 1000 }, {
          modality: "AUDIO",
          tokenCount: 3000,
        }],
        cacheTokensDetails: [{ modality: "TEXT", tokenCount: 500 }, { modality: "AUDIO", tokenCount: 2500 }],
      },
    },
    prices: flash,
    cost: "0.000965",
  },
  {
    provider: "google",
    model: "gemini-2.5-flash",
    date: "2025-06-17",
    what: "results of its own tools",
    wire: "gemini",
    reported: {
      usageMetadata: {
        promptTokenCount: 12,
        candidatesTokenCount: 300,
        totalTokenCount: 5012,
        thoughtsTokenCount: 200,
        toolUsePromptTokenCount: 4500,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 12 }],
        candidatesTokensDetails: [{ modality: "TEXT", tokenCount: 300 }],
        toolUsePromptTokensDetails: [{ modality: "TEXT", tokenCount: 4500 }],
      },
    },
    prices: flash,
    cost: "0.0026036",
  },
  {
    provider: "google",
    model: "gemini-2.5-flash-image",
    date: "2025-10-02",
    what: "draws",
    wire: "gemini",
    reported: {
      usageMetadata: {
        promptTokenCount: 14,
        candidatesTokenCount: 1300,
        totalTokenCount: 1314,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 14 }],
        candidatesTokensDetails: [{ modality: "TEXT", tokenCount: 10 }, {
          modality: "IMAGE",
          tokenCount: 1290,
        }],
      },
    },
    prices: { prompt: "0.3", completion: "2.5", image_output: "30" },
    cost: "0.0387292",
  },
  {
    provider: "google",
    model: "gemini-2.5-flash-preview-tts",
    date: "2025-05-20",
    what: "speaks",
    wire: "gemini",
    reported: {
      usageMetadata: {
        promptTokenCount: 9,
        candidatesTokenCount: 250,
        totalTokenCount: 259,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 9 }],
        candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 250 }],
      },
    },
    prices: { prompt: "0.5", completion: "10", audio_output: "10" },
    cost: "0.0025045",
  },
  {
    provider: "google",
    model: "gemini-3-pro-preview",
    date: "2025-11-18",
    what: "image and two searches",
    wire: "gemini",
    reported: {
      usageMetadata: {
        promptTokenCount: 1096,
        candidatesTokenCount: 40,
        totalTokenCount: 1446,
        thoughtsTokenCount: 310,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 6 }, { modality: "IMAGE", tokenCount: 1090 }],
      },
      searches: 2,
    },
    prices: { prompt: "2", completion: "12", web_search: "0.014", input_cache_read: "0.2" },
    cost: "0.034392",
  },
  {
    provider: "google",
    model: "gemini-2.0-flash",
    date: "2025-02-05",
    what: "hears",
    wire: "gemini",
    reported: {
      usageMetadata: {
        promptTokenCount: 1000,
        candidatesTokenCount: 100,
        totalTokenCount: 1100,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 100 }, { modality: "AUDIO", tokenCount: 900 }],
      },
    },
    prices: {
      prompt: "0.1",
      completion: "0.4",
      input_cache_read: "0.025",
      audio: "0.7",
      input_audio_cache: "0.175",
    },
    cost: "0.00068",
  },
  {
    provider: "google",
    model: "gemini-3-flash-preview on Vertex AI",
    date: "2025-12-17",
    what: "priority tier",
    wire: "gemini",
    reported: {
      usageMetadata: {
        promptTokenCount: 1000,
        candidatesTokenCount: 100,
        totalTokenCount: 1100,
        trafficType: "ON_DEMAND_PRIORITY",
      },
    },
    prices: {
      prompt: "0.5",
      completion: "3",
      overrides: [{ service_tier: "priority", prompt: "0.9", completion: "5.4" }],
    },
    cost: "0.00144",
  },
];
