/** An answer on its way up: its figures are taken, its calls get ids of their own, encrypted reasoning its maker. */

import type { FinishEvent, OutputEvent } from "../../../protocols/canonical/event.ts";
import type { ModelResponse, RequestContext } from "../../request_context.ts";
import { markEventOrigin } from "../../routing/encrypted_reasoning.ts";
import type { LiveStats } from "../../routing/health/endpoint_stats.ts";
import { mapPulled, type Source } from "../../../protocols/stream/source.ts";
import { ResponseCallIds } from "./call_ids.ts";
import type { Clock } from "../../../runtime.ts";

interface ObserveInput {
  readonly deps: { readonly stats: LiveStats; readonly clock: Clock };
  readonly context: RequestContext;
  /** Monotonic ms. */
  readonly startedAt: number;
  /** Told when the answer has come whole. */
  readonly remember?: () => void;
}

export function observeResponse(
  { endpoint, source }: ModelResponse,
  { deps, context, startedAt, remember }: ObserveInput,
): ModelResponse {
  const { stats, clock } = deps;
  let since = startedAt;
  if (context.request.stream) {
    since = clock.monotonic();
    stats.recordLatency(endpoint.id, since - startedAt);
  }
  const end = (event: OutputEvent) => {
    // A call that we cut, because the client disconnected or for reasons of our own, says nothing about the endpoint.
    if (context.clientDisconnect.fired || context.record.abortReason !== undefined) return;
    stats.recordResult(endpoint.id, event.type === "finish");
    if (event.type !== "finish") return;
    remember?.();
    // Reasoning is written before the answer begins to come.
    const reasoned = (event.usage?.reasoningTokens ?? 0) > 0;
    measure(event, reasoned ? startedAt : since);
  };
  const measure = ({ usage }: FinishEvent, from: number) => {
    const seconds = Math.max(1, clock.monotonic() - from) / 1_000;
    if (usage !== undefined && usage.outputTokens > 0) {
      stats.recordThroughput(endpoint.id, usage.outputTokens / seconds);
    }
  };
  const callIds = new ResponseCallIds(context.request.input);
  const look = (event: OutputEvent): OutputEvent => {
    if (event.type === "finish" || event.type === "failure") end(event);
    return event.type === "audio" ? event : markEventOrigin(callIds.unique(event), endpoint);
  };
  return { endpoint, source: observeBatch(source, look) };
}

/** Most batches are deltas, which are passed on as they are. */
function observeBatch(
  source: Source<OutputEvent>,
  look: (event: OutputEvent) => OutputEvent,
): Source<OutputEvent> {
  const see = (batch: readonly OutputEvent[] | undefined) =>
    batch?.some(isRemarkable) === true ? batch.map(look) : batch;
  return { pull: () => mapPulled(source.pull(), see), cancel: (reason) => source.cancel(reason) };
}

const isRemarkable = ({ type }: OutputEvent) =>
  type === "item" || type === "item_done" || type === "finish" || type === "failure";
