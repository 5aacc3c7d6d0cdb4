/** Letters and digits of a text, in small letters and without the escapes in which programs write them. */

interface DecodedChars {
  /** One for each; U+0001 for a letter beyond ASCII. */
  readonly chars: string;
  /** Where each begins and ends in the text, in UTF-16 units. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** Other than a letter or a digit. */
const NONE = 0;
const LETTER = 1;

/** By the code of an ASCII character. */
const small = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code).toLowerCase();
  return /[a-z0-9]/.test(char) ? char.charCodeAt(0) : NONE;
});

/** Each ends where it can no longer match, without looking back. All may be escaped several times. */
const escapes: ReadonlyMap<number, RegExp> = new Map([
  // Of addresses: %2D, %252D.
  [37, /%(?:25)*(?<hex>[0-9a-f]{2})/iy],
  // Of HTML: &#45; &#x2d; &quot; &amp;#45;
  [38, /&(?:amp;)*(?:#x(?<hex>[0-9a-f]{1,6});?|#(?<decimal>[0-9]{1,7});?|(?:quot|apos|lt|gt|nbsp);)?/iy],
  // Of JSON and programs: \u002d \u{2d} \x2d \n \" \\u002d
  [92, /\\+(?:u(?<hex>[0-9a-f]{4})|u\{(?<braced>[0-9a-f]{1,6})\}|x(?<pair>[0-9a-f]{2})|[nrtbfv])?/iy],
]);

interface Escaped {
  readonly code: number;
  readonly end: number;
}

/** Reads the text once, from its beginning to its end. */
export function decodedChars(text: string): DecodedChars {
  const found = new Uint8Array(text.length);
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length;) {
    const escaped = escapedAt(text, at);
    const end = escaped?.end ?? at + 1;
    const char = charOf(escaped?.code ?? text.charCodeAt(at));
    if (char !== NONE) {
      [found[count], starts[count], ends[count]] = [char, at, end];
      count++;
    }
    at = end;
  }
  return { chars: new TextDecoder("latin1").decode(found.subarray(0, count)), starts, ends };
}

/** Undefined where no escape begins. */
function escapedAt(text: string, at: number): Escaped | undefined {
  const escape = escapes.get(text.charCodeAt(at));
  if (escape === undefined) return undefined;
  escape.lastIndex = at;
  const { groups = {} } = escape.exec(text) ?? {};
  if (escape.lastIndex === 0) return undefined;
  const hex = groups.hex ?? groups.braced ?? groups.pair;
  const code = hex === undefined ? Number(groups.decimal ?? "0") : parseInt(hex, 16);
  return { code, end: escape.lastIndex };
}

/** Full-width forms are those of ASCII; spaces, quotes and marks that are not seen are none. */
function charOf(code: number): number {
  if (code < 128) return small[code] ?? NONE;
  if (code >= 0xff01 && code <= 0xff5e) return small[code - 0xfee0] ?? NONE;
  const isSeparator = code < 0xc0 || code >= 0x2000 && code <= 0x206f || code === 0x3000 || code === 0xfeff;
  return isSeparator ? NONE : LETTER;
}
