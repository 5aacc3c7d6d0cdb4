import { setImmediate } from "node:timers";
import type { Clock } from "../../server/runtime.ts";
import type { RealWork } from "./real_work.ts";
import { pause, until } from "./until.ts";

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Waits for real until the state is there that the time is meant for: a call has come, a deadline is set, a row is
   * there. Then moves time on and runs, in their order, what became due.
   */
  advanceOnce(isReady: () => boolean | Promise<boolean>, ms: number): Promise<void>;
  /** Moves time on and runs nothing: a process that was held still. What has become due runs late, when time moves on. */
  leap(ms: number): void;
  /** Deadlines still open: a test of clean endings expects 0. */
  readonly open: number;
}

/** A clock that knows when nothing is under way, so it needs no state to wait for. */
export interface SteppedClock extends FakeClock {
  /**
   * Moves time on and runs, in their order, what became due; what these runs start and what waits on them has
   * had its turn when the promise resolves.
   */
  advance(ms: number): Promise<void>;
}

interface Deadline {
  readonly due: number;
  readonly run: () => void;
}

const NOON_OF_A_WEDNESDAY = Date.UTC(2026, 0, 14, 12);

/**
 * The clock of tests with sockets, threads and processes: it cannot know what is on its way. Starts at `start`,
 * milliseconds since the epoch; noon of a Wednesday by default.
 */
export function fakeClock(start: number = NOON_OF_A_WEDNESDAY): FakeClock {
  return clockWith(start, settle);
}

/**
 * The same for what works in memory alone: nothing comes from a disk, a socket or another thread, so nothing has to be
 * slept for, and thousands of steps take no time.
 */
export function memoryClock(start: number = NOON_OF_A_WEDNESDAY): SteppedClock {
  return clockWith(start, settleInMemory);
}

/**
 * The same for what works in memory and on stores or files that are counted as real work: time stands still while any
 * of it is under way, however long a busy disk takes.
 */
export function storeClock(work: RealWork, start: number = NOON_OF_A_WEDNESDAY): SteppedClock {
  return clockWith(start, async () => {
    await settle();
    // Work that ends may begin more, a turn later.
    for (let calm = 0; calm < 2; calm++) {
      if (work.inFlight > 0) calm = 0;
      await until(() => work.inFlight === 0, { what: "the end of the real work" });
      await settleInMemory();
    }
  });
}

function clockWith(start: number, settle: () => Promise<void>): SteppedClock {
  const deadlines = new Set<Deadline>();
  let elapsed = 0;
  const nextDue = (end: number): Deadline | undefined => {
    const due = [...deadlines].filter((one) => one.due <= end);
    return due.sort((a, b) => a.due - b.due)[0];
  };
  const advance = async (ms: number) => {
    const end = elapsed + ms;
    await settle();
    for (let next = nextDue(end); next; next = nextDue(end)) {
      deadlines.delete(next);
      elapsed = Math.max(elapsed, next.due);
      next.run();
      await settle();
    }
    elapsed = end;
  };
  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after: (ms, run) => {
      const deadline = { due: elapsed + ms, run };
      deadlines.add(deadline);
      return () => {
        deadlines.delete(deadline);
      };
    },
    advance,
    advanceOnce: async (isReady, ms) => {
      await until(isReady, { what: "what the clock waits for" });
      await advance(ms);
    },
    leap: (ms) => {
      elapsed += ms;
    },
    get open() {
      return deadlines.size;
    },
  };
}

/**
 * Ready once what this process has sent to itself was read: no state shows it where the reader only waits for more. It
 * is no answer to what another thread or process does.
 */
export async function turns(): Promise<boolean> {
  await pause(5);
  return true;
}

/** Lets everything that is ready to run have its turn, and what is under way outside of this thread a moment. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

/** Lets everything that is ready to run have its turn. */
async function settleInMemory(): Promise<void> {
  await new Promise<void>((resolve) => void setImmediate(resolve));
}
