/** The real time, with deadlines that can be counted: a test of clean endings expects none to be open. */

import type { Clock } from "../../server/runtime.ts";

export interface CountedClock extends Clock {
  /** Deadlines still open. */
  readonly open: number;
}

export function tickingClock(): CountedClock {
  const timers = new Set<ReturnType<typeof setTimeout>>();
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after: (ms, run) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
      }, ms);
      timers.add(timer);
      return () => {
        timers.delete(timer);
        clearTimeout(timer);
      };
    },
    get open() {
      return timers.size;
    },
  };
}

export interface ShiftedTime {
  /** Milliseconds by which the wall clocks are ahead. */
  ahead: number;
}

/** The real time, whose wall clock a test can set. */
export function shiftedClock(time: ShiftedTime): CountedClock {
  const clock = tickingClock();
  return {
    now: () => clock.now() + time.ahead,
    monotonic: clock.monotonic,
    after: clock.after,
    get open() {
      return clock.open;
    },
  };
}
