/** Base64 in stretches that can be decoded one by one, so that others can run between two of them. */

/** Characters of a stretch: four of them are three bytes, and all of them a fraction of a millisecond. */
const AT_ONCE = 256 * 1024;

/** Without white space. A stretch with `=` before the last one is no base64, which its decoder says. */
export function* base64Groups(base64: string): Generator<string> {
  let left = "";
  for (let at = 0; at < base64.length; at += AT_ONCE) {
    const chars = left + base64.slice(at, at + AT_ONCE).replace(/[\t\n\f\r ]+/g, "");
    const isLast = at + AT_ONCE >= base64.length;
    const end = isLast ? chars.length : chars.length - chars.length % 4;
    left = chars.slice(end);
    const group = chars.slice(0, end);
    // Padding in the middle: decoders that see it at an end would take it.
    yield !isLast && group.endsWith("=") ? `${group}=` : group;
  }
}
