/** Lets fake time pass while real sockets do their work. */

import assert from "node:assert/strict";
import type { FakeClock } from "./clock.ts";
import { pause, until } from "./until.ts";

export interface RunOutOptions {
  readonly clock: FakeClock;
  /** Tells whether time may begin to pass, as when a call has reached the provider or a commit has failed. */
  readonly once: () => boolean | Promise<boolean>;
  /** Milliseconds of fake time between two looks. */
  readonly step?: number;
  /** Milliseconds of fake time after which the test fails. */
  readonly most?: number;
}

export interface RanOut<T> {
  readonly value: T;
  /** Milliseconds of fake time that passed. */
  readonly took: number;
}

/** Moves the clock on until the promise is settled. */
export async function runOut<T>(
  promise: Promise<T>,
  { clock, once, step = 5_000, most = 4_000_000 }: RunOutOptions,
): Promise<RanOut<T>> {
  const start = clock.monotonic();
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  await until(async () => settled || await once(), { what: "what time waits for" });
  // Nothing shows that an answer's beginning was read; it comes over a socket of this process.
  await pause(120);
  while (!settled) {
    assert(clock.monotonic() - start < most, `nothing happened in ${most} ms of fake time`);
    await clock.advanceOnce(() => true, step);
    await quiet();
  }
  return { value: await promise, took: clock.monotonic() - start };
}

/** Delay in ms at which a callback counts as late: the process, or the machine, is busy. */
const LATE_MS = 5;
const MOST_PAUSES = 50;

/** Lets sockets have their turn until nothing seems to be on its way any more: fake time must not overtake them. */
async function quiet(): Promise<void> {
  for (let calm = 0, pauses = 0; calm < 2 && pauses < MOST_PAUSES; pauses++) {
    const before = performance.now();
    await pause(2);
    calm = performance.now() - before < LATE_MS ? calm + 1 : 0;
  }
}
