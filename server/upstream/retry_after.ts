/** `Retry-After` of a provider: seconds or an HTTP date, whatever nonsense it may hold (faults U1). */

const LONGEST_S = 60;

/** Seconds from now, at most a minute; undefined when the header says nothing usable. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  const seconds = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  if (!Number.isFinite(seconds)) return undefined;
  return Math.min(Math.max(Math.ceil(seconds), 0), LONGEST_S);
}
