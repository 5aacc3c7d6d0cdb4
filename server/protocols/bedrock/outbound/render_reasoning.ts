/** How hard the model is to think: every family has its own fields for it, which Converse passes through. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import type { Json } from "../../../canonical/item.ts";
import type { Reasoning } from "../../../canonical/request.ts";
import type { Note } from "./render_blocks.ts";
import type { Family } from "./model_family.ts";

export interface ThinkingContext {
  readonly family: Family;
  /** Whether a tool call is forced, beside which some do not think. */
  readonly forced: boolean;
  /** Whether the model is to go on in a turn of calls and results that does not begin with its own thoughts. */
  readonly unsignedTurn: boolean;
  readonly maxTokens?: number;
  readonly note: Note;
}

export interface RenderedThinking {
  /** For `additionalModelRequestFields`. */
  readonly fields: Json;
  /** Whether the model thinks and so takes no sampling. */
  readonly on: boolean;
}

const silent: RenderedThinking = { fields: {}, on: false };

export function renderThinking(reasoning: Reasoning | undefined, context: ThinkingContext): RenderedThinking {
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

function adaptive({ effort, maxTokens }: Reasoning, { note }: ThinkingContext): RenderedThinking {
  if (maxTokens !== undefined) note("reasoning.max_tokens");
  const steered = effort === undefined ? {} : { output_config: { effort: three(effort) } };
  return { fields: { thinking: { type: "adaptive", display: "summarized" }, ...steered }, on: true };
}

const shares: Readonly<Record<string, number>> = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8 };
const LEAST = 1_024;
/** Answers of a model with a budget are at most so long where nobody says how long: the budget is part of it. */
export const USUAL_CAP = 8_192;

function budgeted(reasoning: Reasoning, context: ThinkingContext): RenderedThinking {
  const { maxTokens = USUAL_CAP, note } = context;
  const hindrance = hindranceIn(context, maxTokens);
  if (hindrance !== undefined) {
    note(`reasoning ${hindrance}`);
    return silent;
  }
  const wanted = reasoning.maxTokens ??
    Math.floor(maxTokens * (ownValue(shares, reasoning.effort ?? "") ?? 0.5));
  const budget = Math.max(LEAST, Math.min(wanted, maxTokens - 1));
  return { fields: { thinking: { type: "enabled", budget_tokens: budget } }, on: true };
}

function hindranceIn({ forced, unsignedTurn }: ThinkingContext, maxTokens: number): string | undefined {
  if (forced) return "beside a forced tool call";
  if (unsignedTurn) return "in a turn that was begun without it";
  return maxTokens <= LEAST ? "within so few tokens" : undefined;
}
