/** Reasoning in the dialects of compatible servers → the reasoning item. */

import type { TextEvent } from "../../../canonical/event.ts";
import { closeOtherItems } from "./parse_item_end.ts";
import type { ChatContentPart, ChatDelta, ReasoningDetail } from "./response_schema.ts";
import { type ChatState, type OpenReasoning, type ParseStep, runSteps } from "./parse_state.ts";

type Kind = "thought" | "summary";

interface ReasoningText {
  readonly type: Kind;
  readonly text: string;
}

/**
 * Reads `reasoning_details`, `reasoning_content` and `reasoning`. Servers that send several of them say the
 * same thing in each, so that the texts of only one are taken.
 */
export function stepReasoning(state: ChatState, delta: ChatDelta): ParseStep {
  const details = delta.reasoning_details;
  if (!details || details.length === 0) {
    const text = plainThought(delta);
    return text === "" ? [state, []] : appendReasoning(state, { type: "thought", text });
  }
  const detailed = details.flatMap(readReasoning);
  const thoughts = detailed.length > 0 ? detailed : readPlainReasoning(delta);
  return runSteps(state, [
    ...thoughts.map((thought) => (now: ChatState) => appendReasoning(now, thought)),
    ...details.map((detail) => (now: ChatState) => addSignature(now, detail)),
  ]);
}

function readReasoning({ type, text, summary }: ReasoningDetail): readonly ReasoningText[] {
  if (type === "reasoning.text" && text) return [{ type: "thought", text }];
  if (type === "reasoning.summary" && summary) return [{ type: "summary", text: summary }];
  return [];
}

function readPlainReasoning(delta: ChatDelta): readonly ReasoningText[] {
  const text = plainThought(delta);
  return text === "" ? [] : [{ type: "thought", text }];
}

const plainThought = ({ reasoning_content, reasoning, content }: ChatDelta): string =>
  reasoning_content || reasoning || thinkingIn(content);

function thinkingIn(content: ChatDelta["content"]): string {
  if (typeof content === "string") return "";
  return (content ?? []).map(thinkingOf).join("");
}

function thinkingOf({ thinking }: ChatContentPart): string {
  if (typeof thinking === "string") return thinking;
  return (thinking ?? []).map(({ text }) => text ?? "").join("");
}

function appendReasoning(state: ChatState, thought: ReasoningText): ParseStep {
  return runSteps(state, [openReasoning, (now) => appendReasoningText(now, thought)]);
}

function openReasoning(state: ChatState): ParseStep {
  if (state.open?.type === "reasoning") return [state, []];
  return runSteps(state, [closeOtherItems, (now) => {
    const open: OpenReasoning = { type: "reasoning", at: now.items, text: "", summary: "" };
    const item = { type: "reasoning", content: [], summary: [] } as const;
    return [{ ...now, open, items: now.items + 1 }, [{ type: "item", itemKey: open.at, item }]];
  }]);
}

function appendReasoningText(state: ChatState, { type, text }: ReasoningText): ParseStep {
  const { open } = state;
  if (open?.type !== "reasoning") return [state, []];
  const field = type === "thought" ? "text" : "summary";
  const grown = { ...open, [field]: open[field] + text };
  const event: TextEvent = { type, itemKey: open.at, part: 0, delta: text };
  return [{ ...state, open: grown }, [event]];
}

/**
 * Keeps what proves a thought to its maker. An encrypted text may be all that there is of one, but not once the
 * answer has begun: a reasoning item opened for it would cut the message in two.
 */
function addSignature(state: ChatState, { signature, format, data, type }: ReasoningDetail): ParseStep {
  const encrypted = type === "reasoning.encrypted" ? data : undefined;
  if (state.items === 0 && encrypted) {
    return runSteps(state, [openReasoning, (now) => sealed(now, { signature, format, encrypted })]);
  }
  return sealed(state, { signature, format, encrypted });
}

type ReasoningSignature = { readonly [K in "signature" | "format" | "encrypted"]?: string | null };

function sealed(state: ChatState, { signature, format, encrypted }: ReasoningSignature): ParseStep {
  const { open } = state;
  if (open?.type !== "reasoning") return [state, []];
  const whole: OpenReasoning = {
    ...open,
    signature: signature || open.signature,
    format: format || open.format,
    encrypted: encrypted || open.encrypted,
  };
  return [{ ...state, open: whole }, []];
}
