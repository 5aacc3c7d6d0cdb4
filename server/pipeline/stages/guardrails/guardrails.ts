/**
 * Guardrails: reads what is about to be sent and what comes back, streams too; nested model calls re-enter here. What
 * the caller itself sent was read before (input_guardrails.ts).
 */

import type { Handler, ModelResponse, RequestContext, Stage } from "../../request_context.ts";
import type { RequestGuard } from "../../request_context.ts";

export const guardrails: Stage = (next) => (context) => {
  const guard = context.guards?.current();
  return guard instanceof Promise
    ? guard.then((known) => readBothWays(known, { next, context }))
    : readBothWays(guard, { next, context });
};

interface Guarded {
  readonly next: Handler;
  readonly context: RequestContext;
}

function readBothWays(guard: RequestGuard | undefined, { next, context }: Guarded): Promise<ModelResponse> {
  return guard === undefined ? next(context) : readGuarded(guard, { next, context });
}

async function readGuarded(guard: RequestGuard, { next, context }: Guarded): Promise<ModelResponse> {
  const read = guard.readCall(context.request);
  const request = read instanceof Promise ? await read : read;
  return await guard.readResponse(await next({ ...context, request }), context);
}
