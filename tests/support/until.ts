/** Waiting for what other sockets and processes do: the only real time that tests spend. */

import assert from "node:assert/strict";
import { TIME_FACTOR } from "./time_limits.ts";

/**
 * Milliseconds after which what does not come is taken never to come. It measures nothing: on a busy machine things
 * come late, and that is no failure.
 */
export const PATIENCE_MS = 60_000 * TIME_FACTOR;

export interface UntilOptions {
  /** Name of what is being waited for, for the failure's message. */
  readonly what?: string;
}

/** Resolves as soon as `holds` does; fails when it never does. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  { what = "the condition" }: UntilOptions = {},
): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!await holds()) {
    assert(performance.now() < end, `${what} did not come true`);
    await timer(2);
  }
}

/** The same promise; fails in words when it never settles. */
export async function patiently<T>(promise: Promise<T>, what = "what the test waits for"): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Turns of the event loop that what is under way needs at most: to accept, to read, to answer, to write. */
const TURNS = 8;
/** Milliseconds from which a pause is meant for what is under way, and not for the distance of two packets. */
const LONG_MS = 5;

/**
 * Waits for real, so that sockets of this process have their turn. The time may pass on a busy machine before anything
 * has happened, so a pause that is meant for that lasts some turns of the event loop besides.
 */
export async function pause(ms: number): Promise<void> {
  await timer(ms);
  if (ms < LONG_MS) return;
  for (let turn = 0; turn < TURNS; turn++) await timer(0);
}

/** Looks in a row at which a number has not grown, so that what fills the buffers of sockets is at its end. */
const CALM_LOOKS = 5;

/** The number once it has stopped growing. */
export async function settled(count: () => number): Promise<number> {
  for (let before = -1, calm = 0; calm < CALM_LOOKS;) {
    await pause(40);
    calm = count() === before ? calm + 1 : 0;
    before = count();
  }
  return count();
}

const timer = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
