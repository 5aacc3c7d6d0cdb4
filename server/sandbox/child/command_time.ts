/** How long a command runs: its limit is in milliseconds of the processor, and four times as many by the clock. */

import { CLOCK_FACTOR, MAX_UNCOUNTED_MS } from "../keeper/messages.ts";

interface TimeSources {
  /** Milliseconds of the processor that this process has used. */
  readonly cpuMs: () => number;
  readonly monotonic: () => number;
}

/** Time of a part of a command, by the clock. */
export interface PartTime {
  readonly leftMs: number;
  readonly isOver: boolean;
  /** Whether somebody was told that it is over. */
  readonly isReached: boolean;
  readonly end: () => void;
}

interface Part {
  clockEnd: number;
  isReached: boolean;
}

export class CommandTime {
  readonly #sources: TimeSources;
  readonly #parts = new Set<Part>();
  #cpuEnd = Infinity;
  #clockEnd = Infinity;
  #isReached = false;
  /** Parts under way that do not count. */
  #uncounted = 0;
  /** Milliseconds of the processor that such parts may still take. */
  #uncountedLeft = 0;

  constructor(sources: TimeSources) {
    this.#sources = sources;
  }

  begin(limitMs: number): void {
    const { cpuMs, monotonic } = this.#sources;
    this.#isReached = false;
    this.#uncountedLeft = MAX_UNCOUNTED_MS;
    this.#cpuEnd = cpuMs() + limitMs;
    this.#clockEnd = monotonic() + CLOCK_FACTOR * limitMs;
  }

  /** Runs work whose time does not count, up to {@link MAX_UNCOUNTED_MS} in one command. */
  async uncounted<T>(run: () => Promise<T>): Promise<T> {
    const { cpuMs, monotonic } = this.#sources;
    const [cpu, clock] = [cpuMs(), monotonic()];
    this.#uncounted++;
    try {
      return await run();
    } finally {
      this.#uncounted--;
      const uncounted = Math.min(cpuMs() - cpu, this.#uncountedLeft);
      this.#uncountedLeft -= uncounted;
      this.#cpuEnd += uncounted;
      const passed = monotonic() - clock;
      this.#clockEnd += passed;
      for (const part of this.#parts) part.clockEnd += passed;
    }
  }

  /** Begins a part that has a limit of its own: work that does not count for the command does not count for it. */
  beginPart(limitMs: number): PartTime {
    const part = { clockEnd: this.#sources.monotonic() + limitMs, isReached: false };
    const leftMs = () => Math.max(0, part.clockEnd - this.#sources.monotonic());
    const isOver = () => this.#isPartOver(part);
    this.#parts.add(part);
    return {
      get leftMs() {
        return leftMs();
      },
      get isOver() {
        return isOver();
      },
      get isReached() {
        return part.isReached;
      },
      end: () => void this.#parts.delete(part),
    };
  }

  #isPartOver(part: Part): boolean {
    if (this.#uncounted === 0) part.isReached ||= this.#sources.monotonic() >= part.clockEnd;
    return part.isReached;
  }

  /** Milliseconds of the processor that this process has used. */
  get cpuMs(): number {
    return this.#sources.cpuMs();
  }

  /** Milliseconds by the clock that it has at most. */
  get clockLeftMs(): number {
    return Math.max(0, this.#clockEnd - this.#sources.monotonic());
  }

  /** Milliseconds by the clock until the command has to end, or a part of it. */
  get partLeftMs(): number {
    const now = this.#sources.monotonic();
    return Math.max(0, Math.min(this.#clockEnd, ...[...this.#parts].map(({ clockEnd }) => clockEnd)) - now);
  }

  /** From now on what runs has to end: the command, or a part of it. */
  get isPartOver(): boolean {
    if (this.isOver) return true;
    for (const part of this.#parts) if (this.#isPartOver(part)) return true;
    return false;
  }

  /** From now on the command has to end. */
  get isOver(): boolean {
    const { cpuMs, monotonic } = this.#sources;
    if (this.#uncounted > 0) return this.#isReached;
    this.#isReached ||= monotonic() >= this.#clockEnd || cpuMs() >= this.#cpuEnd;
    return this.#isReached;
  }

  /** Whether somebody was told that it is over. */
  get isReached(): boolean {
    return this.#isReached;
  }
}
