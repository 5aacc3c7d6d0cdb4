/** The end of a nested run: its time is over, or the call of the tool that began it is. */

import { OneShotSignal } from "../../../one_shot_signal.ts";
import type { ToolInput } from "../tool_definition.ts";
import { GRACE_MS } from "./run_limits.ts";

export interface RunEnd {
  /** Fires when the time is over, or the call ends. */
  readonly signal: OneShotSignal;
  /** Resolves then. */
  readonly over: Promise<void>;
  readonly isLate: () => boolean;
  readonly ms: number;
  readonly release: () => void;
}

/** Milliseconds of a run: those that it wants, where the call of its tool has as many. */
export const runTime = ({ ms }: Pick<ToolInput, "ms">, wanted: number): number =>
  Math.min(wanted, Math.max(ms - GRACE_MS, ms * 0.9));

export function endOf({ deps: { clock }, signal: abort }: ToolInput, ms: number): RunEnd {
  const signal = new OneShotSignal();
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let late = false;
  const end = () => {
    resolve();
    signal.fire();
  };
  const forget = clock.after(ms, () => {
    late = true;
    end();
  });
  abort.addEventListener("abort", end);
  if (abort.aborted) end();
  const release = () => {
    forget();
    abort.removeEventListener("abort", end);
  };
  return { signal, over, isLate: () => late, ms, release };
}
