/**
 * Receipts of refused requests, which cost nothing and can be had without end: of each key so many a minute are
 * written one by one. Those beyond them share one, which says for how many it stands; it is written at the minute's
 * end, or when somebody asks for receipts, and every one of them names it as its own (promises M7).
 */

import type { Cancel, Clock } from "../../../runtime.ts";

/** A refused request that was never called for. */
export interface RejectedRequest {
  readonly keyHash: string;
  /** Writes its receipt at this moment (ms since the epoch), which stands for so many. */
  countFor(count: number, now: number): void;
}

interface RejectedReceiptsOptions<One extends RejectedRequest> {
  readonly clock: Clock;
  readonly rejectedPerMinute: number;
  /** It is reported in another one's receipt: nothing will be written of it. */
  readonly drop: (refused: One) => void;
}

const MINUTE_MS = 60_000;

interface KeyWindow<One> {
  written: number;
  /** Beyond those that are written one by one: the one whose receipt will tell of them, and how many they are. */
  kept: One | undefined;
  standsFor: number;
}

export class RejectedReceipts<One extends RejectedRequest> {
  readonly #options: RejectedReceiptsOptions<One>;
  readonly #byKey = new Map<string, KeyWindow<One>>();
  /** When the minute is over, on the monotonic clock. */
  #until = 0;
  #timer: Cancel | undefined;

  constructor(options: RejectedReceiptsOptions<One>) {
    this.#options = options;
  }

  /** The one whose receipt will tell of it, perhaps itself; undefined: its own is to be written at once. */
  keep(refused: One): One | undefined {
    const { clock, rejectedPerMinute, drop } = this.#options;
    const now = clock.monotonic();
    if (now >= this.#until) {
      this.end();
      this.#until = now + MINUTE_MS;
    }
    const seen = this.#seenOf(refused.keyHash);
    if (seen.written < rejectedPerMinute) {
      seen.written++;
      return undefined;
    }
    if (seen.kept === undefined) seen.kept = refused;
    else drop(refused);
    seen.standsFor++;
    this.#timer ??= clock.after(this.#until - now, () => this.end());
    return seen.kept;
  }

  /** Writes what is kept; the minute goes on. False when there was nothing. */
  write(): boolean {
    this.#timer?.();
    this.#timer = undefined;
    const kept = [...this.#byKey.values()].filter((seen) => seen.kept !== undefined);
    for (const seen of kept) {
      seen.kept?.countFor(seen.standsFor, this.#options.clock.now());
      seen.kept = undefined;
      seen.standsFor = 0;
    }
    return kept.length > 0;
  }

  /** Ends the minute: what is kept is written. */
  end(): void {
    this.write();
    this.#until = 0;
    this.#byKey.clear();
  }

  #seenOf(keyHash: string): KeyWindow<One> {
    const known = this.#byKey.get(keyHash);
    if (known !== undefined) return known;
    const seen: KeyWindow<One> = { written: 0, kept: undefined, standsFor: 0 };
    this.#byKey.set(keyHash, seen);
    return seen;
  }
}
