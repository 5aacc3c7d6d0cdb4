/** One turn of the assistant and what answers it: one assistant message with all its calls, then all results. */

import type { TurnThought } from "./render_details.ts";
import type { ContentPart, ReasoningItem } from "../../canonical/item.ts";
import type { EndpointTraits } from "../../wire.ts";
import type { AssistantMessage, ChatMessage, ToolCall, ToolMessage, UserMessage } from "./message_types.ts";
import type { Turn } from "../../common/outbound/turns.ts";
import { renderParts } from "./render_parts.ts";
import { renderDetails } from "./render_details.ts";

export interface AssistantTurn extends Turn<ChatMessage> {
  readonly texts: string[];
  /** Fields of the message that only clients of this same wire write. */
  readonly own: Record<string, unknown>;
  readonly reasoning: TurnThought[];
  /** Whether a thought is the last thing in the turn: a call that comes now is the one that it belongs to. */
  isThinking: boolean;
  readonly calls: ToolCall[];
  readonly results: Set<ToolMessage>;
  /** Parts of results besides text: they follow in a user message, since results carry text only. */
  readonly attached: ContentPart[];
}

export const createTurn = (): AssistantTurn => ({
  texts: [],
  own: {},
  reasoning: [],
  isThinking: false,
  calls: [],
  awaited: new Set(),
  results: new Set(),
  attached: [],
  held: [],
});

/** The messages of a turn, in the one order that providers take. */
export function renderTurn(turn: AssistantTurn, replay: EndpointTraits["reasoningReplay"]): ChatMessage[] {
  return [...assistantMessage(turn, replay), ...turn.results, ...attachedMessage(turn), ...turn.held];
}

/** Reasoning alone is no message: without a text or a call there is nothing to say. */
function assistantMessage(
  turn: AssistantTurn,
  replay: EndpointTraits["reasoningReplay"],
): AssistantMessage[] {
  const { texts, calls } = turn;
  if (texts.length === 0 && calls.length === 0) return [];
  return [{
    ...turn.own,
    role: "assistant",
    content: texts.length === 0 ? null : texts.join("\n"),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...replayed(turn.reasoning, replay),
  }];
}

/** Earlier reasoning, where the endpoint wants it back; elsewhere it is refused or read as text, so it stays here. */
function replayed(
  reasoning: readonly TurnThought[],
  replay: EndpointTraits["reasoningReplay"],
): Pick<AssistantMessage, "reasoning_content" | "reasoning" | "reasoning_details"> {
  if (replay === undefined || reasoning.length === 0) return {};
  if (replay === "reasoning_details") {
    return { reasoning_details: reasoning.flatMap(renderDetails) };
  }
  const texts = reasoning.map(({ item }) => thoughtsOf(item)).filter((text) => text !== "");
  return texts.length === 0 ? {} : { [replay]: texts.join("\n") };
}

const thoughtsOf = ({ content, summary }: ReasoningItem) =>
  (content.length > 0 ? content : summary).join("\n");

function attachedMessage({ attached }: AssistantTurn): UserMessage[] {
  if (attached.length === 0) return [];
  const intro: ContentPart = { type: "text", text: "Attached to the tool results above:" };
  return [{ role: "user", content: renderParts([intro, ...attached]).content }];
}
