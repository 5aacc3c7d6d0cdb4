/**
 * Cuts known secrets out of texts that others have written: as they are, and in the disguises that programs give them on
 * the way. The time is linear in the text, whatever it is.
 */

import { decodedChars } from "./decoded_chars.ts";

/** Shorter values are words that stand in any sentence, such as the `ollama` that Ollama takes as a key. */
const SECRET_CHARS = 8;
/** Letters and digits from which on a secret is found in disguise: fewer may be words that are written in another way. */
const DISGUISED_CHARS = 12;
/** Characters by which a secret is found. The others only say how far it goes, so a beginning of it is cut as well. */
const HEAD_CHARS = 64;

/**
 * Makes the function that puts `shown` in the place of each secret: as it is, as JSON and addresses spell it, and, where
 * it is long enough, in letters of any case, split by whatever is neither letter nor digit, with its characters as
 * escapes of addresses, JSON, programs or HTML, and in base64 or hexadecimal, alone or inside of what was encoded with it.
 */
export function secretCutter(secrets: Iterable<string>, shown = "[redacted]"): (text: string) => string {
  const known = [...new Set(secrets)].filter(({ length }) => length >= SECRET_CHARS);
  const spelled = [...new Set(known.flatMap(spellingsOf))];
  const disguised = [...new Set(known.flatMap(disguisesOf))].filter(({ length }) =>
    length >= DISGUISED_CHARS
  );
  return (text) => {
    if (known.length === 0 || text.length < SECRET_CHARS) return text;
    const found = spelled.flatMap((needle) => placesOf(text, needle));
    if (disguised.length > 0 && text.length >= DISGUISED_CHARS) {
      const { chars, starts, ends } = decodedChars(text);
      for (const needle of disguised) {
        for (const [start, end] of placesOf(chars, needle)) {
          found.push([starts[start] ?? 0, ends[end - 1] ?? 0]);
        }
      }
    }
    return found.length === 0 ? text : withoutPlaces(text, { found, shown });
  };
}

/** A text as it is, in JSON, in JSON of programs that escape slashes, and in an address. */
function spellingsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [secret, json, json.replaceAll("/", "\\/"), encodeURIComponent(secret.toWellFormed())];
}

/** Its letters and digits, and those of its encodings at each place that it may have in groups of base64. */
function disguisesOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const encoded = [0, 1, 2].map((before) => {
    const all = new Uint8Array(before + bytes.length);
    all.set(bytes, before);
    // Characters on both ends may depend on the neighbours.
    return all.toBase64().slice(Math.ceil(before * 8 / 6), Math.floor(all.length * 8 / 6));
  });
  return [secret, ...encoded, bytes.toHex()].map((text) => decodedChars(text).chars);
}

/** Where something begins and ends, in UTF-16 units. */
type Place = readonly [start: number, end: number];

function placesOf(text: string, needle: string): Place[] {
  const places: Place[] = [];
  const head = needle.slice(0, HEAD_CHARS);
  for (let start = text.indexOf(head); start !== -1;) {
    let end = start + head.length;
    while (end - start < needle.length && text[end] === needle[end - start]) end++;
    places.push([start, end]);
    start = text.indexOf(head, end);
  }
  return places;
}

interface Cut {
  readonly found: readonly Place[];
  readonly shown: string;
}

/** Places that overlap are one. */
function withoutPlaces(text: string, { found, shown }: Cut): string {
  let [left, kept, over] = ["", 0, 0];
  for (const [start, end] of found.toSorted(([a], [b]) => a - b)) {
    if (start >= over) {
      left += text.slice(kept, start) + shown;
    }
    over = Math.max(over, end);
    kept = over;
  }
  return left + text.slice(kept);
}
