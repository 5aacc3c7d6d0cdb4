/**
 * Checks how the process was started: with permissions it no longer needs, and with the engine that user patterns
 * rely on.
 */

import type { Clock } from "../../runtime.ts";
import { LINEAR_REGEXPS, v8Argument } from "./v8_flags.ts";

/** Nothing reads the environment once the settings are read, and nothing here starts programs or loads libraries. */
const leftOver = ["env", "run", "ffi"] as const;

/**
 * Gives back, for the rest of the process's life, what it was allowed and needs no more. Of the system it goes on asking
 * for the room on its disk, where it was allowed that and nothing else.
 */
export function dropPermissions(): void {
  for (const name of leftOver) Deno.permissions.revokeSync({ name });
  if (Deno.permissions.querySync({ name: "sys" }).state === "granted") {
    Deno.permissions.revokeSync({ name: "sys" });
  }
}

const LINEAR_MS = 100;

/** A pattern that doubles a backtracking engine's work with every character. */
const doubling = (text: string) => /(a+)+$/.test(text);

/**
 * True when such a pattern stays quick. It stops at the first length that does not, so that even then it costs
 * less than a second.
 */
export function isRegExpLinear(clock: Pick<Clock, "monotonic">, match = doubling): boolean {
  for (let length = 16; length <= 28; length += 2) {
    const started = clock.monotonic();
    match(`${"a".repeat(length)}!`);
    if (clock.monotonic() - started > LINEAR_MS) return false;
  }
  return true;
}

/** Said when patterns may take exponential time. */
export const NONLINEAR_REGEXP_WARNING =
  "Regular expressions may take exponential time here, and patterns of guardrails run on a slower engine: start with " +
  `\`deno task start\`, or with ${v8Argument(LINEAR_REGEXPS)}`;
