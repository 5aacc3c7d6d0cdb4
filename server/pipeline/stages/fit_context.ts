/** Fit: context compression and `truncation: auto`, per candidate, because they need to know the target. */

import type { Stage } from "../request_context.ts";

/** The place: no policy sits here yet, so the request goes on as it is. */
export const fitContext: Stage = (next) => next;
