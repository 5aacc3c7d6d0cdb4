/**
 * Receipts of refused requests, which cost nothing and can be had without end: of each key so many a minute are
 * written one by one. Of those beyond them only the last is, at the minute's end, and says for how many it stands.
 */

import type { Cancel, Clock } from "../world.ts";

/** A refused request that was never called for. */
export interface Refused {
  readonly keyHash: string;
  /** Writes its receipt at this moment (ms since the epoch), which stands for so many. */
  standFor(count: number, now: number): void;
}

export interface RefusedReceiptsOptions<One extends Refused> {
  readonly clock: Clock;
  readonly refusedPerMinute: number;
  /** It is counted in another one's receipt: nothing will be written of it. */
  readonly drop: (refused: One) => void;
}

const MINUTE_MS = 60_000;

interface Seen<One> {
  written: number;
  /** Beyond those that are written one by one, and the last of them. */
  more: number;
  last: One | undefined;
}

export class RefusedReceipts<One extends Refused> {
  readonly #options: RefusedReceiptsOptions<One>;
  readonly #byKey = new Map<string, Seen<One>>();
  /** When the minute is over, on the monotonic clock. */
  #until = 0;
  #end: Cancel | undefined;

  constructor(options: RefusedReceiptsOptions<One>) {
    this.#options = options;
  }

  /** Whether the receipt is to be written at once and by itself; else it is kept here. */
  isApart(refused: One): boolean {
    const { clock, refusedPerMinute, drop } = this.#options;
    const now = clock.monotonic();
    if (now >= this.#until) {
      this.flush();
      this.#until = now + MINUTE_MS;
    }
    const seen = this.#seenOf(refused.keyHash);
    if (seen.written < refusedPerMinute) {
      seen.written++;
      return true;
    }
    if (seen.last !== undefined) drop(seen.last);
    seen.last = refused;
    seen.more++;
    this.#end ??= clock.after(this.#until - now, () => this.flush());
    return false;
  }

  /** Ends the minute: what is kept is written. */
  flush(): void {
    this.#end?.();
    this.#end = undefined;
    this.#until = 0;
    const all = [...this.#byKey.values()];
    this.#byKey.clear();
    for (const { last, more } of all) last?.standFor(more, this.#options.clock.now());
  }

  #seenOf(keyHash: string): Seen<One> {
    const known = this.#byKey.get(keyHash);
    if (known !== undefined) return known;
    const seen: Seen<One> = { written: 0, more: 0, last: undefined };
    this.#byKey.set(keyHash, seen);
    return seen;
  }
}
