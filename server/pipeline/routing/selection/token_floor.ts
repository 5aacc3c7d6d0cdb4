/**
 * The fewest tokens that a text can be. An endpoint is passed over only when not even these fit, so that nothing
 * is passed over that an exact count would let in.
 *
 * The bound: tokenizers cut a text into words before they make tokens, and no token reaches from the end of one
 * word over the space into the next, so there is at least one token for each run of characters without white
 * space; and no vocabulary in use has a token of more than 128 characters. Runs of white space count as nothing:
 * they may belong to the word that follows.
 */

/** The longest tokens are runs of one character: of spaces, dashes or equal signs. */
const LONGEST_TOKEN = 128;

export function minimumTokens(text: string): number {
  let tokens = 0;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    if (isSpace(text.charCodeAt(at))) {
      tokens += Math.ceil(run / LONGEST_TOKEN);
      run = 0;
    } else run++;
  }
  return tokens + Math.ceil(run / LONGEST_TOKEN);
}

/** Space, transaction and line ends; rarer ones count as letters, which only lowers the bound. */
const isSpace = (unit: number) => unit === 32 || (unit >= 9 && unit <= 13);
