/** Takes the middle out of a text: so many tokens of its beginning and of its end stay, and a mark between them. */

import type { Work } from "../../../shared/util/run_work.ts";
import { cutAfter, cutBefore } from "./safe_cut.ts";
import { pairStart, piecesOf, type TokenMeasure } from "./token_measure.ts";

interface CutTo {
  /** Tokens of what stays, with the mark. */
  readonly tokens: number;
  readonly measure: TokenMeasure;
}

/** Characters by which a few tokens are found, at the most that a token usually has. */
const CHARS_PER_TOKEN = 6;

/** The mark that stands where characters were left out. */
const markOf = (characters: number): string => `\n[... ${characters} characters left out ...]\n`;

/** The same text where nothing can be left out. */
export function* cutMiddle(text: string, { tokens, measure }: CutTo): Work<string> {
  const left = tokens - measure(markOf(text.length));
  const head = cutBefore(text, yield* prefixLength(text, { tokens: Math.ceil(left / 2), measure }));
  const tail = cutAfter(
    text,
    text.length - (yield* suffixLength(text, { tokens: Math.floor(left / 2), measure })),
  );
  if (head >= tail) return text;
  return text.slice(0, head) + markOf(tail - head) + text.slice(tail);
}

/** Characters of the beginning that are no more than so many tokens. */
function* prefixLength(text: string, { tokens, measure }: CutTo): Work<number> {
  for (let window = firstWindow(tokens);; window *= GROWTH) {
    const head = text.slice(0, pairStart(text, Math.min(window, text.length)));
    const length = yield* lengthWithin(piecesOf(head), { tokens, measure, end: false });
    if (length < head.length || head.length === text.length) return length;
  }
}

/** Characters of the end that are no more than so many tokens. */
function* suffixLength(text: string, { tokens, measure }: CutTo): Work<number> {
  for (let window = firstWindow(tokens);; window *= GROWTH) {
    const tail = text.slice(pairStart(text, Math.max(0, text.length - window)));
    const pieces: string[] = [];
    for (const piece of piecesOf(tail)) {
      pieces.push(piece);
      yield;
    }
    const length = yield* lengthWithin(pieces.reverse(), { tokens, measure, end: true });
    if (length < tail.length || tail.length === text.length) return length;
  }
}

/** Characters in which so many tokens mostly end. */
const firstWindow = (tokens: number): number => Math.max(0, tokens) * CHARS_PER_TOKEN + 64;
const GROWTH = 8;

/** Characters of the pieces, one after the other, that are no more than so many tokens. */
function* lengthWithin(
  pieces: Iterable<string>,
  { tokens, measure, end }: CutTo & Pick<PartOf, "end">,
): Work<number> {
  let length = 0;
  let left = tokens;
  for (const piece of pieces) {
    const count = measure(piece);
    if (count > left) return length + partOf(piece, { tokens: left, measure, count, end });
    length += piece.length;
    left -= count;
    yield;
  }
  return length;
}

interface PartOf extends CutTo {
  /** Tokens of the whole piece, which are more. */
  readonly count: number;
  readonly end: boolean;
}

/** Characters of one end of a piece that are no more than so many tokens. */
function partOf(piece: string, { tokens, measure, count, end }: PartOf): number {
  if (tokens <= 0) return 0;
  let length = Math.floor(piece.length * tokens / count);
  while (length > 0) {
    const part = end ? piece.slice(-length) : piece.slice(0, length);
    const found = measure(part.toWellFormed());
    if (found <= tokens) return length;
    length = Math.min(length - 1, Math.floor(length * tokens / found));
  }
  return 0;
}
