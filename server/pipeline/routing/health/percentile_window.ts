/** The last figures of one kind, and their percentiles: bounded, cheap to add to, sorted only when asked. */

export interface Percentiles {
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p99: number;
}

/** Enough that a p99 means something. */
const MOST = 512;
const FIRST_ROOM = 16;
/** Percentiles are worked out again after so many milliseconds at the earliest. */
const FRESH_MS = 2_000;

export class PercentileWindow {
  readonly #window: number;
  #times = new Float64Array(FIRST_ROOM);
  #values = new Float64Array(FIRST_ROOM);
  #count = 0;
  #next = 0;
  #known: Percentiles | undefined;
  #knownAt = -Infinity;

  /** `window`: milliseconds after which a figure is forgotten. */
  constructor(window: number) {
    this.#window = window;
  }

  add(now: number, value: number): void {
    if (this.#next === this.#times.length) this.#makeRoom();
    this.#times[this.#next] = now;
    this.#values[this.#next] = value;
    this.#next++;
    this.#count = Math.max(this.#count, this.#next);
  }

  percentiles(now: number): Percentiles | undefined {
    if (this.#count === 0) return undefined;
    if (now - this.#knownAt < FRESH_MS) return this.#known;
    const oldest = now - this.#window;
    const young = this.#values.slice(0, this.#count).filter((_, at) => (this.#times[at] ?? 0) >= oldest)
      .sort();
    this.#known = young.length === 0 ? undefined : percentilesOf(young);
    this.#knownAt = now;
    return this.#known;
  }

  /** Grows up to a bound, then writes over the oldest. */
  #makeRoom(): void {
    if (this.#times.length >= MOST) {
      this.#next = 0;
      return;
    }
    this.#times = doubled(this.#times);
    this.#values = doubled(this.#values);
  }
}

function doubled(small: Float64Array): Float64Array<ArrayBuffer> {
  const large = new Float64Array(small.length * 2);
  large.set(small);
  return large;
}

/** By nearest rank. */
function percentilesOf(sorted: Float64Array): Percentiles {
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p75: at(0.75), p90: at(0.9), p99: at(0.99) };
}
