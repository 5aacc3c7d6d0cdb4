/** Writes the simulated model's reasoning: a fixed train of thought about the request, longer with more effort. */

import { ownValue } from "../../../shared/util/own_value.ts";
import type { SimulatorRequest } from "./parse_request.ts";

const sentences: Readonly<Record<string, number>> = {
  minimal: 1,
  low: 2,
  medium: 4,
  high: 8,
  xhigh: 12,
  max: 16,
};
const MAX_SENTENCES = 16;

export interface PlannedReasoning {
  readonly text: string;
  /** Summary parts to show; empty unless the caller asked for a summary. */
  readonly summarised: "none" | "short" | "long";
  /** Most tokens that it may take. */
  readonly cap: number;
  readonly encrypted: boolean;
}

/** Subject of the reasoning. */
interface ReasoningTopic {
  readonly turns: number;
  readonly text: string;
  readonly calls: readonly string[];
  readonly attachments: number;
}

/** The thought that the request asks for; undefined when it asks for none. */
export function planReasoning(
  requested: SimulatorRequest,
  subject: ReasoningTopic,
): PlannedReasoning | undefined {
  const { effort, summary, enabled, max_tokens: cap } = requested.reasoning ?? {};
  const wanted = Boolean(effort) || Boolean(summary) || enabled === true || (cap ?? 0) > 0;
  if (!wanted || effort === "none" || enabled === false) return undefined;
  const count = ownValue(sentences, effort ?? "medium") ?? sentences.medium ?? 1;
  return {
    text: reasoningSentences(subject).slice(0, count).join(" "),
    summarised: !summary ? "none" : summary === "concise" ? "short" : "long",
    cap: cap && cap > 0 ? cap : Infinity,
    encrypted: requested.include?.includes("reasoning.encrypted_content") ?? false,
  };
}

function reasoningSentences({ turns, text, calls, attachments }: ReasoningTopic): readonly string[] {
  const words = text.split(/\s+/).filter((word) => word !== "").length;
  const start = text.slice(0, 60).replace(/\s+/g, " ").trim();
  const first = [
    `This is turn ${turns} of the conversation.`,
    `The last message has ${words} words and starts with "${start}".`,
    calls.length === 0 ? "No tool has to be called." : `I have to call ${calls.join(" and ")}.`,
    attachments === 0 ? "Nothing is attached." : `There are ${attachments} attachments to look at.`,
  ];
  const more = Array.from(
    { length: MAX_SENTENCES },
    (_, n) => `I check step ${n + 1} of the answer once more.`,
  );
  return [...first, ...more];
}

/** The parts of a summary, cut to what was thought. */
export function reasoningSummary(thought: PlannedReasoning, thoughtText: string): readonly string[] {
  if (thought.summarised === "none" || thoughtText === "") return [];
  const parts = thoughtText.match(/[^.]+\.[^.]*(?:\.\s*)?/g) ?? [thoughtText];
  const few = thought.summarised === "short" ? parts.slice(0, 1) : parts;
  return few.map((part) => part.trim());
}
