/**
 * One turn of the assistant and what answers it. The hub lists messages, calls and results one after the other;
 * this wire wants one assistant message, then all its results at the head of the user's message behind it.
 */

import type { RenderedBlock, RenderedMessage } from "./blocks.ts";

export interface AssistantTurn {
  /** Thoughts, texts and calls as they came. */
  readonly blocks: readonly RenderedBlock[];
  /** Ids of calls whose results are still to come in the conversation. */
  readonly awaited: ReadonlySet<string>;
  readonly results: ReadonlyMap<string, RenderedBlock>;
  /** What the user said while results were awaited; it may only stand behind them. */
  readonly held: readonly RenderedBlock[];
}

export const emptyTurn: AssistantTurn = { blocks: [], awaited: new Set(), results: new Map(), held: [] };

/** Whether what the assistant says next is still of this turn: nothing answered it yet, or not all. */
export const isTurnOpen = ({ awaited, results }: AssistantTurn): boolean =>
  awaited.size > 0 || results.size === 0;

/** Ids of the turn's calls, in order. */
export const turnCallIds = ({ blocks }: AssistantTurn): readonly string[] =>
  blocks.flatMap((block) => block.type === "tool_use" ? [String(block.id)] : []);

/** The messages of a turn, in the one order that the provider takes. */
export function renderTurn(turn: AssistantTurn): readonly RenderedMessage[] {
  const { blocks, held } = turn;
  const answers = [...resultsOf(turn), ...held];
  return [
    ...(blocks.some(({ type }) => !isThinking(type)) ? [said(blocks)] : []),
    ...(answers.length === 0 ? [] : [{ role: "user", content: answers } as const]),
  ];
}

/** Thinking alone is no message: without a text or a call there is nothing to say. */
const isThinking = (type: string) => type === "thinking" || type === "redacted_thinking";

/**
 * Calls stand last, since the results answer the end of the message. Where the model's own thoughts are replayed
 * nothing may be moved: they are sealed in the order in which they came. None of them may be the end.
 */
function said(all: readonly RenderedBlock[]): RenderedMessage {
  const blocks = all.slice(0, all.findLastIndex(({ type }) => !isThinking(type)) + 1);
  if (blocks.some(({ type }) => isThinking(type))) return { role: "assistant", content: blocks };
  const calls = blocks.filter(({ type }) => type === "tool_use");
  return { role: "assistant", content: [...blocks.filter(({ type }) => type !== "tool_use"), ...calls] };
}

/** Each call needs its result: for one that never got any a word stands in. */
function resultsOf(turn: AssistantTurn): readonly RenderedBlock[] {
  return turnCallIds(turn).map((id) => turn.results.get(id) ?? unanswered(id));
}

const unanswered = (id: string): RenderedBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content: "[no result was given]",
});
