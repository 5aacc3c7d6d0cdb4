/**
 * Lets everybody have a turn. What a fast client has sent is here before it is asked for, and the runtime then goes
 * from one read to the next without looking at anything else: one client could keep all others waiting.
 */

import { setImmediate } from "node:timers";

/** Reads and requests between two looks at everything else. */
const MOST = 32;

export class Turns {
  #taken = 0;
  #next: Promise<void> | undefined;

  /** Before each read or request: undefined while there is no need to wait, else what to wait for. */
  take(): Promise<void> | undefined {
    if (++this.#taken < MOST) return undefined;
    return this.#next ??= new Promise((resolve) => setImmediate(() => this.#begin(resolve)));
  }

  #begin(resolve: () => void): void {
    this.#taken = 0;
    this.#next = undefined;
    resolve();
  }
}
