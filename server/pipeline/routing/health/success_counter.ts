/** How many attempts went well and how many did not, in slices of time that are written over when they are old. */

interface SuccessCounterOptions {
  /** Milliseconds of a slice. */
  readonly width: number;
  /** Slices, the running one included. */
  readonly slots: number;
}

export interface AttemptCounts {
  readonly well: number;
  readonly badly: number;
}

export class SuccessCounter {
  readonly #width: number;
  readonly #slots: number;
  readonly #well: Uint32Array;
  readonly #badly: Uint32Array;
  /** The number of the slice that each slot holds, counted from the clock's start. */
  readonly #slices: Float64Array;
  #latest = -Infinity;

  constructor({ width, slots }: SuccessCounterOptions) {
    this.#width = width;
    this.#slots = slots;
    this.#well = new Uint32Array(slots);
    this.#badly = new Uint32Array(slots);
    this.#slices = new Float64Array(slots).fill(-1);
  }

  /** When it was last added to. */
  get latest(): number {
    return this.#latest;
  }

  add(now: number, well: boolean): void {
    const slice = Math.floor(now / this.#width);
    const slot = slice % this.#slots;
    this.#latest = now;
    if (this.#slices[slot] !== slice) {
      this.#slices[slot] = slice;
      this.#well[slot] = 0;
      this.#badly[slot] = 0;
    }
    const counts = well ? this.#well : this.#badly;
    counts[slot] = (counts[slot] ?? 0) + 1;
  }

  /** How many went well and badly in the running slice and the `slices` before it. */
  counts(now: number, slices: number): AttemptCounts {
    const oldest = Math.floor(now / this.#width) - slices;
    let [well, badly] = [0, 0];
    this.#slices.forEach((slice, slot) => {
      if (slice < oldest || slice < 0) return;
      well += this.#well[slot] ?? 0;
      badly += this.#badly[slot] ?? 0;
    });
    return { well, badly };
  }

  /** The share that went well in the running slice and the `slices` before it, 0–100; null without any. */
  share(now: number, slices: number): number | null {
    const { well, badly } = this.counts(now, slices);
    return well + badly === 0 ? null : well / (well + badly) * 100;
  }
}
