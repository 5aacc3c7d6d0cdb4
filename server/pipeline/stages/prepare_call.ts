/** A request made ready for an endpoint: the body that is sent, and what it could cost. */

import type { BillingContext } from "../../billing/ledger/core/ledger.ts";
import { applicableLimits } from "../../billing/ledger/core/reservation_attempt.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { Clock } from "../../runtime.ts";
import {
  buildReservationRequest,
  type OutputDefaults,
  outputLimits,
} from "../../billing/pricing/reservation_request.ts";
import { type RenderDeps, type RenderInput, renderProviderRequest } from "./render_provider_request.ts";
import { prepareSpeech } from "./speech/prepare_speech.ts";
import type { SpeechRenderDeps } from "./speech/render_speech.ts";
import type { PreparedCall } from "./prepared_call.ts";

export interface PrepareCallDeps extends RenderDeps, SpeechRenderDeps {
  readonly clock: Clock;
  readonly limits: OutputDefaults;
}

interface PrepareCallInput {
  readonly context: RenderInput;
  readonly endpoint: Endpoint;
  /** Undefined: nobody limits it. */
  readonly billing: BillingContext | undefined;
}

/** Under a limit the body names the cap that is reserved at first, so that mostly it is rendered once. */
export function prepareCall(
  deps: PrepareCallDeps,
  { context, endpoint, billing }: PrepareCallInput,
): PreparedCall {
  const at = deps.clock.now();
  if (context.request.speech !== undefined) {
    return { ...prepareSpeech(deps, { context, endpoint, at }), at };
  }
  const limited = billing !== undefined &&
    applicableLimits(billing, { byok: endpoint.byok === true }).length > 0;
  const requested = { request: context.request, endpoint, at };
  const { requestedMaxTokens, defaultMaxTokens } = outputLimits(
    requested,
    deps.limits,
  );
  if (!limited) {
    const rendered = renderProviderRequest(deps, {
      context,
      endpoint,
      maxOutputTokens: requestedMaxTokens,
    });
    const request = buildReservationRequest({ ...requested, providerRequest: rendered }, deps.limits);
    return { providerRequest: rendered, reservation: request, maxOutputTokens: undefined, at };
  }
  const maxOutputTokens = requestedMaxTokens ?? defaultMaxTokens;
  const rendered = renderProviderRequest(deps, {
    context,
    endpoint,
    maxOutputTokens,
    limited,
  });
  return {
    providerRequest: rendered,
    reservation: buildReservationRequest({ ...requested, providerRequest: rendered }, deps.limits),
    maxOutputTokens,
    at,
  };
}
