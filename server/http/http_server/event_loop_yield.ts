/**
 * Lets everybody have a turn. What a fast client has sent is here before it is asked for, and the runtime then goes
 * from one read to the next without looking at anything else: one client could keep all others waiting.
 */

// deno-lint-ignore tollgate/pauses -- a look at what has come already; a pause would halve the rate of fast clients
import { setImmediate } from "node:timers";
import { afterPause } from "../../../shared/util/pause.ts";

/** Reads and requests between two looks at everything else. */
const MOST = 32;
/**
 * Requests under way from which on a look is not enough. The runtime reads from 128 sockets at a time, and puts
 * those that it did not come to behind those whose clients have been answered and ask again, so that some are not
 * read for hundreds of milliseconds. In a pause it comes to all of them.
 */
const MANY = 64;

/** Ways to go on: behind a look at everything else, and behind a pause. */
interface YieldOptions {
  readonly look: (then: () => void) => void;
  readonly pause: (then: () => void) => void;
}

const ofTheRuntime: YieldOptions = {
  look: (then) => setImmediate(then),
  pause: afterPause,
};

export class EventLoopYield {
  readonly #pauses: YieldOptions;
  #taken = 0;
  #underWay = 0;
  // deno-lint-ignore tollgate/kept-promises -- it never rejects
  #next: Promise<void> | undefined;

  constructor(pauses: YieldOptions = ofTheRuntime) {
    this.#pauses = pauses;
  }

  /** Before each read or request: undefined while there is no need to wait, else what to wait for. */
  yieldIfDue(): Promise<void> | undefined {
    if (++this.#taken < MOST) return undefined;
    const wait = this.#underWay < MANY ? this.#pauses.look : this.#pauses.pause;
    return this.#next ??= new Promise((resolve) => wait(() => this.#begin(resolve)));
  }

  /** A request is under way until this has ended, which it gives back as it came. */
  async track<Result>(exchange: Promise<Result>): Promise<Result> {
    this.#underWay++;
    try {
      return await exchange;
    } finally {
      this.#underWay--;
    }
  }

  #begin(resolve: () => void): void {
    this.#taken = 0;
    this.#next = undefined;
    resolve();
  }
}
