/**
 * How hard a Claude model thinks, on every wire that reaches one. Newer models are told an effort and decide the rest; older ones get a budget of
 * tokens, which an effort is turned into as a share of the output cap:
 *
 * | effort | minimal | low | medium | high | xhigh | max |
 * |---|---|---|---|---|---|---|
 * | share | 10% | 20% | 50% | 80% | 90% | 95% |
 */

import { ownValue } from "../../../../../shared/util/own_value.ts";
import type { JsonObject } from "../../../canonical/item.ts";
import type { ReasoningOptions } from "../../../canonical/request.ts";
import type { ClaudeFamily } from "./claude_family.ts";

export interface ReasoningContext {
  readonly family: ClaudeFamily;
  /** The output cap of the request, of which thinking is a part. */
  readonly maxTokens: number;
  /** Whether a tool call is forced. */
  readonly forced: boolean;
  /** Whether the conversation goes on in a turn that another model began, so that its thinking is missing. */
  readonly unsignedTurn: boolean;
  /** Told what had to be left out, in words for the routing metadata. */
  readonly note: (words: string) => void;
}

export interface RenderedReasoning {
  readonly thinking?: JsonObject;
  /** For `output_config`. */
  readonly effort?: string;
  /** Whether the model thinks because it was asked to. */
  readonly on: boolean;
}

type ReasoningRequest = "on" | "off" | "default";

const silent: RenderedReasoning = { on: false };

export function renderClaudeReasoning(
  reasoning: ReasoningOptions = {},
  context: ReasoningContext,
): RenderedReasoning {
  if (reasoning.effortOnly === true && reasoning.effort !== "none") return effortAlone(reasoning, context);
  const preference = reasoningRequest(reasoning);
  if (preference === "off") return without(context);
  const { thinking } = context.family;
  if (thinking === "none") return preference === "on" ? dropped("reasoning", context) : silent;
  const byBudget = thinking === "manual" || (thinking === "both" && reasoning.maxTokens !== undefined);
  if (byBudget) return preference === "on" ? renderBudget(reasoning, context) : silent;
  if (preference !== "on") return shown(reasoning, context);
  return context.forced ? besideForcedCall(context) : renderEffort(reasoning, context);
}

function reasoningRequest({ effort, enabled, maxTokens }: ReasoningOptions): ReasoningRequest {
  if (effort === "none" || enabled === false) return "off";
  return effort !== undefined || enabled === true || maxTokens !== undefined ? "on" : "default";
}

function dropped(words: string, { note }: ReasoningContext): RenderedReasoning {
  note(words);
  return silent;
}

/** Turns reasoning off; for a model that always thinks, the least of it is the nearest. */
function without(context: ReasoningContext): RenderedReasoning {
  const { family } = context;
  if (!family.thinksByDefault) return silent;
  if (family.off !== undefined) return { thinking: { type: family.off }, on: false };
  return { ...dropped("reasoning.effort none", context), effort: "low" };
}

/** A call can be forced from a model that does not think, and from one that always does. */
function besideForcedCall(context: ReasoningContext): RenderedReasoning {
  const { thinksByDefault, off } = context.family;
  const silenced = dropped("reasoning beside a forced tool call", context);
  return thinksByDefault && off !== undefined ? { ...silenced, thinking: { type: off } } : silenced;
}

/** Newer models keep their thoughts to themselves unless they are asked for them. */
const adaptive = ({ display }: ReasoningOptions): JsonObject => ({
  type: "adaptive",
  display: display ?? "summarized",
});

const efforts: Readonly<Record<string, string>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

function renderEffort(
  reasoning: ReasoningOptions,
  { family, note }: ReasoningContext,
): RenderedReasoning {
  const { effort, maxTokens } = reasoning;
  if (maxTokens !== undefined) note("reasoning.max_tokens");
  const known = ownValue(efforts, effort ?? "");
  return {
    thinking: adaptive(reasoning),
    effort: known === "xhigh" && !family.xhigh ? "high" : known,
    on: true,
  };
}

/** A client of this same wire has not asked for thoughts: whether there are any is the model's to decide. */
function effortAlone({ effort }: ReasoningOptions, context: ReasoningContext): RenderedReasoning {
  const { thinking, xhigh } = context.family;
  if (thinking === "none" || thinking === "manual") return dropped("output_config.effort", context);
  const known = ownValue(efforts, effort ?? "");
  return { effort: known === "xhigh" && !xhigh ? "high" : known, on: false };
}

/** Shows reasoning that a model does anyway, where only a summary is requested. */
function shown(reasoning: ReasoningOptions, { family }: ReasoningContext): RenderedReasoning {
  const wanted = reasoning.summary !== undefined && family.thinksByDefault;
  return wanted ? { thinking: adaptive(reasoning), on: true } : silent;
}

const LEAST = 1_024;
const MOST = 128_000;

const shares: Readonly<Record<string, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.9,
  max: 0.95,
};
const USUAL_SHARE = 0.5;

/** A budget of thinking is refused beside a forced call, in a turn begun without it, and below 1,024 tokens. */
function renderBudget(reasoning: ReasoningOptions, context: ReasoningContext): RenderedReasoning {
  const { maxTokens, forced, unsignedTurn } = context;
  if (forced) return dropped("reasoning beside a forced tool call", context);
  if (unsignedTurn) return dropped("reasoning in a turn that was begun without it", context);
  if (maxTokens <= LEAST) return dropped("reasoning within so few tokens", context);
  const share = ownValue(shares, reasoning.effort ?? "") ?? USUAL_SHARE;
  const wanted = reasoning.maxTokens ?? Math.min(MOST, Math.floor(maxTokens * share));
  const budget = Math.max(LEAST, Math.min(wanted, maxTokens - 1));
  const { display } = reasoning;
  return { thinking: { type: "enabled", budget_tokens: budget, ...(display && { display }) }, on: true };
}
