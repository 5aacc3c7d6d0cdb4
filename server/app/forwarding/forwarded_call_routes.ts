/** The route of calls of the other gateways on the same store, where they call this one. */

import type { Hono } from "hono";
import {
  FORWARDED_CALL_PATH,
  type ForwardedCallDeps,
  type ForwardedCallHandler,
  forwardedCallRoute,
} from "../../api/internal/forwarded_call_route.ts";
import type { HttpExchange } from "../../api/http_exchange.ts";

export interface Env {
  Bindings: { readonly exchange: HttpExchange };
}

export interface ForwardedCallsDeps extends ForwardedCallDeps {
  /** Absent where no other gateway calls this one: then there is no such route. */
  readonly forwardedCalls?: ForwardedCallHandler;
}

export function addForwardedCalls(app: Hono<Env>, deps: ForwardedCallsDeps): void {
  const { forwardedCalls } = deps;
  if (forwardedCalls === undefined) return;
  app.post(FORWARDED_CALL_PATH, async ({ env: { exchange }, req }) => {
    exchange.params = req.param();
    return await forwardedCallRoute(deps, { calls: forwardedCalls, exchange });
  });
}
