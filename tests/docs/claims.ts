/** Finds what a page states in numbers and defaults, and which of it no row of a table holds. */

import { type HeldPage, phraseOf } from "./held/held_page.ts";

/** Part of a page, from a place to a place behind it. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Statement of a page at one place. */
export interface Claim extends Stretch {
  readonly words: string;
}

const blank = (text: string) => text.replaceAll(/[^\n]/g, " ");

/** Blocks of code, generated blocks (`deno task build` holds them), comments, targets of links. */
const ELSEWHERE =
  /^```[^]*?^```$|<!-- ([\w-]+):begin -->[^]*?<!-- \1:end -->|<!--[^]*?-->|(?<=\])\([^)\s]*\)|https?:\/\/\S+/gm;
/** The line above a table's rule. */
const HEAD = /^\|.*\|\n(?=\|[-|]+\|$)/gm;
const LIST_MARK = /^\d+\. /gm;
const CODE = /(?<!`)(`+)(?!`)([^\n]*?[^`])\1(?!`)/g;

/** Prose of a page, each character at its place: what is no prose is blank. */
export const proseOf = (page: string): string =>
  [ELSEWHERE, HEAD, LIST_MARK, CODE].reduce((text, pattern) => text.replaceAll(pattern, blank), page);

/** Numbers that are no part of a name, a version or a date; years are none. */
const NUMBER = /(?<![\p{L}\d_.,#/:-])(?!(?:19|20)\d\d\b)\d[\d,]*(?:\.\d+)?(?![\p{L}\d_.]*[\d\p{L}])(?!-\d)/gu;

const UNIT =
  "ms|seconds?|minutes?|hours?|days?|weeks?|months?|times|characters?|bytes|digits|tokens?|turns?|" +
  "levels?|endpoints?|calls?|requests?|models?|keys?|pages?|names?|texts?|lines?|in a row|percent";
const WORD = "three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|" +
  "(?:a|one|two|five) hundred|a thousand|half an?";
const TIME = "seconds|minutes|hours|days|weeks|months";
const IN_WORDS = new RegExp(
  `\\btwo (?:${TIME})\\b|\\b(?:${WORD}) (?:\\w+ )?(?:${UNIT})\\b|\\b(?:within|after|every) an? (?:second|minute|hour|day|week|month)\\b`,
  "gi",
);

const DEFAULT =
  /\bby default\b|\(default\b|\bdefault\)|\bdefaults?(?= (?:is|false|true|\d))|\bthe default(?! (?:model|workspace))\b/gi;

/** Numbers, numbers in words with a unit, and defaults, outside of code. */
export function numberClaims(page: string): readonly Claim[] {
  const prose = proseOf(page);
  return [NUMBER, IN_WORDS, DEFAULT].flatMap((pattern) => [...prose.matchAll(pattern)])
    .map(({ 0: words, index }) => ({ words, from: index, to: index + words.length }))
    .toSorted((a, b) => a.from - b.from);
}

/** Places of a phrase; of a heading, its whole section. */
function placesOf(phrase: string, page: string): readonly Stretch[] {
  const places: Stretch[] = [];
  const [level] = /^#+ /.exec(phrase) ?? [];
  for (let from = page.indexOf(phrase); from !== -1; from = page.indexOf(phrase, from + phrase.length)) {
    const next = level === undefined
      ? -1
      : page.slice(from + phrase.length).search(new RegExp(`^#{2,${level.length - 1}} `, "m"));
    const end = next === -1 ? page.length : from + phrase.length + next;
    places.push({ from, to: level === undefined ? from + phrase.length : end });
  }
  return places;
}

interface HeldText {
  readonly text: string;
  readonly page: HeldPage;
}

/** Claims in which no phrase of the table stands, each with the words around it. */
export function claimsWithout(
  claims: readonly Claim[],
  { text, page: { rows, others = [] } }: HeldText,
): readonly string[] {
  const phrases = [...rows.map(phraseOf), ...others.map(([says]) => says)];
  const places = phrases.flatMap((phrase) => placesOf(phrase, text));
  return claims.filter((claim) => !places.some(({ from, to }) => from < claim.to && claim.from < to))
    .map(({ words, from, to }) => {
      const around = text.slice(Math.max(0, from - 40), to + 40).replaceAll("\n", " ");
      return `${words}: …${around}…`;
    });
}
