/** Plugins: may change the request on its way down and the answer on its way up. */

import type { Stage } from "../request_context.ts";

/** The place: no policy sits here yet, so the request goes on as it is. */
export const plugins: Stage = (next) => next;
