/** Renders the assistant's earlier turns as blocks of its messages. */

import { callInput } from "../../canonical/call_arguments.ts";
import type { MessageItem, PassthroughItem, ReasoningItem, ToolCallItem } from "../../canonical/item.ts";
import { nonTextParts } from "../../common/outbound/parts.ts";
import { toWireCallId } from "../../common/outbound/call_ids.ts";
import { type ToolNames, wireNameOf } from "../../common/outbound/tool_names.ts";
import type { Turn } from "../../common/outbound/turns.ts";
import {
  type RenderedBlock,
  type RenderedMessage,
  renderPassthroughPart,
  renderText,
  renderTextBlock,
  type ReportDropped,
} from "./render_parts.ts";

export function renderTextBlocks(
  { parts }: Pick<MessageItem, "parts">,
  note: ReportDropped,
): readonly RenderedBlock[] {
  nonTextParts(parts).forEach(({ type }) => note(`${type} in an assistant message`));
  return parts.flatMap((part) => {
    if (part.type === "text") return renderText(part);
    if (part.type === "foreign") return renderPassthroughPart(part);
    return part.type === "refusal" ? renderTextBlock(part.text) : [];
  });
}

/** The name under which clients find thoughts of this provider (specification, Output items, `format`). */
export const REASONING_FORMAT = "anthropic-claude-v1";

/**
 * Thoughts go back only to those who sealed them: others refuse the seal, and without one they are no thoughts.
 * Clients that asked for a summary have them as one.
 */
export function renderReasoningBlocks(item: ReasoningItem, note: ReportDropped): readonly RenderedBlock[] {
  const { format, signature, encrypted, summary } = item;
  const thoughts = item.content.length > 0 ? item.content : summary;
  const thinking: readonly RenderedBlock[] = signature === undefined
    ? []
    : [{ type: "thinking", thinking: thoughts.join("\n"), signature, ...item.extra?.messages }];
  const redacted: readonly RenderedBlock[] = encrypted === undefined
    ? []
    : [{ type: "redacted_thinking", data: encrypted, ...item.extra?.messages }];
  const blocks = format === REASONING_FORMAT ? [...thinking, ...redacted] : [];
  if (blocks.length === 0) note("reasoning of another model");
  return blocks;
}

export function renderCallBlock(item: ToolCallItem, names: ToolNames): RenderedBlock {
  return {
    type: "tool_use",
    id: toWireCallId(item.callId),
    name: wireNameOf(names, item),
    input: callInput(item),
    ...item.extra?.messages,
  };
}

/** Blocks of the provider's own tools that a client brings back as they were. */
export function providerBlocks(
  { wire, value, extra }: PassthroughItem,
): readonly RenderedBlock[] | undefined {
  if (wire === "messages") return [value].filter(isBlock);
  const blocks = extra?.messages?.blocks;
  return Array.isArray(blocks) ? blocks.filter(isBlock) : undefined;
}

const isBlock = (value: unknown): value is RenderedBlock =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

export interface AssistantTurn extends Turn<RenderedBlock> {
  /** Thoughts, texts and calls as they came. */
  readonly blocks: RenderedBlock[];
  readonly results: Map<string, RenderedBlock>;
}

export const createTurn = (): AssistantTurn => ({
  blocks: [],
  awaited: new Set(),
  results: new Map(),
  held: [],
});

/** Ids of the turn's calls, in order. */
export const turnCallIds = ({ blocks }: AssistantTurn): readonly string[] =>
  blocks.flatMap((block) => block.type === "tool_use" ? [String(block.id)] : []);

/** The messages of a turn, in the one order that the provider takes. */
export function renderTurn(turn: AssistantTurn): readonly RenderedMessage[] {
  const { blocks, held } = turn;
  const answers = [...resultsOf(turn), ...held];
  return [
    ...(blocks.some(({ type }) => !isThinking(type)) ? [received(blocks)] : []),
    ...(answers.length === 0 ? [] : [{ role: "user", content: answers } as const]),
  ];
}

/** Thinking alone is no message: without a text or a call there is nothing to say. */
const isThinking = (type: string) => type === "thinking" || type === "redacted_thinking";

/**
 * Calls stand last, since the results answer the end of the message. Where the model's own thoughts are replayed
 * nothing may be moved: they are sealed in the order in which they came. None of them may be the end.
 */
function received(all: readonly RenderedBlock[]): RenderedMessage {
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
