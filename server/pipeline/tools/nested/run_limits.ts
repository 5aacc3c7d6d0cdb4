/** Whether a nested run may begin. */

import { namesFusion } from "../../../../shared/fields/fusion.ts";
import type { ToolInput } from "../tool_definition.ts";
import type { AdviceError } from "./run_outcome.ts";

/** Milliseconds in which a run that is over tells its result. */
export const GRACE_MS = 10_000;
/** Runs of one kind in a request. */
export const MOST_RUNS = 16;

export const NO_FUSION = "is a slug of fusion, which a tool cannot run; name a model or another router";

interface WantedRun {
  readonly kind: "advisor" | "subagent";
  readonly model: string;
  /** Runs of this one tool; absent: as many as of its kind. */
  readonly most?: number;
}

interface RefusedRun {
  readonly error: string;
  readonly code: AdviceError;
}

/** Why a run may not begin; counts one that may. */
export function refusalOf(
  { depth, memory, name }: Pick<ToolInput, "depth" | "memory" | "name">,
  { kind, model, most = MOST_RUNS }: WantedRun,
): RefusedRun | undefined {
  if (depth > 0) {
    const error = `The tool ${kind} does not run within a run of another tool's model.`;
    return { error, code: "unavailable" };
  }
  if (namesFusion(model)) return { error: `The model ${NO_FUSION}.`, code: "model_not_found" };
  if (memory.takeUse(name, most) && memory.takeUse(`runs of ${kind}`, MOST_RUNS)) return undefined;
  const error = `The tool ${kind} has run as often in this request as may be: go on with what it gave.`;
  return { error, code: "max_uses_exceeded" };
}
