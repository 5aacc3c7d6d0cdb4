/** How hard the model is to think: every family has its own fields for it, which Converse passes through. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import type { JsonObject } from "../../../canonical/item.ts";
import type { ReasoningOptions } from "../../../canonical/request.ts";
import type { ReportDropped } from "./render_blocks.ts";
import type { ModelFamily } from "./model_family.ts";

export interface ReasoningContext {
  readonly family: ModelFamily;
  /** Whether a tool call is forced, beside which some do not think. */
  readonly forced: boolean;
  /** Whether the model is to go on in a turn of calls and results that does not begin with its own thoughts. */
  readonly unsignedTurn: boolean;
  readonly maxTokens?: number;
  readonly note: ReportDropped;
}

export interface RenderedReasoning {
  /** For `additionalModelRequestFields`. */
  readonly fields: JsonObject;
  /** Whether the model thinks and so takes no sampling. */
  readonly on: boolean;
}

const silent: RenderedReasoning = { fields: {}, on: false };

export function renderReasoning(
  reasoning: ReasoningOptions | undefined,
  context: ReasoningContext,
): RenderedReasoning {
  const { effort, enabled, maxTokens } = reasoning ?? {};
  const wanted = effort !== undefined || enabled === true || maxTokens !== undefined;
  const off = effort === "none" || enabled === false;
  switch (context.family.thinking) {
    case "adaptive":
      if (off) return { fields: { thinking: { type: "disabled" } }, on: false };
      return wanted ? adaptive(reasoning ?? {}, context) : silent;
    case "budget":
      return wanted && !off ? budgeted(reasoning ?? {}, context) : silent;
    case "nova":
      if (!wanted || off) return silent;
      return {
        fields: { reasoningConfig: { type: "enabled", maxReasoningEffort: three(effort) } },
        on: true,
      };
    case "effort":
      return wanted && !off ? { fields: { reasoning_effort: three(effort) }, on: false } : silent;
    case "none":
      if (wanted && !off) context.note("reasoning");
      return silent;
    default:
      return context.family.thinking satisfies never;
  }
}

/** The words that every model knows. */
const words: Readonly<Record<string, string>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};
const three = (effort = "medium"): string => ownValue(words, effort) ?? "medium";

function adaptive({ effort, maxTokens }: ReasoningOptions, { note }: ReasoningContext): RenderedReasoning {
  if (maxTokens !== undefined) note("reasoning.max_tokens");
  const steered = effort === undefined ? {} : { output_config: { effort: three(effort) } };
  return { fields: { thinking: { type: "adaptive", display: "summarized" }, ...steered }, on: true };
}

const shares: Readonly<Record<string, number>> = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8 };
const LEAST = 1_024;
/** Answers of a model with a budget are at most so long where nobody says how long: the budget is part of it. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 8_192;

function budgeted(reasoning: ReasoningOptions, context: ReasoningContext): RenderedReasoning {
  const { maxTokens = DEFAULT_MAX_OUTPUT_TOKENS, note } = context;
  const hindrance = unsupportedReason(context, maxTokens);
  if (hindrance !== undefined) {
    note(`reasoning ${hindrance}`);
    return silent;
  }
  const wanted = reasoning.maxTokens ??
    Math.floor(maxTokens * (ownValue(shares, reasoning.effort ?? "") ?? 0.5));
  const budget = Math.max(LEAST, Math.min(wanted, maxTokens - 1));
  return { fields: { thinking: { type: "enabled", budget_tokens: budget } }, on: true };
}

function unsupportedReason(
  { forced, unsignedTurn }: ReasoningContext,
  maxTokens: number,
): string | undefined {
  if (forced) return "beside a forced tool call";
  if (unsignedTurn) return "in a turn that was begun without it";
  return maxTokens <= LEAST ? "within so few tokens" : undefined;
}
