/** Names of persons: known given names with a surname, and names that a title or a sentence announces. */

import type { BuiltinFilter } from "./builtin_filter.ts";
import { isDigit, isLetter, isSpace, isWord, scanStarts, startTable, UPPER } from "./characters.ts";
import { CUE_REACH, findCue, type NameCue } from "./name_cues.ts";
import { ambiguousNames, givenNames, ordinarySurnames, otherNouns, surnames } from "./names.ts";

const MAX_MATCH = 80;
const MAX_WORD = 24;
const [HYPHEN, APOSTROPHE, TYPOGRAPHIC, DOT, AMPERSAND, OPEN] = [45, 39, 0x2019, 46, 38, 40];

interface Word {
  readonly text: string;
  readonly end: number;
}

/** True for a mark inside of a word: `Jean-Luc`, `O'Brien`. */
function isJoint(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  const isMark = code === HYPHEN || code === APOSTROPHE || code === TYPOGRAPHIC;
  return isMark && isUpper(text.charCodeAt(position + 1)) && isLetter(text.charCodeAt(position - 1));
}

const upper = /\p{Lu}/u;
const isUpper = (code: number): boolean =>
  code < 128 ? code >= 65 && code <= 90 : code > 0xbf && upper.test(String.fromCharCode(code));

/** The word with a capital letter at a position; undefined for other words, and for those all in capitals. */
function readWord(text: string, start: number): Word | undefined {
  if (!isUpper(text.charCodeAt(start))) return undefined;
  let end = start + 1;
  while (end - start <= MAX_WORD && (isLetter(text.charCodeAt(end)) || isJoint(text, end))) end++;
  const next = text.charCodeAt(end);
  if (end - start > MAX_WORD || isDigit(next) || next === 95 || next === OPEN) return undefined;
  const word = text.slice(start, end);
  return word.length > 1 && !/\p{Ll}/u.test(word) ? undefined : { text: word, end };
}

const particle =
  /(?:(?:de la|de La|De La|de los|de las|van der|van den|von der|de|del|della|dos|da|di|du|van|von|zu|bin|ibn|al|el|le|la|ten|ter|y) |d['’])/y;

/** The next word of a name behind one that ends at a position, with the particles and initials between. */
function nextWord(text: string, end: number): Word | undefined {
  let position = end;
  if (text.charCodeAt(position) === DOT) position++;
  if (!isSpace(text.charCodeAt(position))) return undefined;
  position++;
  for (let count = 0; count < 2; count++) {
    if (isUpper(text.charCodeAt(position)) && text.charCodeAt(position + 1) === DOT) {
      if (!isSpace(text.charCodeAt(position + 2))) return undefined;
      position += 3;
    }
  }
  particle.lastIndex = position;
  if (particle.test(text)) position = particle.lastIndex;
  const word = readWord(text, position);
  return word === undefined || word.text.length < 2 ? undefined : word;
}

const isNoun = (word: string): boolean => otherNouns.has(word);

const isSurname = (word: string): boolean =>
  surnames.has(word) || surnames.has(word.replace("’", "'")) || word.split("-").some((part) =>
    surnames.has(part)
  ) ||
  /^(?:Mc|Mac|O['’]|D['’]|Fitz)\p{Lu}\p{Ll}+$/u.test(word);

/** True where a company, a street or the like goes on behind a name: `Anna Maria Airport`, `Ernst & Co`. */
function isOfThing(text: string, end: number): boolean {
  if (text.charCodeAt(end) !== 32) return false;
  if (text.charCodeAt(end + 1) === AMPERSAND) return true;
  const word = readWord(text, end + 1);
  return word !== undefined && isNoun(word.text) && word.text.length > 3;
}

/** Up to four words of a name, none of them a noun that ends one. */
function readChain(text: string, start: number): readonly Word[] {
  const words: Word[] = [];
  for (
    let word = readWord(text, start);
    word !== undefined && words.length < 4;
    word = nextWord(text, word.end)
  ) {
    if (word.end - start > MAX_MATCH || words.length > 0 && isNoun(word.text)) break;
    words.push(word);
  }
  return words;
}

/** True for a chain that is a name because of what stands before it. */
function isAnnounced([first, second]: readonly Word[], cue: NameCue): boolean {
  if (first === undefined || isNoun(first.text)) return false;
  switch (cue) {
    case "title":
      return first.text.length > 1;
    case "introduction":
      return second !== undefined || isGiven(first.text);
    case "hint":
      return isGiven(first.text) || second !== undefined && isSurname(second.text);
    case "greeting":
      return isGiven(first.text);
    default:
      return cue satisfies never;
  }
}

const isGiven = (word: string): boolean => {
  const [first = "", second] = word.split("-");
  if (second !== undefined && givenNames.has(second) && ambiguousNames.has(first)) return true;
  return givenNames.has(first) && !ambiguousNames.has(word);
};

/** True for a chain that is a name by itself. */
function isName([first, second, third]: readonly Word[]): boolean {
  if (first === undefined || second === undefined) return false;
  if (isGiven(first.text)) return !isNoun(second.text);
  if (isNoun(first.text)) return false;
  if (ambiguousNames.has(first.text)) {
    return isSurname(second.text) || third !== undefined && isSurname(third.text);
  }
  if (first.text.length < 3) return false;
  if (surnames.has(first.text)) return isSurname(second.text);
  return isSurname(second.text) && !ambiguousNames.has(second.text) && !ordinarySurnames.has(second.text);
}

function matchAt(text: string, start: number): number {
  const code = text.charCodeAt(start - 1);
  if (isWord(code) || code === DOT || code === 64 || code === 47 || code === HYPHEN) return -1;
  if (!isLetter(text.charCodeAt(start + 1))) return -1;
  const chain = readChain(text, start);
  const last = chain.at(-1);
  if (last === undefined || isOfThing(text, last.end)) return -1;
  if (isName(chain)) return last.end;
  const cue = findCue(text, start);
  return cue !== undefined && isAnnounced(chain, cue) ? last.end : -1;
}

const starts = startTable(UPPER);

export const personName: BuiltinFilter = {
  slug: "person-name",
  placeholder: "[PERSON_NAME]",
  entityType: "PERSON",
  maxMatch: MAX_MATCH,
  lookAhead: MAX_WORD + 8,
  lookBehind: CUE_REACH,
  spansSpace: true,
  find: (text, from) => scanStarts(text, from, { starts, matchAt }),
};
