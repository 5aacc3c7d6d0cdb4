/** Dependencies of the stage of server tools. */

import type { RoutePlanDeps } from "../../routing/route_plan.ts";
import type { CancelSignal } from "../../../one_shot_signal.ts";
import type { Clock, Logger } from "../../../runtime.ts";
import type { ToolDeps } from "../../tools/tool_definition.ts";

export interface ServerToolsDeps extends RoutePlanDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly toolDeps: ToolDeps;
  /** The gateway stops: tools that run end now. */
  readonly stop: CancelSignal;
  readonly limits: RoutePlanDeps["limits"] & {
    /** Milliseconds: of all turns of a request, and of one call of a tool. */
    readonly streamedLoopMs: number;
    readonly wholeLoopMs: number;
    readonly toolMs: number;
    /** Turns of a request that may call tools. */
    readonly loopTurns: number;
  };
}
