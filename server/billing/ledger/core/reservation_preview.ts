/** Previews a reservation without making it. */

import { toNanoUsd, ZERO } from "../../../../shared/money.ts";
import { reservedAmount, settledAmount } from "./applied_limit.ts";
import { bucketNamesAt } from "./counters/bucket_names.ts";
import type { AppliedLimit, SpendCounter } from "./counters/spend_counter.ts";
import type { ReservationPreview, ReservationRequest, SpendingLimit } from "./ledger.ts";
import { isUnpriced, unpricedError } from "./ledger_errors.ts";
import { ReservationSizing } from "./reservation_attempt.ts";
import type { ReservationQueue } from "./reservation_queue.ts";

interface PreviewInput {
  readonly limits: readonly SpendingLimit[];
  readonly request: ReservationRequest;
  readonly queue: ReservationQueue;
  /** The counter of a scope, which knows its row. */
  readonly counterOf: (scope: string) => SpendCounter;
  /** Ms since the epoch. */
  readonly at: number;
}

export function previewReservation(
  { limits, request, queue, counterOf, at }: PreviewInput,
): ReservationPreview {
  const buckets = bucketNamesAt(at);
  const appliedLimits = limits.map((limit): AppliedLimit => {
    const counter = counterOf(limit.scope);
    return { limit, counter, bucket: counter.at(buckets)[limit.period], at };
  });
  const standing = appliedLimits.map(({ limit, bucket }) => ({
    limit,
    spent: toNanoUsd(settledAmount(limit, bucket)),
    held: toNanoUsd(reservedAmount(limit, bucket)),
  }));
  const nothing = { reserved: ZERO, maxOutputTokens: undefined, lowered: false, limits: standing };
  const [first] = limits;
  const { costBound, requestedMaxTokens, defaultMaxTokens } = request;
  if (first !== undefined && isUnpriced(request)) {
    return { type: "refused", ...nothing, error: unpricedError(request, first) };
  }
  if (costBound === undefined || first === undefined) {
    return {
      type: "allowed",
      ...nothing,
      reserved: costBound?.total(requestedMaxTokens ?? defaultMaxTokens) ?? ZERO,
      maxOutputTokens: requestedMaxTokens,
    };
  }
  const verdict = queue.preview(appliedLimits, new ReservationSizing(request));
  if (verdict.type === "refused") return { ...nothing, ...verdict };
  const { type, size } = verdict;
  const lowered = size.maxOutputTokens !== undefined &&
    size.maxOutputTokens < (requestedMaxTokens ?? defaultMaxTokens);
  return {
    type,
    reserved: toNanoUsd(size.amount),
    maxOutputTokens: size.maxOutputTokens,
    lowered,
    limits: standing,
  };
}
