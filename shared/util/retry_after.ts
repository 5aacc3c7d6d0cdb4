/** How long a server asks to be left alone: its headers may hold any nonsense (faults U1). */

/** The value of a header; null where it is missing. */
type HeaderReader = (name: string) => string | null;

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;
/** HTTP dates begin with the day of the week; `Date.parse` reads much else as a date. */
const DATE = /^[a-z]{3,9},? /i;

/**
 * Whole seconds from `now` (ms since the epoch), never negative: of `retry-after-ms`, else of `retry-after`, which is a
 * number of seconds or an HTTP date. Undefined where neither says anything usable.
 */
export function parseRetryAfter(header: HeaderReader, now: number): number | undefined {
  const seconds = millisecondsIn(header("retry-after-ms")) ?? secondsIn(header("retry-after"), now);
  return seconds === undefined ? undefined : Math.max(Math.ceil(seconds), 0);
}

function millisecondsIn(text: string | null): number | undefined {
  const value = text?.trim() ?? "";
  return NUMBER.test(value) ? Number(value) / 1000 : undefined;
}

function secondsIn(text: string | null, now: number): number | undefined {
  const value = text?.trim() ?? "";
  if (NUMBER.test(value)) return Number(value);
  const seconds = DATE.test(value) ? (Date.parse(value) - now) / 1000 : NaN;
  return Number.isFinite(seconds) ? seconds : undefined;
}
