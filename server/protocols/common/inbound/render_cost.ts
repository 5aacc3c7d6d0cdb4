/** Renders the cost of an answer for its usage (specification, usage, §9.9). */

import type { JsonObject } from "../../canonical/item.ts";
import type { ReportedCost } from "../../wire.ts";

/** Names that a wire has for the two sides of a model's work. */
interface SideNames {
  readonly input: string;
  readonly output: string;
}

/** Keys that are added to `usage`. */
export function renderCost(billed: ReportedCost, { input, output }: SideNames): JsonObject {
  return {
    cost: billed.cost,
    cost_details: {
      upstream_inference_cost: billed.upstreamCost,
      [input]: billed.inputCost,
      [output]: billed.outputCost,
      server_tool_cost: billed.toolCost,
    },
    is_byok: billed.isByok,
    server_tool_use_details: {
      tool_calls_requested: billed.toolCallsRequested,
      tool_calls_executed: billed.toolCallsExecuted,
      web_search_requests: billed.webSearches,
    },
  };
}

/** As POST /responses and POST /messages, which count input and output tokens. */
export const inputOutputCostNames: SideNames = {
  input: "upstream_inference_input_cost",
  output: "upstream_inference_output_cost",
};

/** As POST /chat/completions, which counts prompt and completion tokens. */
export const promptCompletionCostNames: SideNames = {
  input: "upstream_inference_prompt_cost",
  output: "upstream_inference_completions_cost",
};
