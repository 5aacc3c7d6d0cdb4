/** The real time, which a story may move on: deadlines run when they are due in real time. */

import { type CountedClock, tickingClock } from "../../support/ticking_clock.ts";

export interface MovableClock extends CountedClock {
  /** Milliseconds that pass at once. */
  leap(ms: number): void;
}

export function movableClock(): MovableClock {
  const real = tickingClock();
  let passed = 0;
  return {
    now: () => real.now() + passed,
    monotonic: () => real.monotonic() + passed,
    after: (ms, run) => real.after(ms, run),
    leap: (ms) => {
      passed += ms;
    },
    get open() {
      return real.open;
    },
  };
}
