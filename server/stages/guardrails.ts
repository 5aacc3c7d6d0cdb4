/** Guard: judges what is about to be sent and what comes back, streams too; nested model calls re-enter here. */

import type { Stage } from "../pipeline/request_context.ts";

/** The place: no policy sits here yet, so the request goes on as it is. */
export const guardrails: Stage = (next) => next;
