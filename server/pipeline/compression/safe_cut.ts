/** Places at which a text can be cut: between words where there is one near, and never inside a character that is seen as one. */

import { pairStart } from "./token_measure.ts";

/** Characters that are looked at on each side of a place. */
const NEAR = 64;
/** Characters that are gone back over, at most, to find where a long one begins. */
const FAR = 1_024;
const MOST_FLAGS = 100_000;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The last place that is no further than `at`: words in front of it are whole. */
export function cutBefore(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const places = placesNear(text, at).filter((place) => place <= at);
  return places.findLast((place) => place > at - NEAR && isSpace(text, place)) ?? places.at(-1) ??
    pairStart(text, at);
}

/** The first place that is no less far than `at`: words behind it are whole. */
export function cutAfter(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const places = placesNear(text, at).filter((place) => place >= at);
  return places.find((place) => place < at + NEAR && isSpace(text, place - 1)) ?? places[0] ??
    pairStart(text, at + 1);
}

const isSpace = (text: string, at: number): boolean => /\s/.test(text[at] ?? "");

/** Where characters begin that stand near a place, the beginning and the end of the text included. */
function placesNear(text: string, at: number): readonly number[] {
  const start = startNear(text, at - NEAR);
  const end = Math.min(text.length, at + 2 * NEAR);
  const places: number[] = start === 0 ? [0] : [];
  for (const { index, segment } of segmenter.segment(text.slice(start, end))) {
    const place = start + index + segment.length;
    // What reaches to the end of what is looked at may go on behind it.
    if (place < end || end === text.length) places.push(place);
  }
  return places;
}

/** A place in front from which on characters are told apart rightly. */
function startNear(text: string, at: number): number {
  let start = pairStart(text, Math.max(0, at));
  if (isFlag(text, start)) return flagStart(text, start);
  for (let steps = 0; start > 0 && steps < FAR && isInside(text, start); steps++) {
    start = pairStart(text, start - 1);
  }
  return start;
}

/** Flags are pairs of letters, so that the first of each is known from where their run begins. */
function flagStart(text: string, at: number): number {
  let start = at;
  for (let steps = 0; steps < MOST_FLAGS && start >= 2 && isFlag(text, start - 2); steps++) start -= 2;
  return (at - start) % 4 === 0 ? at : at - 2;
}

const isFlag = (text: string, at: number): boolean => {
  const code = text.codePointAt(at) ?? 0;
  return code >= 0x1f1e6 && code <= 0x1f1ff;
};

const JOINER = "\u200d";
const goesOn = /^[\p{M}\p{Emoji_Modifier}\u200d\u{e0020}-\u{e007f}]/u;

/** A character seen as one goes on at the place. */
const isInside = (text: string, at: number): boolean =>
  text[at - 1] === JOINER || goesOn.test(text.slice(at, at + 2));
