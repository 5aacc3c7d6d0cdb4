/** One call that a plugin makes for a request: it is timed, may buy, and stands on the receipt. */

import { ApiError } from "../../../shared/errors.ts";
import { callEndOf } from "../call_end.ts";
import type { Purchase } from "../purchase.ts";
import type { CallRecord, RequestContext } from "../request_context.ts";
import { buyService } from "../stages/billing/buy_service.ts";
import type { PluginDeps } from "./plugin.ts";
import type { PluginId } from "../../../shared/responses/plugins.ts";

/** The call, as its work sees it. */
export interface PluginCall {
  readonly call: CallRecord;
  /** Aborts when the call has to end, with an ApiError that says why. */
  readonly signal: AbortSignal;
  /** Buys within the caller's limits. Throws an ApiError where they do not allow it. */
  readonly purchase: <T>(purchase: Purchase<T>) => Promise<T>;
}

interface PluginCallOptions<T> {
  readonly deps: PluginDeps;
  readonly id: PluginId;
  /** Milliseconds that it may take; absent: as a call of a tool. */
  readonly ms?: number;
  readonly work: (call: PluginCall) => Promise<T>;
  /** True for a result that says that the call came to nothing. */
  readonly isFailed?: (done: T) => boolean;
}

/** Rejects as the work does, and with an ApiError where it has to end before. */
export async function callForPlugin<T>(
  context: RequestContext,
  { deps: { clock, stop, limits }, id, ms = limits.toolMs, work, isFailed }: PluginCallOptions<T>,
): Promise<T> {
  const { record, clientDisconnect } = context;
  const call = record.openCall({ step: 1, purpose: `plugin:${id}`, startedAt: clock.monotonic() });
  const end = callEndOf(call, { clock, ms, word: "plugin", ended: clientDisconnect, stop });
  const purchase: PluginCall["purchase"] = (one) => {
    const buying = buyService(context, { call, purchase: one });
    record.holdReceipt(buying);
    return buying;
  };
  const late = end.reason.then((why) => {
    throw new ApiError("timeout", why);
  });
  try {
    const done = await Promise.race([work({ call, signal: end.abort, purchase }), late]);
    call.finish({ status: isFailed?.(done) === true ? "failed" : "completed", at: clock.monotonic() });
    return done;
  } catch (error) {
    call.finish({ status: clientDisconnect.fired ? "cancelled" : "failed", at: clock.monotonic() });
    throw error;
  } finally {
    end.release();
  }
}
