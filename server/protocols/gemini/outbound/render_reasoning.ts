/** `reasoning` → `thinkingConfig`: a level for the newer models, a budget of tokens for the older. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { ReasoningOptions } from "../../canonical/request.ts";
import type { ThinkingLevel, ThinkingSupport } from "./model_family.ts";

interface RenderedReasoning {
  readonly config?: JsonObject;
  readonly dropped: readonly string[];
}

/**
 * Thoughts are only told on request: a caller that asks for a summary, for thinking as such, or names a budget
 * wants to see them; one that says how hard to think does not.
 */
export function renderReasoning(
  reasoning: ReasoningOptions | undefined,
  thinking: ThinkingSupport,
): RenderedReasoning {
  if (reasoning === undefined) return { dropped: [] };
  const effort = reasoning.effort ?? (reasoning.enabled === false ? "none" : undefined);
  const { maxTokens } = reasoning;
  if (thinking.by === "none") return { dropped: unsupported({ effort, maxTokens }) };
  const shown = effort !== "none" &&
    (reasoning.summary !== undefined || reasoning.enabled === true || maxTokens !== undefined);
  const { steered, dropped } = thinking.by === "level"
    ? byLevel({ effort, maxTokens }, thinking.levels)
    : { steered: { thinkingBudget: budgetOf({ effort, maxTokens }, thinking) }, dropped: [] };
  const config = omitUndefined({ includeThoughts: shown ? true : undefined, ...steered });
  return { config: Object.keys(config).length === 0 ? undefined : config, dropped };
}

interface ReasoningRequest {
  readonly effort?: string;
  readonly maxTokens?: number;
}

const unsupported = ({ effort, maxTokens }: ReasoningRequest): readonly string[] => [
  ...(effort === undefined || effort === "none" ? [] : ["reasoning.effort"]),
  ...(maxTokens === undefined ? [] : ["reasoning.max_tokens"]),
];

/** Rising; a level that a model does not know becomes the next one that it does. */
const rising: readonly ThinkingLevel[] = ["MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH"];

const levels: Readonly<Record<string, ThinkingLevel>> = {
  none: "MINIMAL",
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "XHIGH",
  max: "XHIGH",
};

interface SteeringContext {
  readonly steered: JsonObject;
  readonly dropped: readonly string[];
}

/** These models cannot stop thinking altogether, and have no budget: the nearest level stands for both. */
function byLevel({ effort, maxTokens }: ReasoningRequest, known: readonly ThinkingLevel[]): SteeringContext {
  const wished = effort === undefined ? levelFor(maxTokens) : ownValue(levels, effort);
  if (wished === undefined) return { steered: {}, dropped: [] };
  const above = rising.slice(rising.indexOf(wished)).find((level) => known.includes(level));
  const unmet = effort === "none" ? ["reasoning.effort none"] : [];
  return {
    steered: { thinkingLevel: above ?? known.at(-1) },
    dropped: maxTokens === undefined ? unmet : [...unmet, "reasoning.max_tokens"],
  };
}

function levelFor(maxTokens: number | undefined): ThinkingLevel | undefined {
  if (maxTokens === undefined) return undefined;
  if (maxTokens <= 1_024) return "LOW";
  return maxTokens <= 8_192 ? "MEDIUM" : "HIGH";
}

/** Google's own budgets for the words of OpenAI. */
const budgets: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: Infinity,
  max: Infinity,
};

/** Budgets outside of a model's bounds are refused. */
function budgetOf(
  { effort, maxTokens }: ReasoningRequest,
  { least, most, off }: ThinkingSupport & { by: "budget" },
): number | undefined {
  const wished = maxTokens ?? (effort === undefined ? undefined : ownValue(budgets, effort));
  if (wished === undefined) return undefined;
  if (wished <= 0 && off) return 0;
  return Math.min(most, Math.max(least, wished));
}
