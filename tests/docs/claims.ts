/** Finds what a page states in numbers, defaults, quoted texts and names, and which of it no row of a table holds. */

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
/** Code between backquotes; its second group is the code. */
const CODE = /(?<!`)(`+)(?!`)([^\n]*?[^`])\1(?!`)/g;

/** A page, each character at its place: what is no part of its sentences and tables is blank. */
const textOf = (page: string): string =>
  [ELSEWHERE, HEAD, LIST_MARK].reduce((text, pattern) => text.replaceAll(pattern, blank), page);

/** Numbers that are no part of a name, a version or a date; years are none. */
const NUMBER = /(?<![\p{L}\d_.,#/:-])(?!(?:19|20)\d\d\b)\d[\d,]*(?:\.\d+)?(?![\p{L}\d_.]*[\d\p{L}])(?!-\d)/gu;

const UNIT =
  "ms|seconds?|minutes?|hours?|days?|weeks?|months?|times|characters?|bytes|digits|tokens?|turns?|" +
  "levels?|endpoints?|calls?|requests?|models?|keys?|pages?|names?|texts?|in a row|percent";
const WORD = "three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|" +
  "(?:a|one|two|five) hundred|a thousand|half an?";
const TIME = "seconds|minutes|hours|days|weeks|months";
const IN_WORDS = new RegExp(
  `\\btwo (?:${TIME})\\b|\\b(?:${WORD}) (?:\\w+ )?(?:${UNIT})\\b|\\b(?:within|after|every) an? (?:second|minute|hour|day|week|month)\\b`,
  "gi",
);

const DEFAULT =
  /\bby default\b|\(default\b|\bdefault\)|\bdefaults?(?= (?:is|false|true|\d))|\bthe default(?! (?:model|workspace))\b/gi;

const claimOf = (words: string, { index }: { readonly index: number }): Claim => ({
  words,
  from: index,
  to: index + words.length,
});

/** Numbers, numbers in words with a unit, and defaults, outside of code. */
export function numberClaims(page: string): readonly Claim[] {
  const prose = textOf(page).replaceAll(CODE, blank);
  return [NUMBER, IN_WORDS, DEFAULT].flatMap((pattern) => [...prose.matchAll(pattern)])
    .map((match) => claimOf(match[0], match))
    .toSorted((a, b) => a.from - b.from);
}

/** Several words between quotation marks. */
const QUOTED = /"((?=[^"\n]* )[^"\n]{8,})"/g;
/** The same as code: a sentence of the product's. */
const SENTENCE = /^[A-Z][a-z']+(?: \S+){3,}$/;

/** Texts that a page quotes from the product. */
export function quotedClaims(page: string): readonly Claim[] {
  const text = textOf(page);
  const sentences = [...text.matchAll(CODE)].filter(({ 2: code = "" }) => SENTENCE.test(code));
  const quoted = [...text.replaceAll(CODE, blank).matchAll(QUOTED)];
  return [
    ...sentences.map((match) => claimOf(match[2] ?? "", match)),
    ...quoted.map((match) => claimOf(match[1] ?? "", match)),
  ];
}

/** A name of three letters at least, of one word or several. */
const NAME = /^(?=.{3})[a-z][a-z\d]*(?:[_-][a-z\d]+)*$/;

/** Names of fields, values, plugins and tools that stand as code. */
export const nameClaims = (page: string): readonly Claim[] =>
  [...textOf(page).matchAll(CODE)].filter(({ 2: code = "" }) => NAME.test(code))
    .map((match) => claimOf(match[2] ?? "", match));

/** Places of a phrase; of a heading, its whole section. */
function placesOf(phrase: string, page: string): readonly Stretch[] {
  const places: Stretch[] = [];
  const [level] = /^#+ /.exec(phrase) ?? [];
  for (let from = page.indexOf(phrase); from !== -1; from = page.indexOf(phrase, from + phrase.length)) {
    const next = level === undefined
      ? -1
      : page.slice(from + phrase.length).search(new RegExp(`^#{1,${level.length - 1}} `, "m"));
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
