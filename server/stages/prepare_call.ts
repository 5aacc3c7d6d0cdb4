/** A request made ready for an endpoint: the body that is sent, and what it could cost. */

import type { BillingContext, ReservationRequest } from "../ledger/core/ledger.ts";
import { applicableLimits } from "../ledger/core/reservation_attempt.ts";
import type { ProviderRequest } from "../pipeline/request_context.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import type { Clock } from "../runtime.ts";
import {
  buildReservationRequest,
  type OutputDefaults,
  outputLimits,
} from "../pricing/reservation_request.ts";
import type { UsageMeter } from "./billing/token_estimate.ts";
import { type RenderDeps, type RenderInput, renderProviderRequest } from "./render_provider_request.ts";
import { prepareSpeech } from "./speech/prepare_speech.ts";
import type { SpeechRenderDeps } from "./speech/render_speech.ts";

export interface PrepareCallDeps extends RenderDeps, SpeechRenderDeps {
  readonly clock: Clock;
  readonly limits: OutputDefaults;
}

export interface PrepareCallInput {
  readonly context: RenderInput;
  readonly endpoint: Endpoint;
  /** Undefined: nobody limits it. */
  readonly billing: BillingContext | undefined;
}

export interface PreparedCall {
  readonly providerRequest: ProviderRequest;
  readonly reservation: ReservationRequest;
  /** The cap that a limit demands at first, and the body names; undefined under no limit. */
  readonly maxOutputTokens: number | undefined;
  /** Ms since the epoch: by this moment's prices it is charged. */
  readonly at: number;
  /** Counts speech; answers in words are counted by a meter that `spend` makes. */
  readonly meter?: UsageMeter;
}

/** Under a limit the body names the cap that is reserved at first, so that mostly it is rendered once. */
export function prepareCall(
  deps: PrepareCallDeps,
  { context: turn, endpoint, billing }: PrepareCallInput,
): PreparedCall {
  const at = deps.clock.now();
  if (turn.request.speech !== undefined) {
    return { ...prepareSpeech(deps, { context: turn, endpoint, at }), at };
  }
  const limited = billing !== undefined &&
    applicableLimits(billing, { byok: endpoint.byok === true }).length > 0;
  const asked = { request: turn.request, endpoint, at };
  const { requestedMaxTokens: askedCap, defaultMaxTokens: usualCap } = outputLimits(asked, deps.limits);
  if (!limited) {
    const rendered = renderProviderRequest(deps, { context: turn, endpoint, maxOutputTokens: askedCap });
    const request = buildReservationRequest({ ...asked, providerRequest: rendered }, deps.limits);
    return { providerRequest: rendered, reservation: request, maxOutputTokens: undefined, at };
  }
  const outputCap = askedCap ?? usualCap;
  const rendered = renderProviderRequest(deps, {
    context: turn,
    endpoint,
    maxOutputTokens: outputCap,
    limited,
  });
  return {
    providerRequest: rendered,
    reservation: buildReservationRequest({ ...asked, providerRequest: rendered }, deps.limits),
    maxOutputTokens: outputCap,
    at,
  };
}
