/** Texts of strangers, without what a reader of them would not see. */

/**
 * Runs of what Unicode lets a program ignore, of what turns the order of a line, and of controls besides tabs and
 * line ends.
 */
const INVISIBLE =
  // deno-lint-ignore no-control-regex -- controls are what it looks for
  /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]+/gu;

const ZERO_WIDTH_JOINER = "\u200D";
const ZERO_WIDTH_NON_JOINER = "\u200C";
/** Asks for the picture of a character. */
const PICTURE = "\uFE0F";
const BLACK_FLAG = "\u{1F3F4}";

/** Flags of England, Scotland and Wales behind a black flag: the only sequences of tag characters that are shown. */
const flags: ReadonlySet<string> = new Set(
  ["gbeng", "gbsct", "gbwls"].map((name) =>
    [...name].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("") + "\u{E007F}"
  ),
);

const EMOJI = /^\p{Extended_Pictographic}/u;
const MODIFIED_EMOJI = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;
const HAS_PICTURE = /^\p{Emoji}/u;

/** Scripts whose letters take other forms beside a joiner. */
const SHAPED = new RegExp(
  `^[${
    "Arab Syrc Nkoo Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt".split(" ")
      .map((script) => `\\p{Script=${script}}`).join("")
  }]`,
  "u",
);

/**
 * Without invisible characters, which can carry words that only a model reads: tags, zero-width characters,
 * variation selectors, marks of direction, controls. Those that scripts and emoji need are kept, one at a time.
 */
export const visibleText = (text: string): string =>
  text.replaceAll(INVISIBLE, (run: string, offset: number) => neededPart(run, { text, offset }));

interface Place {
  readonly text: string;
  readonly offset: number;
}

/** Part of a run of invisible characters that is needed; empty for all that hides something. */
function neededPart(run: string, { text, offset }: Place): string {
  const before = characterBefore(text, offset);
  if (before === BLACK_FLAG && flags.has(run)) return run;
  const picture = run.startsWith(PICTURE) && HAS_PICTURE.test(before) ? PICTURE : "";
  const rest = run.slice(picture.length);
  if (rest !== ZERO_WIDTH_JOINER && rest !== ZERO_WIDTH_NON_JOINER) return picture;
  if (SHAPED.test(before)) return rest;
  const end = offset + run.length;
  const joins = rest === ZERO_WIDTH_JOINER && MODIFIED_EMOJI.test(before) &&
    EMOJI.test(text.slice(end, end + 2));
  return joins ? picture + rest : picture;
}

/** Whole, where it has two units. */
function characterBefore(text: string, offset: number): string {
  const pair = text.slice(Math.max(0, offset - 2), offset);
  return (pair.codePointAt(0) ?? 0) > 0xffff ? pair : pair.slice(-1);
}
