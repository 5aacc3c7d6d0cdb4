/** Waiting for what other sockets do: the only real time that tests spend. */

import assert from "node:assert/strict";

export interface UntilOptions {
  /** Milliseconds after which the test fails. */
  readonly within?: number;
  /** What is being waited for, for the failure's message. */
  readonly what?: string;
}

/** Resolves as soon as `holds` does; fails when it still does not after `within` milliseconds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  { within = 2_000, what = "the condition" }: UntilOptions = {},
): Promise<void> {
  const end = performance.now() + within;
  while (!await holds()) {
    assert(performance.now() < end, `${what} did not come true within ${within} ms`);
    await pause(2);
  }
}

/** Waits for real; for letting sockets have their turn. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
