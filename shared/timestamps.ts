/** Moments as the API writes them. */

import { joined } from "./joined.ts";

/** The last second that was written, ms since the epoch, and its text up to the milliseconds. */
let second = NaN;
let text = "";

/**
 * `2026-11-21T12:00:00.000Z`, as `Date` writes it. Requests write a few of them each, and thousands come within one
 * second, so the second's text is kept. `ms`: whole milliseconds since the epoch.
 */
export function timestampOf(ms: number): string {
  const rest = ms % 1_000;
  // Before the epoch, and between two milliseconds, the date itself knows better.
  if (!(rest >= 0) || !Number.isInteger(ms)) return new Date(ms).toISOString();
  if (ms - rest !== second) {
    text = joined(new Date(ms - rest).toISOString().slice(0, -"000Z".length), "");
    second = ms - rest;
  }
  return joined(text, String(rest).padStart(3, "0"), "Z");
}
