/**
 * Characters that stand for one that is on every keyboard, by what they are: ranges of code points, as Unicode has them.
 * `tests/guardrails/characters_test.ts` compares them with what the engine knows.
 */

import type { CodePointRanges } from "./code_points.ts";

/** `ad 34f 115f-1160` as ranges. */
const rangesOf = (list: string): CodePointRanges =>
  list.trim().split(/\s+/).map((range) => {
    const [first = "", last = first] = range.split("-");
    return [parseInt(first, 16), parseInt(last, 16)];
  });

/** Without a width (Unicode's Default_Ignorable_Code_Point), or a stroke, line or frame over the letter before it. */
export const unseenCharacters = rangesOf(`
  ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e 2060-206f 3164 fe00-fe0f feff ffa0 fff0-fff8
  1bca0-1bca3 1d173-1d17a e0000-e0fff
  305 332-338 33f 488-489 20d0-20f0
`);

export const spaceCharacters = rangesOf("a0 1680 2000-200a 202f 205f 3000");

/** No dash of a sentence. */
export const hyphenCharacters = rangesOf("2010-2013 2212 fe58 fe63");

/** Digits of other scripts, ten of each from its zero. */
export const digitCharacters = rangesOf(`
  660-669 6f0-6f9 7c0-7c9 966-96f 9e6-9ef a66-a6f ae6-aef b66-b6f be6-bef c66-c6f ce6-cef d66-d6f de6-def e50-e59
  ed0-ed9 f20-f29 1040-1049 1090-1099 17e0-17e9 1810-1819 1946-194f 19d0-19d9 1a80-1a89 1a90-1a99 1b50-1b59 1bb0-1bb9
  1c40-1c49 1c50-1c59 a620-a629 a8d0-a8d9 a900-a909 a9d0-a9d9 a9f0-a9f9 aa50-aa59 abf0-abf9 104a0-104a9 10d30-10d39
  10d40-10d49 11066-1106f 110f0-110f9 11136-1113f 111d0-111d9 112f0-112f9 11450-11459 114d0-114d9 11650-11659
  116c0-116c9 116d0-116e3 11730-11739 118e0-118e9 11950-11959 11bf0-11bf9 11c50-11c59 11d50-11d59 11da0-11da9
  11f50-11f59 16130-16139 16a60-16a69 16ac0-16ac9 16b50-16b59 16d70-16d79 1e140-1e149 1e2f0-1e2f9 1e4f0-1e4f9
  1e5f1-1e5fa 1e950-1e959
`);

/** Compatible forms (NFKC in Unicode) of one character of ASCII: full-width, small, mathematical ones. */
export const compatibleCharacters = rangesOf(`
  17f 37e 1fef 2024 207a 207c-207e 208a 208c-208e 2102 210a-210e 2110-2113 2115 2119-211d 2124 2128 212a 212c-212d
  212f-2131 2133-2134 2139 2145-2149 2160 2164 2169 216c-2170 2174 2179 217c-217f fb29 fe10 fe13-fe16 fe33-fe38
  fe47-fe48 fe4d-fe50 fe52 fe54-fe57 fe59-fe5c fe5f-fe62 fe64-fe66 fe68-fe6b ff01-ff5e 1ccf0-1ccf9 1d400-1d454
  1d456-1d49c 1d49e-1d49f 1d4a2 1d4a5-1d4a6 1d4a9-1d4ac 1d4ae-1d4b9 1d4bb 1d4bd-1d4c3 1d4c5-1d505 1d507-1d50a
  1d50d-1d514 1d516-1d51c 1d51e-1d539 1d53b-1d53e 1d540-1d544 1d546 1d54a-1d550 1d552-1d6a3 1d7ce-1d7ff 1fbf0-1fbf9
`);

/** The same, where one or two of them are a footnote, an index or the sign of a list: raised, lowered, in circles. */
export const markCharacters = rangesOf(`
  aa b2-b3 b9-ba 2b0 2b2-2b3 2b7-2b8 2e1-2e3 1d2c 1d2e 1d30-1d31 1d33-1d3a 1d3c 1d3e-1d43 1d47-1d49 1d4d 1d4f-1d50
  1d52 1d56-1d58 1d5b 1d62-1d65 1d9c 1da0 1dbb 2070-2071 2074-2079 207f-2089 2090-2093 2095-209c 2460-2468 24b6-24ea
  2c7c-2c7d a7f2-a7f4 107a5 1ccd6-1ccef 1f12b-1f12c 1f130-1f149
`);

const unit = (code: number) => `\\u${code.toString(16).padStart(4, "0")}`;
const span = (first: number, last: number) => `${unit(first)}-${unit(last)}`;

/** One of the characters, for an expression without the flag `u`, which is faster over texts of Latin letters. */
export function characterSource(...sets: readonly CodePointRanges[]): string {
  const ranges = sets.flat();
  const single = ranges.filter(([first]) => first <= 0xffff).map(([first, last]) => span(first, last)).join(
    "",
  );
  const pairs = new Map<number, string>();
  for (const [from, to] of ranges) {
    for (let first = Math.max(from, 0x10000); first <= to; first = (first | 0x3ff) + 1) {
      const offset = first - 0x10000;
      const high = 0xd800 + (offset >> 10);
      const low = 0xdc00 + (offset & 0x3ff);
      const last = Math.min(to, first | 0x3ff);
      pairs.set(high, (pairs.get(high) ?? "") + span(low, low + last - first));
    }
  }
  return ["[" + single + "]", ...[...pairs].map(([high, lows]) => `${unit(high)}[${lows}]`)].join("|");
}
