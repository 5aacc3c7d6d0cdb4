/**
 * Hub items → `system` and `messages` (specification, Clients, case 11). Roles alternate, and the user begins.
 */

import type { Item, MessageItem, PassthroughItem, ToolResultItem } from "../../canonical/item.ts";
import { toWireCallId } from "../../common/outbound/call_ids.ts";
import {
  answeredCalls,
  isClientAnswer,
  joinByRole,
  systemReminder,
  Turns,
} from "../../common/outbound/turns.ts";
import { nonTextParts, partsText } from "../../common/outbound/parts.ts";
import type { ToolNames } from "../../common/outbound/tool_names.ts";
import {
  type AssistantTurn,
  createTurn,
  providerBlocks,
  renderCallBlock,
  renderReasoningBlocks,
  renderTextBlocks,
  renderTurn,
  turnCallIds,
} from "./render_assistant_turn.ts";
import {
  renderCacheControl,
  type RenderedBlock,
  type RenderedMessage,
  renderParts,
  renderText,
  renderTextBlock,
  type ReportDropped,
} from "./render_parts.ts";

export interface MessagesInput {
  readonly instructions?: string;
  readonly input: readonly Item[];
  readonly names: ToolNames;
  readonly note: ReportDropped;
}

interface Conversation {
  readonly system: readonly RenderedBlock[];
  readonly messages: readonly RenderedMessage[];
}

/** The conversation while it is being written down. */
interface Draft {
  readonly from: MessagesInput;
  readonly system: RenderedBlock[];
  readonly messages: RenderedMessage[];
  /** Calls that have a result somewhere in the input. */
  readonly answered: ReadonlySet<string>;
  readonly turns: Turns<RenderedBlock, AssistantTurn>;
}

export function renderMessages(from: MessagesInput): Conversation {
  const answered = answeredCalls(from.input, toWireCallId);
  const system = [...renderTextBlock(from.instructions ?? "")];
  const messages: RenderedMessage[] = [];
  const turns = new Turns({ create: createTurn, write: (turn) => writeTurn(messages, turn) });
  const draft: Draft = { from, system, messages, answered, turns };
  for (const item of from.input) addItem(draft, item);
  turns.end();
  return { system, messages: withUserFirst(messages) };
}

/** A conversation that the assistant began: the provider wants the user first. */
const withUserFirst = (messages: readonly RenderedMessage[]): readonly RenderedMessage[] =>
  messages.length > 0 && messages[0]?.role === "assistant" ? [BEGINNING, ...messages] : messages;

/**
 * A conversation that the assistant ended: its last words are the beginning of the answer where `prefill` says that
 * they can be, else the user says to go on. What the provider's own tools left off goes on by itself.
 */
export function withUserLast(
  messages: readonly RenderedMessage[],
  { prefill }: { readonly prefill: boolean },
): readonly RenderedMessage[] {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last?.role === "user" || /tool_use$|tool_result$/.test(block?.type ?? "")) return messages;
  if (!prefill || last === undefined || block?.type !== "text") return [...messages, GO_ON];
  // The provider refuses a beginning that ends in white space.
  const beginning = { ...block, text: String(block.text).trimEnd() };
  return [...messages.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), beginning] }];
}

const speech = (text: string): RenderedMessage => ({ role: "user", content: [{ type: "text", text }] });
const BEGINNING = speech("[The assistant begins.]");
const GO_ON = speech("Continue.");

function addItem(draft: Draft, item: Item): void {
  const { names, note } = draft.from;
  switch (item.type) {
    case "message":
      return addMessage(draft, item);
    case "reasoning":
      return addBlocks(draft, renderReasoningBlocks(item, note));
    case "call":
      return addCall(draft, renderCallBlock(item, names));
    case "result":
      return addResult(draft, item);
    case "foreign":
      return addForeign(draft, item);
    default:
      return item satisfies never;
  }
}

function addMessage(draft: Draft, item: MessageItem): void {
  const { note } = draft.from;
  if (item.role === "assistant") return addBlocks(draft, renderTextBlocks(item, note));
  if (item.role === "user") return addUser(draft, renderParts(item.parts, note));
  nonTextParts(item.parts).forEach(({ type }) => note(`${type} in a ${item.role} message`));
  if (draft.messages.length === 0 && draft.turns.current === undefined) return addSystem(draft, item);
  addUser(draft, reminder(item));
}

function addSystem({ system }: Draft, { parts }: MessageItem): void {
  for (const part of parts) if (part.type === "text") system.push(...renderText(part));
}

function reminder({ parts }: MessageItem): readonly RenderedBlock[] {
  const cache = parts.findLast((part) => part.type === "text" && part.cache !== undefined);
  return renderTextBlock(systemReminder(partsText(parts)), cache?.type === "text" ? cache.cache : undefined);
}

function addUser({ turns, messages }: Draft, content: readonly RenderedBlock[]): void {
  if (turns.passes(content)) joinByRole(messages, { role: "user", content });
}

function writeTurn(messages: RenderedMessage[], turn: AssistantTurn): void {
  for (const message of renderTurn(turn)) joinByRole(messages, message);
}

function addBlocks(draft: Draft, blocks: readonly RenderedBlock[]): void {
  if (blocks.length > 0) draft.turns.open().blocks.push(...blocks);
}

function addCall(draft: Draft, call: RenderedBlock): void {
  const turn = draft.turns.open();
  const id = String(call.id);
  if (draft.answered.has(id)) turn.awaited.add(id);
  turn.blocks.push(call);
}

/** A result whose call is not in the turn before it goes as it is: the provider judges it. */
function addResult(draft: Draft, item: ToolResultItem): void {
  const id = toWireCallId(item.callId);
  const result = resultBlock(item, { id, note: draft.from.note });
  const turn = draft.turns.current;
  if (turn === undefined || !turnCallIds(turn).includes(id)) {
    draft.turns.end();
    return joinByRole(draft.messages, { role: "user", content: [result] });
  }
  if (turn.results.has(id)) return draft.from.note("second result of a call");
  turn.awaited.delete(id);
  turn.results.set(id, result);
}

interface ResultContext {
  readonly id: string;
  readonly note: ReportDropped;
}

/** A breakpoint inside a result is one behind it. That a tool failed, only clients of this same wire say. */
function resultBlock({ output, extra }: ToolResultItem, { id, note }: ResultContext): RenderedBlock {
  const result = { type: "tool_result", tool_use_id: id, ...extra?.messages };
  if (typeof output === "string") return { ...result, content: output };
  const marked = output.findLast((part) => part.type !== "refusal" && part.cache !== undefined);
  const parts = output.map((part) => part.type === "refusal" ? part : { ...part, cache: undefined });
  const cache = marked === undefined || marked.type === "refusal" ? undefined : marked.cache;
  return { ...result, content: renderParts(parts, note), ...renderCacheControl(cache) };
}

/**
 * Adds what a hosted or server tool did in an earlier turn: this provider's own blocks as they were, others in words,
 * the model's calls as the assistant's, the client's results as the user's.
 */
function addForeign(draft: Draft, item: PassthroughItem): void {
  const own = providerBlocks(item);
  if (own?.[0]?.type === "container_upload") return addUser(draft, own);
  if (own !== undefined) return addBlocks(draft, own);
  const block = renderTextBlock(item.textFallback ?? "");
  if (isClientAnswer(item.kind)) return addUser(draft, block);
  addBlocks(draft, block);
}
