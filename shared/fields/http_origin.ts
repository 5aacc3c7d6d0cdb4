/** Addresses that name a server and nothing else. */

/**
 * The origin of an `http:` or `https:` address without user, path, query and fragment; undefined for any other text,
 * also for one with a placeholder that nobody has filled in.
 */
export function httpOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#@\\{}]/.test(text)) return undefined;
  return url.pathname === "/" ? url.origin : undefined;
}
