/** Whether a value is one that its property can have: an invalid one leaves the declaration out. */

import { lexer } from "css-tree";

const known = new Map<string, boolean>();
const MOST_KNOWN = 20_000;
/** After which the table of syntaxes gives up. */
const MOST_ITERATIONS = 15_000;

/** Colours that the table of syntaxes does not have; what is in them is judged where they are computed. */
const COLOR_FUNCTIONS = /\b(?:contrast-color|(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(\s*from)\b/i;
/** Sizes that it does not have. */
const SIZES = /^(?:stretch|-webkit-fill-available|calc-size\(.*\))$/i;
const SIZED = /^(?:min-|max-)?(?:width|height|inline-size|block-size)$/;

/** The name may have a prefix; values with variables are judged once these are known. */
export function isValid(name: string, value: string): boolean {
  const id = `${name}:${value}`;
  const before = known.get(id);
  if (before !== undefined) return before;
  const result = judge(name.toLowerCase(), value);
  if (known.size < MOST_KNOWN) known.set(id, result);
  return result;
}

function judge(name: string, value: string): boolean {
  if (value === "") return false;
  if (/\b(?:var|env|attr|if)\(/i.test(value)) return lexer.getProperty(name) !== null;
  if (COLOR_FUNCTIONS.test(value)) return lexer.getProperty(name) !== null;
  if (SIZED.test(name) && SIZES.test(value)) return true;
  const { error, iterations } = lexer.matchProperty(name, value);
  // One that is too long to be checked is taken for what it claims to be.
  return error === null || iterations >= MOST_ITERATIONS;
}
