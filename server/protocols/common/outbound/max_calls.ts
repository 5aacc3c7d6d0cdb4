/** How many calls a client takes. */

import type { ModelRequest } from "../../canonical/request.ts";

/**
 * Calls beyond this many are left out of the answer: not every wire has a word for `parallel_tool_calls`, and not
 * every provider honours it, nor `tool_choice`. Infinity where the client sets no bound.
 */
export function maxCallsOf({ toolChoice, parallelToolCalls }: ModelRequest): number {
  return toolChoice?.type === "none" ? 0 : parallelToolCalls === false ? 1 : Infinity;
}
