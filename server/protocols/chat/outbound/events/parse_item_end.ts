/** When items close: a reasoning or message item when another kind begins, a call when it is whole. */

import type { ItemDoneEvent } from "../../../canonical/event.ts";
import { appendCallArguments, closeCall, isComplete, openUnnamedCall } from "./parse_call_item.ts";
import type { ChatState, OpenMessage, OpenReasoning, ParseStep } from "./parse_state.ts";
import { runSteps } from "../../../stream/state_machine.ts";

/** Closes the reasoning or message item that is open, if any. */
function closeOpenItem(state: ChatState): ParseStep {
  const { open } = state;
  if (open === undefined) return [state, []];
  return [{ ...state, open: undefined }, [done(open)]];
}

/** A sealed thought is told once more as a whole: its signature and encrypted text came after the item opened. */
function done(open: OpenReasoning | OpenMessage): ItemDoneEvent {
  const { type, at } = open;
  if (type === "message") return { type: "item_done", itemKey: at };
  const { text, summary, signature, encrypted, format, id } = open;
  if (signature === undefined && encrypted === undefined && format === undefined) {
    return { type: "item_done", itemKey: at };
  }
  return {
    type: "item_done",
    itemKey: at,
    item: {
      type: "reasoning",
      content: text === "" ? [] : [text],
      summary: summary === "" ? [] : [summary],
      signature,
      encrypted,
      format,
      ...(id === undefined ? {} : { id }),
    },
  };
}

/** Closes the calls that nothing is missing from; of the others more may come. */
function closeCompleteCalls(state: ChatState): ParseStep {
  const whole = state.calls.flatMap((call, at) => call.status === "open" && isComplete(call) ? [at] : []);
  return runSteps(state, whole.map((which) => (now) => closeCall(now, which)));
}

/** Makes room for an item of another kind. */
export function closeOtherItems(state: ChatState): ParseStep {
  return runSteps(state, [closeOpenItem, closeCompleteCalls]);
}

/** Closes everything: the answer is whole. */
export function closeAllItems(state: ChatState): ParseStep {
  return runSteps(state, [
    closeOpenItem,
    ...state.calls.flatMap((_, which) => [
      (now: ChatState) => openUnnamedCall(now, which),
      (now: ChatState) => appendCallArguments(now, which),
      (now: ChatState) => closeCall(now, which),
    ]),
  ]);
}
