/**
 * Guardrails: reads what is about to be sent and what comes back, streams too; nested model calls re-enter here. What
 * the caller itself sent was read before (input_guardrails.ts).
 */

import type { Stage } from "../../pipeline/request_context.ts";

export const guardrails: Stage = (next) => (context) => {
  const { guard } = context;
  if (guard === undefined) return next(context);
  const run = async () => {
    const request = await guard.readRequest(context.request);
    return await guard.readResponse(await next({ ...context, request }), context);
  };
  return run();
};
