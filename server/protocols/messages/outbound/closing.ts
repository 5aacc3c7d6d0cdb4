/**
 * When items close. The end of a block does not close its item: only what follows tells whether it was the
 * answer's last one and was cut short there.
 */

import type { ItemDoneEvent, ModelEvent } from "../../../canonical/event.ts";
import type { ReasoningItem } from "../../../canonical/item.ts";
import { endInput } from "../../common/outbound/parse_tool_input.ts";
import { wholeOwnCall } from "./parse_provider_tools.ts";
import { FORMAT } from "./render_assistant_turn.ts";
import { inTurn, type MessagesState, type OpenCall, type OpenReasoning, type Step } from "./parse_state.ts";

/** Closes the item that is open, if any. */
export function closeOpen(state: MessagesState): Step {
  const { open } = state;
  if (open === undefined) return [state, []];
  return [{ ...state, open: undefined }, closing(open)];
}

function closing(open: NonNullable<MessagesState["open"]>): readonly ModelEvent[] {
  switch (open.type) {
    case "message":
      return [{ type: "item_done", at: open.at }];
    case "reasoning":
      return [thoughtDone(open)];
    case "call":
      return [...rest(open), { type: "item_done", at: open.at }];
    default:
      return open satisfies never;
  }
}

/** A sealed thought is told once more as a whole: its seal came after the item opened. */
function thoughtDone({ at, thought, signature, encrypted }: OpenReasoning): ItemDoneEvent {
  const item: ReasoningItem = {
    type: "reasoning",
    thoughts: thought === "" ? [] : [thought],
    summary: [],
    ...(signature === "" ? {} : { signature }),
    ...(encrypted === undefined ? {} : { encrypted }),
    format: FORMAT,
  };
  return { type: "item_done", at, item };
}

/** What is still to be said of a call: clients parse the arguments, so one without any has an empty object. */
function rest({ at, empty, input }: OpenCall): readonly ModelEvent[] {
  const delta = input === undefined ? (empty ? "{}" : "") : endInput(input);
  return delta === "" ? [] : [{ type: "arguments", at, delta }];
}

/** Closes everything: the answer is whole. */
export function closeAll(state: MessagesState): Step {
  return inTurn(state, [closeOpen, closeOwnCalls]);
}

/** The provider's own calls that got no result: it will go on with them when the client comes back. */
function closeOwnCalls(state: MessagesState): Step {
  const events = [...state.ownCalls.values()].map(({ at, block }): ModelEvent => ({
    type: "item_done",
    at,
    item: wholeOwnCall(block, undefined),
  }));
  return [{ ...state, ownCalls: new Map() }, events];
}

/** Of an answer that was cut short, a thought whose seal came is whole all the same. */
export function closeSealed(state: MessagesState): Step {
  const { open } = state;
  const sealed = open?.type === "reasoning" && open.ended &&
    (open.signature !== "" || open.encrypted !== undefined);
  return sealed ? closeOpen(state) : [state, []];
}
