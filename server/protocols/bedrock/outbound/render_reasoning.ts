/** How hard the model is to think: every family has its own fields for it, which Converse passes through. */

import { omitUndefined } from "../../../../shared/util/json.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { ReasoningOptions } from "../../canonical/request.ts";
import { renderClaudeReasoning } from "../../common/outbound/claude/claude_reasoning.ts";
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

interface RenderedReasoning {
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
  const wanted = (effort !== undefined || enabled === true || maxTokens !== undefined) &&
    effort !== "none" && enabled !== false;
  switch (context.family.thinking) {
    case "claude":
      return renderClaude(reasoning, context);
    case "nova":
      if (!wanted) return silent;
      return {
        fields: { reasoningConfig: { type: "enabled", maxReasoningEffort: three(effort) } },
        on: true,
      };
    case "effort":
      return wanted ? { fields: { reasoning_effort: three(effort) }, on: false } : silent;
    case "none":
      if (wanted) context.note("reasoning");
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

/** Answers of a model with a budget are at most so long where nobody says how long: the budget is part of it. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 8_192;

function renderClaude(
  reasoning: ReasoningOptions | undefined,
  { family: { claude }, maxTokens = DEFAULT_MAX_OUTPUT_TOKENS, ...context }: ReasoningContext,
): RenderedReasoning {
  if (claude === undefined) return silent;
  const { thinking, effort, on } = renderClaudeReasoning(reasoning, {
    ...context,
    family: claude,
    maxTokens,
  });
  const output_config = effort === undefined ? undefined : { effort };
  return { fields: omitUndefined({ thinking, output_config }), on };
}
