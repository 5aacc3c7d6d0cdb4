/** Meters that count uses: over the last minute, or of what is open right now. Times are monotonic ms. */

/** The minute of a limit. */
export const RATE_WINDOW_MS = 60_000;
/** Uses are kept in slots of this length, so a scope takes the same memory at any limit. */
const SLOT_MS = 100;
/** Nobody knows when a stream ends: ask again after this time. */
const ASK_AGAIN_MS = 1_000;

/** Uses that were counted together. Names them when some are given back. */
export interface CountedSlot {
  /** Number of the slot: its uses lie within `at * SLOT_MS` and the slot's end. */
  readonly at: number;
  amount: number;
}

export interface UsageCounter {
  used(now: number): number;
  add(amount: number, now: number): CountedSlot;
  /** Takes uses back that did not happen after all; what the meter has forgotten stays forgotten. */
  giveBack(slot: CountedSlot, amount: number): void;
  /** Ms until at least `amount` of what is used is free again. */
  freeIn(amount: number, now: number): number;
}

/**
 * Counts each use for at least 60 s and at most 100 ms longer: a slot is forgotten when the latest moment that
 * it could stand for is more than a window ago. So anyone who adds only what fits beside `used()` has never more
 * than the limit within any 60 s; what it costs is 100 ms of a minute.
 */
export class SlidingWindowCounter implements UsageCounter {
  #slots: CountedSlot[] = [];
  /** Index of the oldest slot that counts. */
  #first = 0;
  #sum = 0;

  used(now: number): number {
    for (
      let slot = this.#slots[this.#first];
      slot && forgottenAt(slot) <= now;
      slot = this.#slots[this.#first]
    ) {
      this.#sum -= slot.amount;
      slot.amount = 0;
      this.#first++;
    }
    if (this.#first > 64 && this.#first * 2 > this.#slots.length) {
      this.#slots = this.#slots.slice(this.#first);
      this.#first = 0;
    }
    return this.#sum;
  }

  add(amount: number, now: number): CountedSlot {
    this.used(now);
    this.#sum += amount;
    const at = Math.floor(now / SLOT_MS);
    const last = this.#slots.at(-1);
    if (last && last.at === at && this.#first < this.#slots.length) {
      last.amount += amount;
      return last;
    }
    const slot = { at, amount };
    this.#slots.push(slot);
    return slot;
  }

  giveBack(slot: CountedSlot, amount: number): void {
    const input = Math.min(amount, slot.amount);
    slot.amount -= input;
    this.#sum -= input;
  }

  freeIn(amount: number, now: number): number {
    if (amount <= 0) return 0;
    let left = amount;
    for (let index = this.#first; index < this.#slots.length; index++) {
      const slot = this.#slots[index];
      if (slot === undefined) break;
      left -= slot.amount;
      if (left <= 0) return Math.max(0, forgottenAt(slot) - now);
    }
    return RATE_WINDOW_MS;
  }
}

const forgottenAt = ({ at }: CountedSlot) => (at + 1) * SLOT_MS + RATE_WINDOW_MS;

/** Counts what is open, until it is given back. */
export class ConcurrencyCounter implements UsageCounter {
  #open = 0;

  used(): number {
    return this.#open;
  }

  add(amount: number): CountedSlot {
    this.#open += amount;
    return { at: 0, amount };
  }

  giveBack(slot: CountedSlot, amount: number): void {
    const input = Math.min(amount, slot.amount);
    slot.amount -= input;
    this.#open -= input;
  }

  freeIn(amount: number): number {
    return amount <= 0 ? 0 : ASK_AGAIN_MS;
  }
}
