/** How much a call needs set aside, and with how much less it could do (promises M1). */

import { toNanoUsd } from "../../../shared/money.ts";
import type { BillingContext, ReservationRequest, SpendingLimit } from "./ledger.ts";
import type { ReservationAttempt, ReservationSize } from "./spend_counter.ts";

/** The floor of a lowered output cap, in tokens. */
const MIN_CAP = 256;

/** The limits under which a call falls: one on a key of the caller's own, only where they count that. */
export const applicableLimits = (
  { limits }: BillingContext,
  { byok }: Pick<ReservationRequest, "byok">,
): readonly SpendingLimit[] => byok ? limits.filter(({ includeByok }) => includeByok) : limits;

/** The whole, or what fits into the room that is left with a lower cap. */
export class ReservationSizing implements Pick<ReservationAttempt, "size" | "requestedAmount"> {
  readonly requestedAmount: number;
  readonly #worst: ReservationRequest["costBound"];
  readonly #cap: number;

  constructor({ costBound, requestedMaxTokens: askedCap, defaultMaxTokens: usualCap }: ReservationRequest) {
    this.#worst = costBound;
    this.#cap = askedCap ?? usualCap;
    this.requestedAmount = costBound?.total(this.#cap) ?? 0;
  }

  size(room: number): ReservationSize | undefined {
    const cap = this.#cap;
    if (this.requestedAmount === 0 || this.requestedAmount <= room) {
      return { amount: this.requestedAmount, maxOutputTokens: cap };
    }
    const costBound = this.#worst;
    const within = Math.min(cap, costBound?.maxTokensWithin(toNanoUsd(Math.max(0, room))) ?? -1);
    if (within < Math.min(cap, MIN_CAP)) return undefined;
    return { amount: costBound?.total(within) ?? 0, maxOutputTokens: within };
  }
}
