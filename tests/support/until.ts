/** Waiting for what other sockets and processes do: the only real time that tests spend. */

import assert from "node:assert/strict";

/**
 * Milliseconds after which what does not come is taken never to come. It measures nothing: on a busy machine things
 * come late, and that is no failure.
 */
export const PATIENCE_MS = 60_000;

export interface UntilOptions {
  /** What is being waited for, for the failure's message. */
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
    await pause(2);
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

/** Waits for real; for letting sockets have their turn. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
