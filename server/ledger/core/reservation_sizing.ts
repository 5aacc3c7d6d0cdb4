/** How much a call needs set aside, and with how much less it could do (promises M1). */

import { toNanoUsd } from "../../../shared/money.ts";
import type { Limit, Order, Payer } from "./ledger.ts";
import type { Claim, Size } from "./reservation_queue.ts";

/** The floor of a lowered output cap, in tokens. */
const MIN_CAP = 256;

/** The limits under which a call falls: one on a key of the caller's own, only where they count that. */
export const limitsFor = ({ limits }: Payer, { byok }: Pick<Order, "byok">): readonly Limit[] =>
  byok ? limits.filter(({ includeByok }) => includeByok) : limits;

/** The whole, or what fits into the room that is left with a lower cap. */
export class Sizing implements Pick<Claim, "size" | "wanted"> {
  readonly wanted: number;
  readonly #worst: Order["worst"];
  readonly #cap: number;

  constructor({ worst, askedCap, usualCap }: Order) {
    this.#worst = worst;
    this.#cap = askedCap ?? usualCap;
    this.wanted = worst?.total(this.#cap) ?? 0;
  }

  size(room: number): Size | undefined {
    const cap = this.#cap;
    if (this.wanted === 0 || this.wanted <= room) return { amount: this.wanted, cap };
    const worst = this.#worst;
    const within = Math.min(cap, worst?.capWithin(toNanoUsd(Math.max(0, room))) ?? -1);
    if (within < Math.min(cap, MIN_CAP)) return undefined;
    return { amount: worst?.total(within) ?? 0, cap: within };
  }
}
