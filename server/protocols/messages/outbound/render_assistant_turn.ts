/** What the assistant did in earlier turns → blocks of its messages. */

import type { MessageItem, PassthroughItem, ReasoningItem, ToolCallItem } from "../../../canonical/item.ts";
import { nonTextParts } from "../../common/outbound/parts.ts";
import { appendDigest } from "../../common/outbound/shorten_name.ts";
import { type ToolNames, wireNameOf } from "../../common/outbound/tool_names.ts";
import { type RenderedBlock, renderTextBlock, type ReportDropped } from "./blocks.ts";

export function renderTextBlocks(
  { parts }: Pick<MessageItem, "parts">,
  note: ReportDropped,
): readonly RenderedBlock[] {
  nonTextParts(parts).forEach(({ type }) => note(`${type} in an assistant message`));
  return parts.flatMap((part) => {
    if (part.type === "text") return renderTextBlock(part.text, part.cache);
    return part.type === "refusal" ? renderTextBlock(part.text) : [];
  });
}

/** The name under which clients find thoughts of this provider (wire-reference §3.9, `format`). */
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
    : [{ type: "thinking", thinking: thoughts.join("\n"), signature }];
  const redacted: readonly RenderedBlock[] = encrypted === undefined
    ? []
    : [{ type: "redacted_thinking", data: encrypted }];
  const blocks = format === REASONING_FORMAT ? [...thinking, ...redacted] : [];
  if (blocks.length === 0) note("reasoning of another model");
  return blocks;
}

/** Ids that this wire takes: letters, digits, `_` and `-`. */
export function toWireCallId(callId: string): string {
  const clean = callId.replace(/[^a-zA-Z0-9_-]/g, "_");
  if (clean === callId && callId !== "" && callId.length <= ID_LIMIT) return callId;
  return appendDigest(clean, { of: callId, limit: ID_LIMIT });
}

const ID_LIMIT = 64;

export function renderCallBlock(item: ToolCallItem, names: ToolNames): RenderedBlock {
  return {
    type: "tool_use",
    id: toWireCallId(item.callId),
    name: wireNameOf(names, item),
    input: inputOf(item),
  };
}

/** An object, whatever the model wrote. */
function inputOf({ kind, arguments: text }: ToolCallItem): unknown {
  if (kind === "custom") return { input: text };
  try {
    const value: unknown = JSON.parse(text || "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value
      : { arguments: value };
  } catch (error) {
    if (error instanceof SyntaxError) return { arguments: text };
    throw error;
  }
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
