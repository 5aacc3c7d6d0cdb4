/**
 * xAI's and Perplexity's published prices (USD per million tokens or characters, else by the chunk) and usage
 * examples.
 */

import type { CostRow } from "./row.ts";

export const xaiPerplexityRows: readonly CostRow[] = [
  {
    provider: "xai",
    model: "grok-4-1-fast",
    date: "2025-11-19",
    what: "as it reports itself",
    wire: "chat",
    reported: {
      usage: {
        prompt_tokens: 199,
        completion_tokens: 1,
        total_tokens: 200,
        prompt_tokens_details: { text_tokens: 199, audio_tokens: 0, image_tokens: 0, cached_tokens: 163 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
        num_sources_used: 0,
        cost_in_usd_ticks: 158500,
      },
    },
    prices: { prompt: "0.2", completion: "0.5", input_cache_read: "0.05" },
    cost: "0.00001585",
  },
  {
    provider: "xai",
    model: "grok-4",
    date: "2025-07-09",
    what: "reasoning beside the completion",
    wire: "chat",
    reported: {
      usage: {
        prompt_tokens: 14,
        completion_tokens: 9,
        total_tokens: 333,
        prompt_tokens_details: { text_tokens: 14, audio_tokens: 0, image_tokens: 0, cached_tokens: 3 },
        completion_tokens_details: {
          reasoning_tokens: 310,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
    },
    prices: {
      prompt: "3",
      completion: "15",
      input_cache_read: "0.75",
      overrides: [{ min_prompt_tokens: 128000, prompt: "6", completion: "30" }],
    },
    cost: "0.00482025",
  },
  {
    provider: "xai",
    model: "grok-3",
    date: "2025-04-09",
    what: "live search, by the source",
    wire: "chat",
    reported: {
      usage: {
        prompt_tokens: 7200,
        completion_tokens: 410,
        total_tokens: 7610,
        prompt_tokens_details: { text_tokens: 7200, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
        num_sources_used: 6,
      },
    },
    prices: { prompt: "3", completion: "15", web_search: "0.025" },
    cost: "0.17775",
  },
  {
    provider: "xai",
    model: "grok-4.3",
    date: "2026-07-07",
    what: "as it reports itself",
    wire: "responses",
    reported: {
      usage: {
        input_tokens: 35683,
        input_tokens_details: { cached_tokens: 832 },
        output_tokens: 1176,
        output_tokens_details: { reasoning_tokens: 731 },
        total_tokens: 36859,
        num_sources_used: 0,
        num_server_side_tools_used: 0,
        cost_in_usd_ticks: 466701500,
      },
    },
    prices: { prompt: "1.25", completion: "2.5", input_cache_read: "0.2" },
    cost: "0.04667015",
  },
  {
    provider: "xai",
    model: "grok-4.3 with its tools",
    date: "2026-07-07",
    what: "searches",
    wire: "responses",
    reported: {
      usage: {
        input_tokens: 1000,
        output_tokens: 100,
        total_tokens: 1100,
        server_side_tool_usage_details: { web_search_calls: 2, x_search_calls: 1 },
      },
    },
    prices: { prompt: "1.25", completion: "2.5", web_search: "0.005" },
    cost: "0.0165",
  },
  {
    provider: "perplexity",
    model: "sonar-deep-research",
    date: "2025-04-18",
    what: "citations, reasoning and searches beside the answer",
    wire: "chat",
    reported: {
      usage: {
        prompt_tokens: 33,
        completion_tokens: 7163,
        total_tokens: 7196,
        citation_tokens: 20016,
        num_search_queries: 18,
        reasoning_tokens: 73997,
        cost: { total_cost: 0.41 },
      },
    },
    prices: { prompt: "2", completion: "8", internal_reasoning: "3", web_search: "0.005" },
    cost: "0.409393",
  },
  {
    provider: "perplexity",
    model: "sonar-deep-research",
    date: "2025-04-18",
    what: "citations, reasoning and searches beside the answer",
    wire: "chat",
    reported: {
      usage: {
        prompt_tokens: 230,
        completion_tokens: 13498,
        total_tokens: 13728,
        citation_tokens: 20470,
        num_search_queries: 50,
        reasoning_tokens: 145885,
        cost: { total_cost: 0.83704 },
      },
    },
    prices: { prompt: "2", completion: "8", internal_reasoning: "3", web_search: "0.005" },
    cost: "0.837039",
  },
  {
    provider: "perplexity",
    model: "sonar-pro",
    date: "2025-01-21",
    what: "by the request",
    wire: "chat",
    reported: {
      usage: {
        prompt_tokens: 20,
        completion_tokens: 1645,
        total_tokens: 1665,
        search_context_size: "low",
        citation_tokens: null,
        num_search_queries: null,
        reasoning_tokens: null,
        cost: { total_cost: 0.03073 },
      },
    },
    prices: { prompt: "3", completion: "15", request: "0.006" },
    cost: "0.030735",
  },
  {
    provider: "perplexity",
    model: "sonar",
    date: "2025-01-21",
    what: "by the request",
    wire: "chat",
    reported: {
      usage: { prompt_tokens: 14, completion_tokens: 70, total_tokens: 84, search_context_size: "high" },
    },
    prices: { prompt: "1", completion: "1", request: "0.012" },
    cost: "0.012084",
  },
];
