/** Data URLs (RFC 2397): what they say of the data in them, and the data. */

/** Characters in front of the data, in which a type and its parameters stand: what has more is no data URL. */
const MOST_HEAD = 1_024;
const SCHEME = "data:";
const BASE64 = ";base64";

interface DataUrl {
  /** In lower case; empty where none is named. */
  readonly mediaType: string;
  readonly isBase64: boolean;
  /** As it stands behind the comma. */
  readonly data: string;
}

/**
 * Undefined for any other text. A caller's text may be millions of characters long and never come to a comma: no more of
 * it is looked at than a head may have.
 */
export function splitDataUrl(text: string): DataUrl | undefined {
  if (!text.startsWith(SCHEME)) return undefined;
  const comma = text.slice(0, MOST_HEAD).indexOf(",");
  if (comma === -1) return undefined;
  const head = text.slice(SCHEME.length, comma);
  const [mediaType = ""] = head.split(";", 1);
  return { mediaType: mediaType.toLowerCase(), isBase64: head.endsWith(BASE64), data: text.slice(comma + 1) };
}
