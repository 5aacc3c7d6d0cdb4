/** THE list: which policies a turn meets, in which order. The order is policy and is changed here only. */

import { compose, type Handler, type Stage } from "../pipeline/request_context.ts";
import { admit, type AdmitDeps } from "./admission.ts";
import { call, type CallDeps } from "./call_provider.ts";
import { fit } from "./fit_context.ts";
import { guard } from "./guardrails.ts";
import { plugins } from "./plugins.ts";
import { rateLimit, type RateLimitDeps } from "./rate_limit.ts";
import { receipt, type ReceiptDeps } from "./receipt/receipt.ts";
import { route, type RouteDeps } from "./route/route.ts";
import { serverTools } from "./server_tools.ts";
import { speechCall, type SpeechCallDeps } from "./speech/call_speech.ts";
import { spend, type SpendDeps } from "./billing/billing.ts";

export type PipelineDeps =
  & CallDeps
  & SpeechCallDeps
  & RouteDeps
  & ReceiptDeps
  & RateLimitDeps
  & AdmitDeps
  & SpendDeps
  & {
    /** Stands in the guard's seat, for tests of where that is. */
    readonly guard?: Stage;
  };

/** From the caller's turn to the provider's answer. Nested model calls re-enter at `guard`. */
export function pipeline(deps: PipelineDeps): Handler {
  const stages: readonly Stage[] = [
    receipt(deps),
    rateLimit(deps),
    admit(deps),
    plugins,
    serverTools,
    deps.guard ?? guard,
    route(deps),
    fit,
    spend(deps),
  ];
  const [say, speak] = [call(deps), speechCall(deps)];
  return compose(stages, (turn) => turn.request.speech === undefined ? say(turn) : speak(turn));
}
