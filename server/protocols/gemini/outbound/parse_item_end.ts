/** When items close, and how a signature gets an item of its own. */

import type { ItemDoneEvent } from "../../canonical/event.ts";
import { parseCitations } from "./parse_citations.ts";
import { signatureFields } from "../../common/thought_signature.ts";
import type { GeminiState, OpenReasoning, ParseStep } from "./parse_state.ts";
import { runSteps } from "../../stream/state_machine.ts";

/** Closes the reasoning or message item that is open, if any. */
export function closeOpenItem(state: GeminiState): ParseStep {
  const { open } = state;
  if (open === undefined) return [state, []];
  const closed = { ...state, open: undefined };
  if (open.type === "reasoning") return [closed, [doneReasoning(open)]];
  const done: ItemDoneEvent = { type: "item_done", itemKey: open.at };
  const events = [...parseCitations(state, open), done];
  if (open.signature === undefined) return [closed, events];
  const [next, more] = attachSignature(closed, open.signature);
  return [next, [...events, ...more]];
}

/** Told as a whole: the signature came after the item opened. */
function doneReasoning({ at, summary, signature }: OpenReasoning): ItemDoneEvent {
  const item = { type: "reasoning", content: [], summary: summary === "" ? [] : [summary] } as const;
  return { type: "item_done", itemKey: at, item: { ...item, ...signatureFields(signature) } };
}

/** Opens the reasoning item that thoughts go into. */
export function openReasoning(state: GeminiState): ParseStep {
  if (state.open?.type === "reasoning" && state.open.signature === undefined) return [state, []];
  return runSteps(state, [closeOpenItem, (now) => {
    const open: OpenReasoning = { type: "reasoning", at: now.items, summary: "" };
    const item = { type: "reasoning", content: [], summary: [], ...signatureFields(undefined) } as const;
    return [{ ...now, open, items: now.items + 1 }, [{ type: "item", itemKey: open.at, item }]];
  }]);
}

/** Puts a signature right before the item that comes next: into the thoughts that are open, or by itself. */
export function attachSignature(state: GeminiState, signature: string | undefined): ParseStep {
  if (signature === undefined) return closeOpenItem(state);
  return runSteps(state, [openReasoning, (now) => withSignature(now, signature), closeOpenItem]);
}

export function withSignature(state: GeminiState, signature: string): ParseStep {
  return [{ ...state, open: state.open && { ...state.open, signature } }, []];
}
