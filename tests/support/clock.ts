/** A clock that stands still until it is told to go on. */

import type { Clock } from "../../server/world.ts";

interface Entry {
  readonly due: number;
  readonly run: () => void;
}

export class FakeClock implements Clock {
  #wall: number;
  #monotonic = 0;
  readonly #entries = new Set<Entry>();

  /** `start`: milliseconds since the Unix epoch. */
  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#wall = start;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, run: () => void): () => void {
    const entry: Entry = { due: this.#monotonic + ms, run };
    this.#entries.add(entry);
    return () => {
      this.#entries.delete(entry);
    };
  }

  /** Deadlines that are still open. */
  get open(): number {
    return this.#entries.size;
  }

  /** Sets the wall clock alone, as an operator or NTP would. */
  setWall(now: number): void {
    this.#wall = now;
  }

  /** Lets time pass; what falls due runs in order, and may set new deadlines that fall due as well. */
  advance(ms: number): void {
    const end = this.#monotonic + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#entries.delete(next);
      this.#wall += Math.max(0, next.due - this.#monotonic);
      this.#monotonic = Math.max(this.#monotonic, next.due);
      next.run();
    }
    this.#wall += end - this.#monotonic;
    this.#monotonic = end;
  }

  #next(end: number): Entry | undefined {
    let next: Entry | undefined;
    for (const entry of this.#entries) {
      if (entry.due <= end && (next === undefined || entry.due < next.due)) next = entry;
    }
    return next;
  }
}

/** Lets everything run that waits for promises only. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 20; round++) await Promise.resolve();
}
