/** How long a command runs: its limit is in milliseconds of the processor, and four times as many by the clock. */

import { CLOCK_FACTOR } from "../keeper/messages.ts";

interface TimeSources {
  /** Milliseconds of the processor that this process has used. */
  readonly cpuMs: () => number;
  readonly monotonic: () => number;
}

export class CommandTime {
  readonly #sources: TimeSources;
  #cpuEnd = Infinity;
  #clockEnd = Infinity;
  #isReached = false;
  /** Time of work that does not count. */
  #uncounted = 0;

  constructor(sources: TimeSources) {
    this.#sources = sources;
  }

  begin(limitMs: number): void {
    const { cpuMs, monotonic } = this.#sources;
    this.#isReached = false;
    this.#cpuEnd = cpuMs() + limitMs;
    this.#clockEnd = monotonic() + CLOCK_FACTOR * limitMs;
  }

  /** Runs work whose time does not count. */
  async uncounted<T>(run: () => Promise<T>): Promise<T> {
    const { cpuMs, monotonic } = this.#sources;
    const [cpu, clock] = [cpuMs(), monotonic()];
    this.#uncounted++;
    try {
      return await run();
    } finally {
      this.#uncounted--;
      this.#cpuEnd += cpuMs() - cpu;
      this.#clockEnd += monotonic() - clock;
    }
  }

  /** Milliseconds by the clock that it has at most. */
  get clockLeftMs(): number {
    return Math.max(0, this.#clockEnd - this.#sources.monotonic());
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
