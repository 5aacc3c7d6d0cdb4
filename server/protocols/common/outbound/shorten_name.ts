/** Names for a wire that allows fewer characters than ours. */

/** Seven characters that stand for a text: FNV-1a, 32 bits, base 36. Tells names apart, keeps no secrets. */
export function shortDigest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash.toString(36).padStart(7, "0");
}

/** The text itself where it fits, else its beginning and its digest; always the same for the same text. */
export function shortenName(text: string, limit: number): string {
  return text.length <= limit ? text : appendDigest(text, { of: text, limit });
}

/** `start` cut so that `_` and the digest of `of` still fit. */
export function appendDigest(
  start: string,
  { of, limit }: { readonly of: string; readonly limit: number },
): string {
  return `${start.slice(0, limit - 8)}_${shortDigest(of)}`;
}
