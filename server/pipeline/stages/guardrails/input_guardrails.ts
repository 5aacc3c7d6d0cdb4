/**
 * Input guardrails: the content filters of the caller's guardrails read what it sent, once, before any plugin or tool
 * acts on it.
 */

import type { MaskMap } from "../../guardrails/mask_map.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { Handler, ModelResponse, RequestContext, Stage } from "../../request_context.ts";
import type { RequestGuard } from "../../request_context.ts";
import { unmaskError, unmaskResponse } from "./response/unmask_response.ts";
import { CallerGuards, type RequestGuardsDeps } from "./request_guards.ts";

export type InputGuardrailsDeps = RequestGuardsDeps;

export function inputGuardrails(deps: InputGuardrailsDeps): Stage {
  return (next) => (requested) => {
    const guards = new CallerGuards(deps, requested);
    const context = { ...requested, guards };
    const guard = guards.current();
    const { masks } = guards;
    return guard instanceof Promise
      ? guard.then((known) => guarded(known, { next, context, masks }))
      : guarded(guard, { next, context, masks });
  };
}

interface Guarded {
  readonly next: Handler;
  readonly context: RequestContext;
  readonly masks: MaskMap;
}

function guarded(guard: RequestGuard | undefined, { next, context, masks }: Guarded): ReturnType<Handler> {
  if (guard === undefined) return unmasked(context, { next, masks });
  const read = guard.readRequest(context.request);
  const go = (request: ModelRequest) => unmasked({ ...context, request }, { next, masks });
  return read instanceof Promise ? read.then(go) : go(read);
}

/** The client gets its own texts back, also those that a guardrail masks which it has only by a later call. */
async function unmasked(context: RequestContext, { next, masks }: Unmasking): Promise<ModelResponse> {
  try {
    const response = await next(context);
    const { speech, format } = context.request;
    if (speech !== undefined) return response;
    return unmaskResponse(response, { masks, isJson: format.type !== "text" });
  } catch (error) {
    throw unmaskError(error, masks);
  }
}

interface Unmasking {
  readonly next: Handler;
  readonly masks: MaskMap;
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
