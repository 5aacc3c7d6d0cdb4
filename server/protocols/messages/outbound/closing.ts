/**
 * When items close. The end of a block does not close its item: only what follows tells whether it was the
 * answer's last one and was cut short there.
 */

import type { ItemDoneEvent, ModelEvent } from "../../../canonical/event.ts";
import type { ReasoningItem } from "../../../canonical/item.ts";
import { endToolInput } from "../../common/outbound/parse_tool_input.ts";
import { finishedProviderCall } from "./parse_provider_tools.ts";
import { REASONING_FORMAT } from "./render_assistant_turn.ts";
import {
  type MessagesState,
  type OpenCall,
  type OpenReasoning,
  type ParseStep,
  runSteps,
} from "./parse_state.ts";

/** Closes the item that is open, if any. */
export function closeOpenItem(state: MessagesState): ParseStep {
  const { open } = state;
  if (open === undefined) return [state, []];
  return [{ ...state, open: undefined }, closing(open)];
}

function closing(open: NonNullable<MessagesState["open"]>): readonly ModelEvent[] {
  switch (open.type) {
    case "message":
      return [{ type: "item_done", itemKey: open.at }];
    case "reasoning":
      return [reasoningDone(open)];
    case "call":
      return [...rest(open), { type: "item_done", itemKey: open.at }];
    default:
      return open satisfies never;
  }
}

/** A sealed thought is told once more as a whole: its seal came after the item opened. */
function reasoningDone({ at, text: thought, signature, encrypted }: OpenReasoning): ItemDoneEvent {
  const item: ReasoningItem = {
    type: "reasoning",
    content: thought === "" ? [] : [thought],
    summary: [],
    ...(signature === "" ? {} : { signature }),
    ...(encrypted === undefined ? {} : { encrypted }),
    format: REASONING_FORMAT,
  };
  return { type: "item_done", itemKey: at, item };
}

/** What is still to be said of a call: clients parse the arguments, so one without any has an empty object. */
function rest({ at, empty, input }: OpenCall): readonly ModelEvent[] {
  const delta = input === undefined ? (empty ? "{}" : "") : endToolInput(input);
  return delta === "" ? [] : [{ type: "arguments", itemKey: at, delta }];
}

/** Closes everything: the answer is whole. */
export function closeAllItems(state: MessagesState): ParseStep {
  return runSteps(state, [closeOpenItem, closeOwnCalls]);
}

/** The provider's own calls that got no result: it will go on with them when the client comes back. */
function closeOwnCalls(state: MessagesState): ParseStep {
  const events = [...state.ownCalls.values()].map(({ at, block }): ModelEvent => ({
    type: "item_done",
    itemKey: at,
    item: finishedProviderCall(block, undefined),
  }));
  return [{ ...state, ownCalls: new Map() }, events];
}

/** Of an answer that was cut short, a thought whose seal came is whole all the same. */
export function closeSignedReasoning(state: MessagesState): ParseStep {
  const { open } = state;
  const sealed = open?.type === "reasoning" && open.ended &&
    (open.signature !== "" || open.encrypted !== undefined);
  return sealed ? closeOpenItem(state) : [state, []];
}
