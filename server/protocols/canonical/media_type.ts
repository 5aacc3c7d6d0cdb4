/**
 * Finds the type of a picture, a file or a sound inside a request by its first bytes. Clients name
 * `image/jpg`, write capitals, leave the type out or name a wrong one, and most providers refuse data that is
 * not of the type that is named.
 */

/** Base64 characters that are looked at: 48 bytes. */
const LOOKED_AT = 64;
/** The longest head of a data URL that is read as one. */
const HEAD_CHARS = 200;

interface Signature {
  readonly type: string;
  /** One character a byte. */
  readonly begin: string;
  /** So few bytes may begin anything: they count only where a sound or a video is expected. */
  readonly weak?: true;
  /** Where a container says what is in it. */
  readonly inside?: { readonly at: number; readonly words: RegExp };
}

const signatures: readonly Signature[] = [
  { type: "image/png", begin: "\x89PNG\r\n\x1a\n" },
  { type: "image/jpeg", begin: "\xff\xd8\xff" },
  { type: "image/gif", begin: "GIF87a" },
  { type: "image/gif", begin: "GIF89a" },
  { type: "image/webp", begin: "RIFF", inside: { at: 8, words: /^WEBP/ } },
  { type: "audio/wav", begin: "RIFF", inside: { at: 8, words: /^WAVE/ } },
  { type: "application/pdf", begin: "%PDF-" },
  { type: "audio/flac", begin: "fLaC" },
  { type: "audio/ogg", begin: "OggS" },
  { type: "audio/mpeg", begin: "ID3" },
  { type: "audio/mpeg", begin: "\xff\xfb", weak: true },
  { type: "audio/mpeg", begin: "\xff\xf3", weak: true },
  { type: "image/heic", begin: "", inside: { at: 4, words: /^ftyp(?:heic|heix|mif1)/ } },
  { type: "image/avif", begin: "", inside: { at: 4, words: /^ftypavif/ } },
  { type: "video/quicktime", begin: "", inside: { at: 4, words: /^ftypqt {2}/ } },
  { type: "video/mp4", begin: "", inside: { at: 4, words: /^ftyp(?:isom|iso2|mp4[12]|avc1|M4V)/ } },
];

/** Other spellings of types whose bytes say nothing. */
const spellings: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["image/pjpeg", "image/jpeg"],
  ["image/x-png", "image/png"],
  ["application/x-pdf", "application/pdf"],
]);

/**
 * Undefined for what is not known by its first bytes: text, archives, what is no base64. `isSound`: a sound or a video
 * is expected.
 */
function typeByBytes(base64: string, { isSound }: { readonly isSound: boolean }): string | undefined {
  const head = base64.slice(0, 2 * LOOKED_AT).replace(/\s+/g, "").slice(0, LOOKED_AT);
  const whole = head.slice(0, head.length - head.length % 4).replaceAll("-", "+").replaceAll("_", "/");
  if (whole === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(whole)) return undefined;
  const bytes = atob(whole);
  return signatures.find(({ begin, inside, weak }) =>
    bytes.startsWith(begin) && (isSound || weak !== true) &&
    (inside === undefined || inside.words.test(bytes.slice(inside.at)))
  )?.type;
}

/** A data URL that names what it holds; base64 without a head becomes one where its bytes are known. */
export function withTrueType(data: string): string {
  if (!/^data:/i.test(data.slice(0, 5))) {
    const type = typeByBytes(data, { isSound: false });
    return type === undefined ? data : `data:${type};base64,${data}`;
  }
  const comma = data.slice(0, HEAD_CHARS).indexOf(",");
  if (comma < 0) return data;
  const [named = "", ...parameters] = data.slice("data:".length, comma).toLowerCase().split(/ *; */);
  const isBase64 = parameters.at(-1) === "base64";
  const known = isBase64
    ? typeByBytes(data.slice(comma + 1, comma + 1 + 2 * LOOKED_AT), { isSound: isPlayed(named) })
    : undefined;
  const head = `data:${[trueType(named.trim(), known), ...parameters].join(";")}`;
  return head === data.slice(0, comma) ? data : head + data.slice(comma);
}

const isPlayed = (type: string): boolean => /^(?:audio|video)\//.test(type);

/**
 * Type by the first bytes, or the named one where they tell nothing. Where both are of sound or video the
 * named one counts too: such a type may have several names, and the client knows better which one is meant.
 */
function trueType(named: string, known: string | undefined): string {
  if (known === undefined || (isPlayed(known) && isPlayed(named))) return spellings.get(named) ?? named;
  return known;
}

const formats: ReadonlyMap<string, string> = new Map([
  ["audio/wav", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/flac", "flac"],
  ["audio/ogg", "ogg"],
]);

/** The format of a sound in base64, in the word that the Chat and Responses APIs have for it. */
export function trueAudioFormat(data: string, named: string): string {
  return formats.get(typeByBytes(data, { isSound: true }) ?? "") ?? named.toLowerCase();
}
