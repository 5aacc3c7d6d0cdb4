/** Admit: what the caller sent is judged once, before any plugin or tool acts on it: spent keys and blocked input stop here. */

import type { Stage } from "../pipeline/turn.ts";

/** The seat: no policy sits here yet, so the turn goes on as it is. */
export const admit: Stage = (next) => next;
