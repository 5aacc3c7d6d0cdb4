/** The request of a later turn: what the first one said, and all that came of it. */

import type { Item, OutputItem, ToolResultItem } from "../../../protocols/canonical/item.ts";
import type { ModelRequest, ToolChoice } from "../../../protocols/canonical/request.ts";

interface TurnOutcome {
  readonly items: readonly OutputItem[];
  readonly results: readonly ToolResultItem[];
}

/** The conversation with what a turn added to it. */
export function withTurn(request: ModelRequest, { items, results }: TurnOutcome): ModelRequest {
  const input: readonly Item[] = [...request.input, ...items, ...results];
  return { ...request, input, toolChoice: unforced(request.toolChoice) };
}

/** A choice that forces a call has done so; whether tools may be called at all stays as it was. */
function unforced(choice: ToolChoice | undefined): ToolChoice | undefined {
  switch (choice?.type) {
    case "required":
    case "named":
    case "hosted":
      return { type: "auto" };
    case "allowed":
      return { ...choice, mode: "auto", value: { ...choice.value, mode: "auto" } };
    default:
      return choice;
  }
}

/** A last turn, in which nothing can be called. */
export const withoutCalls = (request: ModelRequest): ModelRequest => ({
  ...request,
  toolChoice: { type: "none" },
});
