/** Whether a shadow or an outline shows letters whose own colour shows nothing. */

import { colorOf, isSeenOn } from "./css/css_color.ts";
import type { Color } from "./css/color.ts";
import { lengthOf, WINDOW } from "./css/css_length.ts";
import { wordsOf } from "./css/css_property.ts";
import { splitAt, textOf, tokensOf } from "./css/css_tokens.ts";

interface DecorationInput {
  /** Whether it does for the element around: both are inherited. */
  readonly parent: boolean;
  readonly ground: Color | undefined;
  readonly current: Color;
  readonly isDark: boolean;
  readonly em: number;
}

const names = ["text-shadow", "text-stroke", "text-stroke-width", "text-stroke-color"];

export function decorationShows(properties: ReadonlyMap<string, string>, input: DecorationInput): boolean {
  if (names.every((name) => properties.get(name) === undefined)) return input.parent;
  const shadows = splitAt(tokensOf(properties.get("text-shadow") ?? ""), "comma-token").map(textOf);
  return shadows.some((shadow) => shadowShows(shadow, input)) || strokeShows(properties, input);
}

/** Pixels that a shadow may be away, and may be blurred. */
const FAR_PX = 100;
const BLURRED_PX = 10;

function shadowShows(shadow: string, input: DecorationInput): boolean {
  const words = wordsOf(shadow);
  const lengths = words.map((word) => lengthOf(word, { em: input.em, whole: WINDOW.width }))
    .filter((px) => px !== undefined);
  const [x = Infinity, y = Infinity, blur = 0] = lengths;
  if (Math.abs(x) > FAR_PX || Math.abs(y) > FAR_PX || blur > BLURRED_PX) return false;
  return isShown(words, input);
}

function strokeShows(properties: ReadonlyMap<string, string>, input: DecorationInput): boolean {
  const words = wordsOf(
    ["text-stroke", "text-stroke-width", "text-stroke-color"].map((name) => properties.get(name) ?? "").join(
      " ",
    ),
  );
  const widths = words.map((word) =>
    /^(?:thin|medium|thick)$/i.test(word) ? 1 : lengthOf(word, { em: input.em, whole: WINDOW.width })
  );
  return widths.some((px) => px !== undefined && px > 0) && isShown(words, input);
}

function isShown(words: readonly string[], { ground, current, isDark }: DecorationInput): boolean {
  const colors = words.map((word) => colorOf(word, { isDark, current })).filter((color) =>
    color !== undefined
  );
  const color = colors.at(-1) ?? current;
  return ground === undefined ? color.alpha > 0.05 : isSeenOn(color, ground);
}
