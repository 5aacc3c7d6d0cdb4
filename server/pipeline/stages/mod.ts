/** THE list: which policies a request meets, in which order. The order is policy and is changed here only. */

import { composeStages, type Handler, type Stage } from "../request_context.ts";
import { admission, type AdmissionDeps } from "./admission.ts";
import { callProvider, type CallProviderDeps } from "./call_provider.ts";
import { classifyTask, type ClassifyTaskDeps } from "./classify_task.ts";
import { fitContext, type FitContextDeps } from "./fit_context.ts";
import { inputFiles, type InputFilesDeps } from "./input_files.ts";
import { guardrails } from "./guardrails/guardrails.ts";
import { inputGuardrails, type InputGuardrailsDeps } from "./guardrails/input_guardrails.ts";
import { plugins, type PluginsDeps } from "./plugins.ts";
import { candidatePlugins } from "./candidate_plugins.ts";
import { findResponse, type FindResponseDeps } from "./response_cache/find_response.ts";
import { keepResponse } from "./response_cache/keep_response.ts";
import { rateLimit, type RateLimitDeps } from "./rate_limit.ts";
import { receipt, type ReceiptStageDeps } from "./receipt/receipt.ts";
import { route, type RouteDeps } from "./route/route.ts";
import { serverTools } from "./server_tools.ts";
import type { ServerToolsDeps } from "./tool_loop/server_tools_deps.ts";
import { callSpeech, type SpeechCallDeps } from "./speech/call_speech.ts";
import { billing, type BillingDeps } from "./billing/billing.ts";

export type PipelineDeps =
  & CallProviderDeps
  & SpeechCallDeps
  & RouteDeps
  & FitContextDeps
  & ReceiptStageDeps
  & RateLimitDeps
  & AdmissionDeps
  & InputGuardrailsDeps
  & InputFilesDeps
  & BillingDeps
  & ServerToolsDeps
  & PluginsDeps
  & ClassifyTaskDeps
  & FindResponseDeps
  & {
    /** Stands in the guard's place, for tests of where that is. */
    readonly guard?: Stage;
  };

/** From the caller's request to the provider's answer. Nested model calls re-enter at `guard`. */
export function createPipeline(deps: PipelineDeps): Handler {
  const stages: readonly Stage[] = [
    keepResponse,
    receipt(deps),
    rateLimit(deps),
    admission(deps),
    inputGuardrails(deps),
    inputFiles(deps),
    plugins(deps),
    classifyTask(deps),
    serverTools(deps),
    deps.guard ?? guardrails,
    findResponse(deps),
    route(deps),
    candidatePlugins(deps),
    fitContext(deps),
    billing(deps),
  ];
  const [say, speak] = [callProvider(deps), callSpeech(deps)];
  return composeStages(
    stages,
    (context) => context.request.speech === undefined ? say(context) : speak(context),
  );
}
