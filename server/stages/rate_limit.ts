/** Rate limit: requests and tokens a key may use in a span of time. */

import type { Stage } from "../pipeline/turn.ts";

/** The seat: no policy sits here yet, so the turn goes on as it is. */
export const rateLimit: Stage = (next) => next;
