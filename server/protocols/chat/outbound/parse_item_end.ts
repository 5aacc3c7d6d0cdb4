/** When items close: a reasoning or message item when another kind begins, a call when it is whole. */

import type { ItemDoneEvent } from "../../../canonical/event.ts";
import { closeCall, growCall, isWhole, openLate } from "./parse_call_item.ts";
import { type ChatState, inTurn, type OpenMessage, type OpenReasoning, type Step } from "./parse_state.ts";

/** Closes the reasoning or message item that is open, if any. */
export function closeOpen(state: ChatState): Step {
  const { open } = state;
  if (open === undefined) return [state, []];
  return [{ ...state, open: undefined }, [done(open)]];
}

/** A sealed thought is told once more as a whole: its signature and cipher came after the item opened. */
function done(open: OpenReasoning | OpenMessage): ItemDoneEvent {
  const { type, at } = open;
  if (type === "message") return { type: "item_done", at };
  const { thought, summary, signature, encrypted, format } = open;
  if (signature === undefined && encrypted === undefined && format === undefined) {
    return { type: "item_done", at };
  }
  return {
    type: "item_done",
    at,
    item: {
      type: "reasoning",
      thoughts: thought === "" ? [] : [thought],
      summary: summary === "" ? [] : [summary],
      signature,
      encrypted,
      format,
    },
  };
}

/** Closes the calls that nothing is missing from; of the others more may come. */
export function closeWholeCalls(state: ChatState): Step {
  const whole = state.calls.flatMap((call, at) => call.status === "open" && isWhole(call) ? [at] : []);
  return inTurn(state, whole.map((which) => (now) => closeCall(now, which)));
}

/** Makes room for an item of another kind. */
export function closeOthers(state: ChatState): Step {
  return inTurn(state, [closeOpen, closeWholeCalls]);
}

/** Closes everything: the answer is whole. */
export function closeAll(state: ChatState): Step {
  return inTurn(state, [
    closeOpen,
    ...state.calls.flatMap((_, which) => [
      (now: ChatState) => openLate(now, which),
      (now: ChatState) => growCall(now, which),
      (now: ChatState) => closeCall(now, which),
    ]),
  ]);
}
