/**
 * Hub items → messages (specification, Clients, case 11: message after call, calls in a row, parallel results).
 */

import { writeJson } from "../../../../shared/util/json.ts";
import { callArgumentsText } from "../../canonical/call_arguments.ts";
import type {
  Item,
  MessageItem,
  PassthroughItem,
  ReasoningItem,
  ToolCallItem,
  ToolResultItem,
} from "../../canonical/item.ts";
import type { EndpointTraits } from "../../wire.ts";
import { type AssistantTurn, createTurn, renderTurn } from "./render_assistant_turn.ts";
import type { TurnThought } from "./render_details.ts";
import type { ChatMessage, InstructionMessage, ToolCall, ToolMessage } from "./message_types.ts";
import { isBreakpoint, joinContents, renderParts, renderTexts } from "./render_parts.ts";
import { renderExtraContent, sealedSignature } from "../../common/thought_signature.ts";
import { nonTextParts, partsText } from "../../common/outbound/parts.ts";
import { shortenName } from "../../common/outbound/shorten_name.ts";
import { type ToolNames, wireNameOf } from "../../common/outbound/tool_names.ts";
import { answeredCalls, isClientAnswer, Turns } from "../../common/outbound/turns.ts";

export interface MessagesInput {
  readonly instructions?: string;
  readonly input: readonly Item[];
  readonly names: ToolNames;
  readonly endpoint: Pick<EndpointTraits, "developerRole" | "reasoningReplay">;
}

interface RenderedMessages {
  readonly messages: readonly ChatMessage[];
  readonly dropped: readonly string[];
}

/** The conversation while it is being written down. */
interface Draft {
  readonly from: MessagesInput;
  readonly messages: ChatMessage[];
  readonly dropped: string[];
  /** Calls that have a result somewhere in the input. */
  readonly answered: ReadonlySet<string>;
  readonly turns: Turns<ChatMessage, AssistantTurn>;
}

export function renderMessages(from: MessagesInput): RenderedMessages {
  const answered = answeredCalls(from.input, callIdOf);
  const messages: ChatMessage[] = [];
  const turns = new Turns({ create: createTurn, write: (turn) => writeTurn(messages, { turn, from }) });
  const draft: Draft = { from, messages, dropped: [], answered, turns };
  if (from.instructions !== undefined && from.instructions !== "") {
    addMessage(draft, { role: from.endpoint.developerRole, content: from.instructions });
  }
  for (const item of from.input) addItem(draft, item);
  turns.end();
  return { messages, dropped: draft.dropped };
}

function addItem(draft: Draft, item: Item): void {
  switch (item.type) {
    case "message":
      return item.role === "assistant" ? addSpeech(draft, item) : addMessage(draft, message(draft, item));
    case "reasoning":
      return addReasoning(draft, item);
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

function message(draft: Draft, { role, parts, extra }: MessageItem): ChatMessage {
  const own = extra?.chat;
  if (role === "user") {
    const { content, dropped } = renderParts(parts);
    draft.dropped.push(...dropped);
    return { ...own, role, content };
  }
  draft.dropped.push(...nonTextParts(parts).map((part) => `${part.type} in a ${role} message`));
  const known = role === "developer" ? draft.from.endpoint.developerRole : "system";
  return { ...own, role: known, content: renderTexts(parts) };
}

function addMessage({ turns, messages }: Draft, message: ChatMessage): void {
  if (turns.passes([message])) push(messages, message);
}

interface EndedTurn {
  readonly turn: AssistantTurn;
  readonly from: MessagesInput;
}

function writeTurn(messages: ChatMessage[], { turn, from }: EndedTurn): void {
  for (const message of renderTurn(turn, from.endpoint.reasoningReplay)) push(messages, message);
}

/** Instructions in a row become one: the templates of many local models take a single system message. */
function push(messages: ChatMessage[], message: ChatMessage): void {
  const last = messages.at(-1);
  if (last !== undefined && isInstruction(last) && isInstruction(message) && last.role === message.role) {
    messages[messages.length - 1] = { ...last, content: joinContents(last.content, message.content) };
    return;
  }
  messages.push(message);
}

const isInstruction = (message: ChatMessage): message is InstructionMessage =>
  message.role === "system" || message.role === "developer";

function addSpeech(draft: Draft, { parts, extra }: Pick<MessageItem, "parts" | "extra">): void {
  draft.dropped.push(...nonTextParts(parts).map((part) => `${part.type} in an assistant message`));
  if (parts.some(isBreakpoint)) draft.dropped.push("prompt_cache_breakpoint in an assistant message");
  const text = partsText(parts);
  if (extra?.chat !== undefined) Object.assign(draft.turns.open().own, extra.chat);
  if (text === "") return;
  const turn = draft.turns.open();
  turn.texts.push(text);
  turn.isThinking = false;
}

function addReasoning(draft: Draft, item: ReasoningItem): void {
  const turn = draft.turns.open();
  turn.reasoning.push({ item });
  turn.isThinking = true;
}

function addCall(draft: Draft, item: ToolCallItem): void {
  const turn = draft.turns.open();
  const id = callIdOf(item.callId);
  const thought = turn.isThinking ? turn.reasoning.at(-1) : undefined;
  if (thought !== undefined) thought.callId = id;
  turn.isThinking = false;
  const call = { ...renderCall(item, draft.from), ...renderSignature(item, { thought, from: draft.from }) };
  if (draft.answered.has(call.id)) turn.awaited.add(call.id);
  turn.calls.push(call);
}

/** Servers parse the arguments of earlier calls, and refuse the request where these are no object. */
function renderCall(item: ToolCallItem, { names }: MessagesInput): ToolCall {
  const text = item.kind === "custom"
    ? writeJson({ input: item.arguments })
    : callArgumentsText(item.arguments);
  return {
    ...item.extra?.chat,
    id: callIdOf(item.callId),
    type: "function",
    function: { name: wireNameOf(names, item), arguments: text },
  };
}

interface SignedCall {
  /** Right before the call. */
  readonly thought: TurnThought | undefined;
  readonly from: MessagesInput;
}

/** This provider's signature of a call in Google's form, where the client has not sent it beside the call. */
function renderSignature(
  { extra }: ToolCallItem,
  { thought, from: { endpoint } }: SignedCall,
): Pick<ToolCall, "extra_content"> {
  const isTold = extra?.chat?.extra_content !== undefined || endpoint.reasoningReplay === "reasoning_details";
  const signature = thought === undefined || isTold ? undefined : sealedSignature(thought.item);
  return signature === undefined ? {} : renderExtraContent(signature);
}

/** OpenAI takes call ids of at most 40 characters; ids from other providers may be longer. */
const callIdOf = (callId: string): string => shortenName(callId, 40);

function addResult(draft: Draft, item: ToolResultItem): void {
  const id = callIdOf(item.callId);
  const turn = draft.turns.current;
  const parts = typeof item.output === "string" ? [] : item.output;
  const result = renderResult(item, id);
  if (turn === undefined || !turn.calls.some((call) => call.id === id)) {
    return addStrayResult(draft, result);
  }
  turn.awaited.delete(id);
  turn.results.add(result);
  turn.attached.push(...nonTextParts(parts));
}

function renderResult({ output, extra }: ToolResultItem, id: string): ToolMessage {
  const own = extra?.chat;
  if (typeof output === "string") return { ...own, role: "tool", tool_call_id: id, content: output };
  const content = renderTexts(output);
  const attached = nonTextParts(output).length > 0 ? "See the attachment below." : "";
  return { ...own, role: "tool", tool_call_id: id, content: content === "" ? attached : content };
}

/** A result whose call is not in the turn before it goes as it is: the provider judges it. */
function addStrayResult(draft: Draft, result: ToolMessage): void {
  draft.turns.end();
  push(draft.messages, result);
}

/**
 * Adds in words what a hosted or server tool did in an earlier turn: the model's calls as the assistant's, the
 * client's results as the user's.
 */
function addForeign(draft: Draft, { kind, textFallback }: PassthroughItem): void {
  if (textFallback === undefined || textFallback === "") return;
  if (isClientAnswer(kind)) return addMessage(draft, { role: "user", content: textFallback });
  addSpeech(draft, { parts: [{ type: "text", text: textFallback }] });
}
