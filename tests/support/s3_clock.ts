/** A clock for tests of S3: pauses between attempts end at once, time limits when the test says so. */

import type { Clock } from "../../server/runtime.ts";

export interface S3Clock extends Clock {
  /** The pauses so far, in ms. */
  readonly pauses: readonly number[];
  /** Time limits that are running. */
  readonly open: number;
  /** Ends every time limit that is running. */
  exceedLimits(): void;
}

/** A pause is shorter than that, a time limit longer, in ms. */
const LIMIT_MS = 5_000;

export function s3Clock(): S3Clock {
  const pauses: number[] = [];
  const limits = new Set<() => void>();
  return {
    // Signatures hold for some minutes of the real time.
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after: (ms, run) => {
      if (ms < LIMIT_MS) {
        pauses.push(ms);
        queueMicrotask(run);
        return () => {};
      }
      limits.add(run);
      return () => {
        limits.delete(run);
      };
    },
    pauses,
    get open() {
      return limits.size;
    },
    exceedLimits: () => {
      for (const run of [...limits]) run();
    },
  };
}
