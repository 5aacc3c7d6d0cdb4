/**
 * Input guardrails: the content filters of the caller's guardrails read what it sent, once, before any plugin or tool
 * acts on it. Holds the filters for the rest of the request: a guardrail that changes meanwhile is for the next one.
 */

import type { CallerRules } from "../../pipeline/caller_rules.ts";
import type { Caller, Handler, RequestContext, Stage } from "../../pipeline/request_context.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { ContentGuard, type ContentGuardDeps } from "./content_guard.ts";

export interface InputGuardrailsDeps extends ContentGuardDeps {
  readonly rulesOf?: (caller: Caller) => CallerRules | Promise<CallerRules>;
}

export function inputGuardrails(deps: InputGuardrailsDeps): Stage {
  return (next) => (context) => {
    const rules = deps.rulesOf?.(context.caller);
    return rules instanceof Promise
      ? rules.then((known) => guarded(deps, { next, context, rules: known }))
      : guarded(deps, { next, context, rules });
  };
}

interface Guarded {
  readonly next: Handler;
  readonly context: RequestContext;
  readonly rules: CallerRules | undefined;
}

function guarded(deps: InputGuardrailsDeps, { next, context, rules }: Guarded): ReturnType<Handler> {
  const filters = rules?.contentFilters;
  if (filters === undefined) return next(context);
  const guard = new ContentGuard(deps, { filters, record: context.record });
  const read = guard.readRequest(context.request);
  return read instanceof Promise
    ? read.then((request) => next({ ...context, request, guard }))
    : next({ ...context, request: read, guard });
}

/** The request as its provider may see it, where no list of stages is walked. Throws an ApiError. */
export async function readInput(deps: InputGuardrailsDeps, context: RequestContext): Promise<ModelRequest> {
  const filters = (await deps.rulesOf?.(context.caller))?.contentFilters;
  if (filters === undefined) return context.request;
  return await new ContentGuard(deps, { filters, record: context.record }).readRequest(context.request);
}
