/** Server tools: runs the calls that the gateway owns and goes round again. */

import type { Stage } from "../pipeline/request_context.ts";

/** The place: no policy sits here yet, so the request goes on as it is. */
export const serverTools: Stage = (next) => next;
