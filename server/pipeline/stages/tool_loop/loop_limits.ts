/** When a loop of server tools ends although the model would go on (specification, Response request). */

import type { StopCondition } from "../../../../shared/fields/gateway_preferences.ts";
import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import { addUsd, toUsdNumber, ZERO } from "../../../../shared/money.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { Usage } from "../../../protocols/canonical/usage.ts";
import type { RequestRecord } from "../../request_record.ts";

/** The default, and the most that a request may ask for. */
const MOST_CALLS = 30;

/** The state of a loop after a turn whose model called tools. */
interface LoopState {
  /** Turns so far. */
  readonly step: number;
  /** Names and kinds of the tools that the turn called. */
  readonly called: readonly string[];
  /** Usage of all turns. */
  readonly usage: Usage | undefined;
  readonly record: Pick<RequestRecord, "callCosts">;
}

/** The limit that ends a loop: the request's own ones, or the operator's, which stands above them. */
export type LoopLimit = "max_tool_calls" | "stop_server_tools_when" | "limits.loop_turns";

export class LoopLimits {
  readonly #conditions: readonly StopCondition[] | undefined;
  readonly #loopTurns: number;
  #callsLeft: number;
  #reached: LoopLimit | undefined;

  constructor(
    { maxToolCalls = MOST_CALLS, stopWhen }: Pick<ModelRequest, "maxToolCalls" | "stopWhen">,
    { loopTurns }: { readonly loopTurns: number },
  ) {
    this.#conditions = stopWhen;
    this.#loopTurns = loopTurns;
    this.#callsLeft = stopWhen === undefined ? maxToolCalls : Infinity;
  }

  /** Set once the last turn begins because of it. */
  get reached(): LoopLimit | undefined {
    return this.#reached;
  }

  /** Whether one more call of a tool may run; counts it. */
  takeCall(): boolean {
    if (this.#callsLeft === 0) return false;
    this.#callsLeft--;
    return true;
  }

  /** Whether the next turn is the last, without tools. */
  isReached(state: LoopState): boolean {
    this.#reached ??= this.#limitAt(state);
    return this.#reached !== undefined;
  }

  #limitAt(state: LoopState): LoopLimit | undefined {
    if (state.step >= this.#loopTurns) return "limits.loop_turns";
    if (this.#callsLeft === 0) return "max_tool_calls";
    return this.#conditions?.some((condition) => holds(condition, state)) === true
      ? "stop_server_tools_when"
      : undefined;
  }
}

function holds(condition: StopCondition, { step, called, usage, record }: LoopState): boolean {
  switch (condition.type) {
    case "step_count_is":
      return step >= condition.step_count;
    case "has_tool_call":
      return called.includes(serviceKindOf(condition.tool_name) ?? condition.tool_name);
    case "max_tokens_used":
      return (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) >= condition.max_tokens;
    case "max_cost":
      return costOf(record) >= condition.max_cost_in_dollars;
    case "finish_reason_is":
      // A turn that calls tools ends because of its calls; every other reason ends the loop by itself.
      return condition.reason === "tool_calls";
    default:
      return condition satisfies never;
  }
}

/** USD, of all that was charged so far. */
function costOf({ callCosts }: Pick<RequestRecord, "callCosts">): number {
  return toUsdNumber(callCosts.reduce((sum, { charge }) => addUsd(sum, charge.total), ZERO));
}
