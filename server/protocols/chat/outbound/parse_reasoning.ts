/** Reasoning in the dialects of compatible servers → the reasoning item. */

import type { TextEvent } from "../../../canonical/event.ts";
import { closeOthers } from "./parse_item_end.ts";
import type { ContentPart, Delta, ReasoningDetail } from "./response_schema.ts";
import { type ChatState, inTurn, type OpenReasoning, type Step } from "./parse_state.ts";

type Kind = "thought" | "summary";

interface Thought {
  readonly type: Kind;
  readonly text: string;
}

/**
 * Reads `reasoning_details`, `reasoning_content` and `reasoning`. Servers that send several of them say the
 * same thing in each, so that the texts of only one are taken.
 */
export function stepReasoning(state: ChatState, delta: Delta): Step {
  const details = delta.reasoning_details;
  if (!details || details.length === 0) {
    const text = plainThought(delta);
    return text === "" ? [state, []] : think(state, { type: "thought", text });
  }
  const detailed = details.flatMap(thoughtOf);
  const thoughts = detailed.length > 0 ? detailed : plainThoughts(delta);
  return inTurn(state, [
    ...thoughts.map((thought) => (now: ChatState) => think(now, thought)),
    ...details.map((detail) => (now: ChatState) => seal(now, detail)),
  ]);
}

function thoughtOf({ type, text, summary }: ReasoningDetail): readonly Thought[] {
  if (type === "reasoning.text" && text) return [{ type: "thought", text }];
  if (type === "reasoning.summary" && summary) return [{ type: "summary", text: summary }];
  return [];
}

function plainThoughts(delta: Delta): readonly Thought[] {
  const text = plainThought(delta);
  return text === "" ? [] : [{ type: "thought", text }];
}

const plainThought = ({ reasoning_content, reasoning, content }: Delta): string =>
  reasoning_content || reasoning || thinkingIn(content);

function thinkingIn(content: Delta["content"]): string {
  if (typeof content === "string") return "";
  return (content ?? []).map(thinkingOf).join("");
}

function thinkingOf({ thinking }: ContentPart): string {
  if (typeof thinking === "string") return thinking;
  return (thinking ?? []).map(({ text }) => text ?? "").join("");
}

function think(state: ChatState, thought: Thought): Step {
  return inTurn(state, [openReasoning, (now) => growThought(now, thought)]);
}

function openReasoning(state: ChatState): Step {
  if (state.open?.type === "reasoning") return [state, []];
  return inTurn(state, [closeOthers, (now) => {
    const open: OpenReasoning = { type: "reasoning", at: now.items, thought: "", summary: "" };
    const item = { type: "reasoning", thoughts: [], summary: [] } as const;
    return [{ ...now, open, items: now.items + 1 }, [{ type: "item", at: open.at, item }]];
  }]);
}

function growThought(state: ChatState, { type, text }: Thought): Step {
  const { open } = state;
  if (open?.type !== "reasoning") return [state, []];
  const grown = { ...open, [type]: open[type] + text };
  const event: TextEvent = { type, at: open.at, part: 0, delta: text };
  return [{ ...state, open: grown }, [event]];
}

/**
 * Keeps what proves a thought to its maker. A cipher may be all that there is of one, but not once the answer
 * has begun: a reasoning item opened for it would cut the message in two.
 */
function seal(state: ChatState, { signature, format, data, type }: ReasoningDetail): Step {
  const encrypted = type === "reasoning.encrypted" ? data : undefined;
  if (state.items === 0 && encrypted) {
    return inTurn(state, [openReasoning, (now) => sealed(now, { signature, format, encrypted })]);
  }
  return sealed(state, { signature, format, encrypted });
}

type Seal = { readonly [K in "signature" | "format" | "encrypted"]?: string | null };

function sealed(state: ChatState, { signature, format, encrypted }: Seal): Step {
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
