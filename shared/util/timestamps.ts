/** Moments as the API writes them. */

import { joinStrings } from "./text.ts";

/** The last second that was written, ms since the epoch, and its text up to the milliseconds. */
let second = NaN;
let text = "";
/** The last moment that was written. */
let last = NaN;
let lastText = "";

/**
 * `2026-11-21T12:00:00.000Z`, as `Date` writes it. Requests write a few of them each, and thousands come within one
 * second, so the second's text is kept. `ms`: whole milliseconds since the epoch.
 */
export function formatTimestamp(ms: number): string {
  if (ms !== last) {
    lastText = written(ms);
    last = ms;
  }
  return lastText;
}

function written(ms: number): string {
  const rest = ms % 1_000;
  // Before the epoch, and between two milliseconds, the date itself knows better.
  if (!(rest >= 0) || !Number.isInteger(ms)) return new Date(ms).toISOString();
  if (ms - rest !== second) {
    text = joinStrings(new Date(ms - rest).toISOString().slice(0, -"000Z".length), "");
    second = ms - rest;
  }
  return joinStrings(text, String(rest).padStart(3, "0"), "Z");
}

/** `2026-11-21T12:00:00.000Z` */
const CHARS = 24;

/** The ms since the epoch that a timestamp stands for, as `Date.parse` reads it; NaN for what is none. */
export function parseTimestamp(timestamp: string): number {
  return ofTheSecond(timestamp) ?? Date.parse(timestamp);
}

/** Of what `timestampOf` writes within the second that it wrote last. */
function ofTheSecond(timestamp: string): number | undefined {
  if (timestamp.length !== CHARS || Number.isNaN(second) || !timestamp.startsWith(text)) return undefined;
  const at = text.length;
  const hundreds = digitAt(timestamp, at);
  const rest = hundreds * 100 + digitAt(timestamp, at + 1) * 10 + digitAt(timestamp, at + 2);
  return timestamp.endsWith("Z") && !Number.isNaN(rest) ? second + rest : undefined;
}

const ZERO = 0x30;

/** NaN for what is no decimal digit. */
function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - ZERO;
  return digit >= 0 && digit <= 9 ? digit : NaN;
}
