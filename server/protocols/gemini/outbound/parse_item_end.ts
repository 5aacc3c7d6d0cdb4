/** When items close, and how a signature gets an item of its own. */

import type { ItemDoneEvent } from "../../../canonical/event.ts";
import { citations } from "./parse_citations.ts";
import { sealed } from "./thought_signature.ts";
import { type GeminiState, inTurn, type OpenReasoning, type Step } from "./parse_state.ts";

/** Closes the reasoning or message item that is open, if any. */
export function closeOpen(state: GeminiState): Step {
  const { open } = state;
  if (open === undefined) return [state, []];
  const closed = { ...state, open: undefined };
  if (open.type === "reasoning") return [closed, [doneReasoning(open)]];
  const done: ItemDoneEvent = { type: "item_done", at: open.at };
  const events = [...citations(state, open), done];
  if (open.signature === undefined) return [closed, events];
  const [next, more] = sealNext(closed, open.signature);
  return [next, [...events, ...more]];
}

/** Told as a whole: the signature came after the item opened. */
function doneReasoning({ at, summary, signature }: OpenReasoning): ItemDoneEvent {
  const item = { type: "reasoning", thoughts: [], summary: summary === "" ? [] : [summary] } as const;
  return { type: "item_done", at, item: { ...item, ...sealed(signature) } };
}

/** Opens the reasoning item that thoughts go into. */
export function openReasoning(state: GeminiState): Step {
  if (state.open?.type === "reasoning" && state.open.signature === undefined) return [state, []];
  return inTurn(state, [closeOpen, (now) => {
    const open: OpenReasoning = { type: "reasoning", at: now.items, summary: "" };
    const item = { type: "reasoning", thoughts: [], summary: [], ...sealed(undefined) } as const;
    return [{ ...now, open, items: now.items + 1 }, [{ type: "item", at: open.at, item }]];
  }]);
}

/** Puts a signature right before the item that comes next: into the thoughts that are open, or by itself. */
export function sealNext(state: GeminiState, signature: string | undefined): Step {
  if (signature === undefined) return closeOpen(state);
  return inTurn(state, [openReasoning, (now) => withSignature(now, signature), closeOpen]);
}

export function withSignature(state: GeminiState, signature: string): Step {
  return [{ ...state, open: state.open && { ...state.open, signature } }, []];
}
