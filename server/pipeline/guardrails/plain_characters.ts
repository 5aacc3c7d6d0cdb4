/** Characters and escapes that are read as others, and what each of them is read as. */

import { countCodePoints } from "../../../shared/validation/validate.ts";
import { unescapeJson } from "./builtins/json_escapes.ts";
import { signEscape, unmark } from "./sign_escapes.ts";
import {
  characterSource,
  compatibleCharacters,
  digitCharacters,
  hyphenCharacters,
  markCharacters,
  spaceCharacters,
  unseenCharacters,
} from "./strange_characters.ts";

/** So many characters without a width in a row are passed over. More are text. */
export const MOST_UNSEEN = 8;

const seen = characterSource(spaceCharacters, hyphenCharacters, digitCharacters, compatibleCharacters);
export const unseen = `(?:${characterSource(unseenCharacters)})`;
export const mark = `(?:${characterSource(markCharacters)})`;
/** Three of them together are no footnote. */
const marks = `${mark}(?:(?=${mark}{2})|(?<=${mark}{2})(?=${mark})|(?<=${mark}{3}))`;
/** Source of an expression for all of them but the escapes of JSON. */
export const foreign = `${unseen}+|${seen}|${signEscape}|${marks}`;
const isUnseen = isIn(unseen);
const isForeign = isIn(`${unseen}|${seen}`);
const isSpace = isIn(characterSource(spaceCharacters));
const isHyphen = isIn(characterSource(hyphenCharacters));
const isDigit = isIn(characterSource(digitCharacters));
const [TAB, BACKSLASH] = [9, 92];

function isIn(source: string): (text: string) => boolean {
  const one = new RegExp(`^(?:${source})`);
  return (text) => one.test(text);
}

/** Every other script has its digits together, from the zero on. */
function digitValue(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (isDigit(String.fromCodePoint(code - value - 1))) value++;
  return `${value % 10}`;
}

/** There are a few thousand of them. */
const plainCharacters = new Map<string, string>();

export function plainOf(spelled: string): string {
  const code = spelled.charCodeAt(0);
  if (code === BACKSLASH) return plainEscape(unescapeJson(spelled));
  if (code < 128) return unmark(spelled);
  const known = plainCharacters.get(spelled);
  if (known !== undefined) return known;
  if (isUnseen(spelled)) return countCodePoints(spelled) > MOST_UNSEEN ? spelled : "";
  const plain = plainCharacter(spelled);
  plainCharacters.set(spelled, plain);
  return plain;
}

/** An escape may stand for a character that is spelled in another way itself. */
const plainEscape = (character: string): string =>
  character.charCodeAt(0) === TAB ? " " : isForeign(character) ? plainOf(character) : character;

function plainCharacter(spelled: string): string {
  if (isSpace(spelled)) return " ";
  if (isHyphen(spelled)) return "-";
  return isDigit(spelled) ? digitValue(spelled) : spelled.normalize("NFKC");
}
