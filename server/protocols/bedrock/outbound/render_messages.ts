/** Hub items → `system` and `messages`. Roles alternate, the user begins, results follow their calls. */

import { callInput } from "../../canonical/call_arguments.ts";
import type {
  Item,
  MessageItem,
  PassthroughItem,
  ReasoningItem,
  ToolCallItem,
  ToolResultItem,
} from "../../canonical/item.ts";
import { answeredCalls, isClientAnswer, joinByRole, systemReminder } from "../../common/outbound/turns.ts";
import { nonTextParts, partsText } from "../../common/outbound/parts.ts";
import { toWireCallId } from "../../common/outbound/call_ids.ts";
import { type ToolNames, wireNameOf } from "../../common/outbound/tool_names.ts";
import {
  type ConverseBlock,
  type ConverseMessage,
  renderTextBlock,
  type ReportDropped,
} from "./render_blocks.ts";
import { renderParts } from "./render_parts.ts";

interface MessagesInput {
  readonly instructions?: string;
  readonly input: readonly Item[];
  readonly names: ToolNames;
  readonly note: ReportDropped;
}

export interface Conversation {
  readonly system: readonly ConverseBlock[];
  readonly messages: readonly ConverseMessage[];
}

/** Seals go back to where they were made: whether another platform opens them is its maker's business. */
export const REASONING_FORMAT = "amazon-bedrock-v1";

/** The conversation while it is being written down. */
interface Draft {
  readonly from: MessagesInput;
  readonly system: ConverseBlock[];
  readonly messages: ConverseMessage[];
  readonly answered: ReadonlySet<string>;
  /** Calls of the last assistant message whose results are still to come. */
  readonly awaited: Set<string>;
  /** Blocks that came while results were awaited; they may only stand behind them. */
  readonly held: ConverseBlock[];
}

export function renderMessages(from: MessagesInput): Conversation {
  const answered = answeredCalls(from.input, toWireCallId);
  const system = [...renderTextBlock(from.instructions ?? "")];
  const draft: Draft = { from, system, messages: [], answered, awaited: new Set(), held: [] };
  for (const item of from.input) addItem(draft, item);
  release(draft);
  return { system, messages: withUserFirst(draft.messages) };
}

const speech = (text: string): ConverseMessage => ({ role: "user", content: [{ text }] });

/** The provider wants the user first. */
const withUserFirst = (messages: readonly ConverseMessage[]): readonly ConverseMessage[] =>
  messages[0]?.role === "user" ? messages : [speech("[The assistant begins.]"), ...messages];

/** And last, save where the assistant's last words may be the beginning of the answer. */
export function withUserLast(
  messages: readonly ConverseMessage[],
  { prefill }: { readonly prefill: boolean },
): readonly ConverseMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return messages;
  const text = last.content.at(-1)?.text;
  if (!prefill || typeof text !== "string") return [...messages, speech("Continue.")];
  return [...messages.slice(0, -1), {
    ...last,
    content: [...last.content.slice(0, -1), { text: text.trimEnd() }],
  }];
}

/** Whether the model is to go on in a turn of calls and results that does not begin with its own thoughts. */
export function lacksReasoningSignature(messages: readonly ConverseMessage[]): boolean {
  let at = messages.length - 1;
  while (messages[at]?.content[0]?.toolResult !== undefined) at -= 2;
  return at < messages.length - 1 && messages[at + 1]?.content[0]?.reasoningContent === undefined;
}

function addItem(draft: Draft, item: Item): void {
  switch (item.type) {
    case "message":
      return addMessage(draft, item);
    case "reasoning":
      return joinByRole(draft.messages, {
        role: "assistant",
        content: renderReasoning(item, draft.from.note),
      });
    case "call":
      return addCall(draft, item);
    case "result":
      return addResult(draft, item);
    case "foreign":
      return addForeign(draft, item);
    default:
      return item satisfies never;
  }
}

function addMessage(draft: Draft, { role, parts }: MessageItem): void {
  const { note } = draft.from;
  if (role === "assistant") {
    nonTextParts(parts).forEach(({ type }) => note(`${type} in an assistant message`));
    return joinByRole(draft.messages, { role, content: renderTextBlock(partsText(parts)) });
  }
  if (role === "user") return addUser(draft, renderParts(parts, note));
  nonTextParts(parts).forEach(({ type }) => note(`${type} in a ${role} message`));
  if (draft.messages.length > 0) {
    return addUser(draft, renderTextBlock(systemReminder(partsText(parts))));
  }
  for (const part of parts) {
    if (part.type === "text") draft.system.push(...renderTextBlock(part.text, part.cache));
  }
}

function addUser(draft: Draft, blocks: readonly ConverseBlock[]): void {
  if (draft.awaited.size > 0) draft.held.push(...blocks);
  else joinByRole(draft.messages, { role: "user", content: blocks });
}

function release(draft: Draft): void {
  draft.awaited.clear();
  joinByRole(draft.messages, { role: "user", content: draft.held.splice(0) });
}

/** Only sealed thoughts are taken back. Clients that asked for a summary have them as one. */
function renderReasoning(item: ReasoningItem, note: ReportDropped): readonly ConverseBlock[] {
  const { signature, encrypted, format } = item;
  const own = format === undefined || format === REASONING_FORMAT;
  if (own && signature !== undefined) {
    const texts = item.content.length > 0 ? item.content : item.summary;
    return [{ reasoningContent: { reasoningText: { text: texts.join("\n"), signature } } }];
  }
  if (own && encrypted !== undefined) return [{ reasoningContent: { redactedContent: encrypted } }];
  note("reasoning without a seal");
  return [];
}

function addCall(draft: Draft, item: ToolCallItem): void {
  const toolUseId = toWireCallId(item.callId);
  const name = wireNameOf(draft.from.names, item);
  const input = callInput(item);
  joinByRole(draft.messages, { role: "assistant", content: [{ toolUse: { toolUseId, name, input } }] });
  if (draft.answered.has(toolUseId)) draft.awaited.add(toolUseId);
}

function addResult(draft: Draft, { callId, output, extra }: ToolResultItem): void {
  const toolUseId = toWireCallId(callId);
  const blocks = typeof output === "string" ? renderTextBlock(output) : renderParts(output, draft.from.note);
  const content = blocks.filter((block) => !("cachePoint" in block));
  const result = {
    toolUseId,
    content: content.length === 0 ? [{ text: "(empty)" }] : content,
    ...(extra?.messages?.is_error === true ? { status: "error" } : {}),
  };
  joinByRole(draft.messages, { role: "user", content: [{ toolResult: result }] });
  draft.awaited.delete(toolUseId);
  if (draft.awaited.size === 0) release(draft);
}

/** Adds in words what a hosted or server tool did in an earlier turn: the model's calls as the assistant's. */
function addForeign(draft: Draft, { kind, textFallback = "" }: PassthroughItem): void {
  if (isClientAnswer(kind)) return addUser(draft, renderTextBlock(textFallback));
  joinByRole(draft.messages, { role: "assistant", content: renderTextBlock(textFallback) });
}
