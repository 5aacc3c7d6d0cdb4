/** Spend: reserves the worst case for the target and settles on its end. */

import type { Stage } from "../pipeline/turn.ts";

/** The seat: no policy sits here yet, so the turn goes on as it is. */
export const spend: Stage = (next) => next;
