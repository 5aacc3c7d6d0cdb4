/** Spend: reserves the worst case for the target and settles on its end. */

import type { Stage } from "../pipeline/turn.ts";
import { withUsage } from "./estimate.ts";

/** The seat: nothing is reserved yet. Every answer that is whole leaves it with its counts. */
export const spend: Stage = (next) => async (turn) => {
  const answer = await next(turn);
  return { ...answer, source: withUsage(answer.source, turn.request) };
};
