/** Billing: sets the cost bound of a call aside before it is prepared, and settles what it has cost in the end
 * (promises M1, M4, M6). Every answer that is whole leaves it with its counts.
 */

import { ApiError } from "../../../../shared/errors.ts";
import type { Reservation } from "../../../billing/ledger/core/ledger.ts";
import type {
  ModelResponse,
  ProviderRequest,
  ReportedUsage,
  RequestContext,
  Stage,
} from "../../request_context.ts";
import type { CancelSignal } from "../../../one_shot_signal.ts";
import { isLongText, nextLongStep } from "../../../../shared/util/long_step.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { UpstreamError } from "../../routing/upstream_error.ts";
import type { EndpointStats } from "../../routing/health/endpoint_stats.ts";
import { BudgetExceeded } from "../../routing/budget_exceeded.ts";
import type { Logger } from "../../../runtime.ts";
import { TextUsageMeter } from "./token_estimate.ts";
import { recordLimit } from "../record_limit.ts";
import { prepareCall, type PrepareCallDeps } from "../prepare_call.ts";
import { renderProviderRequest } from "../render_provider_request.ts";
import { CallBilling } from "./call_billing.ts";
import { reserveCall } from "./reserve_call.ts";
import type { PreparedCall } from "../prepared_call.ts";

export interface BillingDeps extends PrepareCallDeps {
  readonly log: Logger;
  readonly stats: EndpointStats;
  /** The gateway stops: calls under way end now. */
  readonly stop: Pick<CancelSignal, "fired">;
}

export function billing(deps: BillingDeps): Stage {
  return (next) => async (opened) => {
    const { endpoint, transaction } = opened;
    if (endpoint === undefined || transaction === undefined) {
      throw new Error("Billing stage needs an endpoint and a ledger transaction");
    }
    const current = transaction.billing();
    const billing = current instanceof Promise ? await current : current;
    const context = billing === opened.billing ? opened : { ...opened, billing };
    if (isLongText(context.size ?? 0)) await nextLongStep();
    const prepared = prepareCall(deps, { context, endpoint, billing });
    let reservation: Reservation;
    try {
      reservation = await reserveCall(context, prepared.reservation);
    } catch (error) {
      throw reservationError(context, { endpoint, error });
    }
    const durable = context.request.stream ? reservation.durable() : undefined;
    const reported: ReportedUsage = {};
    const callBilling = createCallBilling(deps, { context, endpoint, prepared, reservation, reported });
    try {
      const capped = withMaxTokens(deps, { context, endpoint, prepared, reservation });
      if (context.clientDisconnect.fired) {
        throw new ApiError("timeout", "Client disconnected before the response started.");
      }
      if (deps.stop.fired) throw new ApiError("unavailable", "The gateway is stopping.");
      const response = await next({ ...context, providerRequest: capped, reported });
      if (durable !== undefined) await whenDurable(response, durable);
      return { endpoint, source: callBilling.observe(response.source) };
    } catch (error) {
      settleFailed(callBilling, {
        error,
        hasLeft: context.clientDisconnect.fired || deps.stop.fired,
        wasCut: reported.wasCut?.() === true,
      });
      await context.call.settling;
      throw error;
    }
  };
}

interface FailedCall {
  readonly error: unknown;
  /** The client has disconnected, or the gateway stops. */
  readonly hasLeft: boolean;
  /** The gateway has cut the call itself. */
  readonly wasCut: boolean;
}

function settleFailed(callBilling: CallBilling, { error, hasLeft, wasCut }: FailedCall): void {
  if (hasLeft && wasAborted(error)) callBilling.settleAborted();
  else if (wasCut) callBilling.settleCut();
  else callBilling.release();
}

interface ReservationFailure {
  readonly endpoint: Endpoint;
  readonly error: unknown;
}

/** Why the call is not made: its money cannot be reserved, nobody can tell, or the caller may not make it any more. */
function reservationError({ record }: RequestContext, { endpoint, error }: ReservationFailure): unknown {
  const { kind } = error instanceof ApiError ? error : { kind: undefined };
  // Nobody can tell what is left, or the key is gone: no other endpoint would change that.
  if (!(error instanceof ApiError) || kind === "unavailable" || kind === "unauthorized") return error;
  recordLimit(record, error);
  return new BudgetExceeded(endpoint, error);
}

function createCallBilling(
  deps: BillingDeps,
  { context, endpoint, prepared, reservation, reported }: ObservedCall,
): CallBilling {
  const { clock, log, stats, stop } = deps;
  const { reservation: reservationRequest, providerRequest: { body }, at } = prepared;
  const { request } = context;
  const speed = () => stats.throughput(endpoint.id)?.p50;
  const meter = prepared.meter ?? new TextUsageMeter({ clock, request, endpoint, speed });
  return new CallBilling({
    context,
    endpoint,
    reservation,
    request: reservationRequest,
    // Without its text, which is as large again.
    rendered: { body },
    clock,
    log,
    stop,
    at,
    meter,
    reported,
  });
}

interface ObservedCall extends ReservedCall {
  readonly reported: ReportedUsage;
}

interface ReservedCall {
  readonly context: RequestContext;
  readonly endpoint: Endpoint;
  readonly prepared: PreparedCall;
  readonly reservation: Reservation;
}

/** The request with the cap that was reserved for. */
function withMaxTokens(
  deps: BillingDeps,
  { context, endpoint, prepared, reservation }: ReservedCall,
): ProviderRequest {
  const { maxOutputTokens, lowered } = reservation;
  if (lowered) context.call.loweredMaxTokens = maxOutputTokens;
  // No provider takes a cap of sound.
  const uncapped = prepared.providerRequest.speech !== undefined;
  // A limit may have been set since the body was rendered without one.
  const unlimited = prepared.maxOutputTokens === undefined && !reservation.limited;
  if (uncapped || unlimited || maxOutputTokens === prepared.maxOutputTokens) return prepared.providerRequest;
  return renderProviderRequest(deps, { context, endpoint, maxOutputTokens, limited: true });
}

/**
 * Nothing of a stream reaches the client before its reserve entry is durable (promises M4), which is written while
 * the call opens. A whole answer waits for its receipt anyway, which needs no such entry.
 */
async function whenDurable(response: ModelResponse, durable: Promise<void>): Promise<void> {
  try {
    await durable;
  } catch (error) {
    response.source.cancel("The gateway cannot record the cost of the response.");
    throw error;
  }
}

/** The call ended although the provider had not refused it: it may have read the prompt and begun to write. */
const wasAborted = (error: unknown): boolean => error instanceof UpstreamError && error.info.status < 300;
