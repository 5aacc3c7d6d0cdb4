/** Dependencies of the stage of server tools. */

import type { CallerRules } from "../../caller_rules.ts";
import type { Caller } from "../../request_context.ts";
import type { CancelSignal } from "../../../one_shot_signal.ts";
import type { Clock, Logger } from "../../../runtime.ts";
import type { ToolDeps } from "../../tools/tool_definition.ts";

export interface ServerToolsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly toolDeps: ToolDeps;
  readonly rulesOf?: (caller: Caller) => CallerRules | Promise<CallerRules>;
  /** The gateway stops: tools that run end now. */
  readonly stop: CancelSignal;
  readonly limits: {
    /** Milliseconds: of all turns of a request, and of one call of a tool. */
    readonly streamedLoopMs: number;
    readonly wholeLoopMs: number;
    readonly toolMs: number;
    /** Turns of a request that may call tools. */
    readonly loopTurns: number;
  };
}
