/**
 * Input guardrails: the content filters of the caller's guardrails read what it sent, once, before any plugin or tool
 * acts on it.
 */

import type { Handler, RequestContext, Stage } from "../../pipeline/request_context.ts";
import type { RequestGuard } from "../../pipeline/request_guard.ts";
import { CallerGuards, type RequestGuardsDeps } from "./request_guards.ts";

export type InputGuardrailsDeps = RequestGuardsDeps;

export function inputGuardrails(deps: InputGuardrailsDeps): Stage {
  return (next) => (requested) => {
    const context = { ...requested, guards: new CallerGuards(deps, requested) };
    const guard = context.guards.current();
    return guard instanceof Promise
      ? guard.then((known) => guarded(known, { next, context }))
      : guarded(guard, { next, context });
  };
}

interface Guarded {
  readonly next: Handler;
  readonly context: RequestContext;
}

function guarded(guard: RequestGuard | undefined, { next, context }: Guarded): ReturnType<Handler> {
  if (guard === undefined) return next(context);
  const read = guard.readRequest(context.request);
  return read instanceof Promise
    ? read.then((request) => next({ ...context, request }))
    : next({ ...context, request: read });
}

/** The request as its provider may see it, with its guards, where no list of stages is walked. Throws an ApiError. */
export async function readInput(
  deps: InputGuardrailsDeps,
  context: RequestContext,
): Promise<RequestContext> {
  const guards = new CallerGuards(deps, context);
  const guard = await guards.current();
  return guard === undefined
    ? context
    : { ...context, guards, request: await guard.readRequest(context.request) };
}
