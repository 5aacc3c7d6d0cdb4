/** State of the parser of a stream. */

import type { Usage } from "../../canonical/usage.ts";
import type { FinishReason, ModelEvent } from "../../canonical/event.ts";
import type { ToolInputReader } from "../../common/outbound/parse_tool_input.ts";
import type { StepResult } from "../../stream/state_machine.ts";
import type { ToolNames } from "../../common/outbound/tool_names.ts";

/** The item that is open. What was thought is kept because a seal is told with the whole item. */
export type OpenItem =
  | { readonly type: "message"; readonly at: number }
  | {
    readonly type: "reasoning";
    readonly at: number;
    readonly thought: string;
    readonly signature: string;
    readonly encrypted: string;
  }
  | { readonly type: "call"; readonly at: number; readonly empty: boolean; readonly input?: ToolInputReader };

export interface BedrockState {
  readonly names: ToolNames;
  /** Calls beyond this many are left out: this wire cannot ask for one only. */
  readonly maxCalls: number;
  readonly begun: boolean;
  readonly over: boolean;
  /** Items opened so far; names the next one. */
  readonly items: number;
  readonly calls: number;
  /** True in a call that is left out. */
  readonly ignoring: boolean;
  readonly open?: OpenItem;
  readonly finish?: FinishReason;
  readonly usage?: Usage;
  readonly serviceTier?: string;
}

/** A state and what came out on the way to it. */
export type ParseStep = StepResult<BedrockState, ModelEvent>;
