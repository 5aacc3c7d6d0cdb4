/** What a reservation would come to, without making it. */

import { toNanoUsd, ZERO } from "../../../shared/money.ts";
import { type Bound, heldOf, settledOf } from "./applied_limit.ts";
import { bucketsAt } from "./bucket_names.ts";
import type { Counter } from "./spend_counter.ts";
import type { Forecast, Limit, Order } from "./ledger.ts";
import { isUnpriced, unpriced } from "./ledger_errors.ts";
import { Sizing } from "./reservation_sizing.ts";
import type { Waiting } from "./reservation_queue.ts";

export interface Previewing {
  readonly limits: readonly Limit[];
  readonly order: Order;
  readonly waiting: Waiting;
  /** The counter of a scope, which knows its row. */
  readonly counterOf: (scope: string) => Counter;
  /** Ms since the epoch. */
  readonly at: number;
}

export function previewOf({ limits, order, waiting, counterOf, at }: Previewing): Forecast {
  const buckets = bucketsAt(at);
  const bounds = limits.map((limit): Bound => {
    const counter = counterOf(limit.scope);
    return { limit, counter, cell: counter.at(buckets)[limit.period], at };
  });
  const standing = bounds.map(({ limit, cell }) => ({
    limit,
    spent: toNanoUsd(settledOf(limit, cell)),
    held: toNanoUsd(heldOf(limit, cell)),
  }));
  const nothing = { reserved: ZERO, outputCap: undefined, lowered: false, limits: standing };
  const [first] = limits;
  const { worst, askedCap, usualCap } = order;
  if (first !== undefined && isUnpriced(order)) {
    return { type: "refused", ...nothing, refusal: unpriced(order, first) };
  }
  if (worst === undefined || first === undefined) {
    return {
      type: "allowed",
      ...nothing,
      reserved: worst?.total(askedCap ?? usualCap) ?? ZERO,
      outputCap: askedCap,
    };
  }
  const verdict = waiting.preview(bounds, new Sizing(order));
  if (verdict.type === "refused") return { ...nothing, ...verdict };
  const { type, size } = verdict;
  const lowered = size.cap !== undefined && size.cap < (askedCap ?? usualCap);
  return { type, reserved: toNanoUsd(size.amount), outputCap: size.cap, lowered, limits: standing };
}
