/** Reasoning in the dialects of compatible servers → the reasoning item. */

import type { TextEvent } from "../../../canonical/event.ts";
import { isSameThought, isThoughtDetail } from "../../reasoning_details.ts";
import { closeOtherItems } from "./parse_item_end.ts";
import type { ChatContentPart, ChatDelta, ReasoningDetail } from "../response_schema.ts";
import type { ChatState, OpenReasoning, ParseStep } from "./parse_state.ts";
import { runSteps } from "../../../stream/state_machine.ts";

type Kind = "thought" | "summary";

interface ReasoningText {
  readonly type: Kind;
  readonly text: string;
}

/**
 * Reads `reasoning_details`, `reasoning_content` and `reasoning`. Servers that send several of them say the
 * same thing in each, so that the texts of only one are taken. Details that name a call are left to it
 * (`parse_calls.ts`).
 */
export function stepReasoning(state: ChatState, delta: ChatDelta): ParseStep {
  const details = delta.reasoning_details ?? [];
  const text = details.some(hasText) ? "" : plainThought(delta);
  return runSteps(state, [
    ...(text === "" ? [] : [(now: ChatState) => appendReasoning(now, { type: "thought", text })]),
    ...freeDetails(delta).map((detail, at) => (now: ChatState) =>
      stepDetail(now, { detail, goesOn: at === 0 })
    ),
  ]);
}

const hasText = ({ type, text, summary }: ReasoningDetail): boolean =>
  (type === "reasoning.text" && Boolean(text)) || (type === "reasoning.summary" && Boolean(summary));

/** Details that a call of the same chunk does not have the id of. */
function freeDetails(
  { reasoning_details: details, tool_calls: calls }: ChatDelta,
): readonly ReasoningDetail[] {
  if (!details || !calls || calls.length === 0) return details ?? [];
  return details.filter(({ id }) => !id || !calls.some((call) => call.id === id));
}

interface DetailStep {
  readonly detail: ReasoningDetail;
  /** Whether it may be a chunk of a detail without a number, of which the chunk before had the beginning. */
  readonly goesOn: boolean;
  /** Its id is that of a call. */
  readonly ofCall?: boolean;
}

/**
 * Every detail is a thought of its own or more of the one that is open (`reasoning_details.ts`). A seal that comes in
 * the middle of a message waits for its end: a reasoning item for it would cut the message in two.
 */
export function stepDetail(state: ChatState, { detail, goesOn, ofCall = false }: DetailStep): ParseStep {
  if (!isThoughtDetail(detail)) return [state, []];
  const { open } = state;
  const isMore = open?.type === "reasoning" &&
    (isSameThought(detail, open) || (goesOn && isChunk(detail, open)));
  if (isMore) return runSteps(state, [(now) => growThought(now, detail)]);
  const isSeal = !hasText(detail);
  if (isSeal && !detail.data && !detail.signature) return [state, []];
  if (isSeal && open?.type === "message" && !ofCall) {
    return isNamed(detail) ? [{ ...state, lateSeals: [...state.lateSeals, detail] }, []] : [state, []];
  }
  const id = ofCall || !detail.id || state.thoughtIds.includes(detail.id) ? undefined : detail.id;
  return runSteps(state, [(now) => startThought(now, id), (now) => growThought(now, detail)]);
}

/** Whether a late seal says what it seals or whose it is. Without that no client can use it. */
const isNamed = ({ id, format, index }: ReasoningDetail): boolean =>
  Boolean(id || format) || typeof index === "number";

const isChunk = ({ type, id, index }: ReasoningDetail, open: OpenReasoning): boolean =>
  !id && (index ?? undefined) === undefined && open.last?.type === type && !isSealed(open);

const isSealed = ({ signature, encrypted }: OpenReasoning): boolean =>
  signature !== undefined || encrypted !== undefined;

function growThought(state: ChatState, detail: ReasoningDetail): ParseStep {
  const { type, text, summary, index, id } = detail;
  const thought: ReasoningText | undefined = type === "reasoning.text" && text
    ? { type: "thought", text }
    : type === "reasoning.summary" && summary
    ? { type: "summary", text: summary }
    : undefined;
  return runSteps(state, [
    ...(thought === undefined ? [] : [(now: ChatState) => appendReasoningText(now, thought)]),
    (now) => sealed(now, { ...detail, encrypted: type === "reasoning.encrypted" ? detail.data : undefined }),
    (now) =>
      now.open?.type === "reasoning"
        ? [{
          ...now,
          open: {
            ...now.open,
            id: now.open.id ?? (id || undefined),
            last: { type, index: index ?? undefined },
          },
        }, []]
        : [now, []],
  ]);
}

/** Sends the seals that waited for the end of a message. */
export function tellLateSeals(state: ChatState): ParseStep {
  if (state.lateSeals.length === 0) return [state, []];
  return runSteps({ ...state, lateSeals: [] }, [
    closeOtherItems,
    ...state.lateSeals.map((detail) => (now: ChatState) => stepDetail(now, { detail, goesOn: false })),
  ]);
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
  const { open } = state;
  const goesOn = open?.type === "reasoning" && !isSealed(open);
  return runSteps(state, [
    ...(goesOn ? [] : [(now: ChatState) => startThought(now, undefined)]),
    (now) => appendReasoningText(now, thought),
  ]);
}

function startThought(state: ChatState, id: string | undefined): ParseStep {
  return runSteps(state, [closeOtherItems, (now) => {
    const open: OpenReasoning = { type: "reasoning", at: now.items, text: "", summary: "", id };
    const item = {
      type: "reasoning",
      content: [],
      summary: [],
      ...(id === undefined ? {} : { id }),
    } as const;
    const thoughtIds = id === undefined ? now.thoughtIds : [...now.thoughtIds, id];
    return [{ ...now, open, thoughtIds, items: now.items + 1 }, [{ type: "item", itemKey: open.at, item }]];
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

type ReasoningSignature = { readonly [K in "signature" | "format" | "encrypted"]?: string | null };

/** Keeps what proves a thought to its maker. */
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
