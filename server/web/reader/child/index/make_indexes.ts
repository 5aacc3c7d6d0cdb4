/** Makes the index of each of several texts. */

import { loadTokenizer } from "../../../../billing/tokenizer/tokens.ts";
import { createClock } from "../../../../runtime.ts";
import type { IndexLine, IndexRequest } from "../../../file_index/index_messages.ts";
import {
  type CountedTerm,
  encodeTerms,
  type IndexPart,
  type Piece,
  type PieceCount,
} from "../../../file_index/index_part.ts";
import { wordsOf } from "../../../file_index/words.ts";
import { detectCharset } from "../detect_charset.ts";
import { readPlainText } from "../../plain_text.ts";
import { cutPieces } from "./cut_pieces.ts";

/** In the order of the texts, which stand one behind the other. */
export async function makeIndexes(
  { lengths }: IndexRequest,
  bytes: Uint8Array,
): Promise<readonly IndexLine[]> {
  const { countNow } = await loadTokenizer(createClock());
  let from = 0;
  const texts = lengths.map((length) => bytes.subarray(from, from += length));
  return texts.map((text) => indexOf(text, countNow));
}

/** Null for what is no text. */
function indexOf(bytes: Uint8Array, countTokens: (text: string) => number): IndexPart | null {
  const options = { charset: "", isXml: false, maxCharacters: bytes.length + 1, detect: detectCharset };
  const read = readPlainText(bytes, options);
  return read === undefined ? null : indexText(read.text, countTokens);
}

function indexText(text: string, countTokens: (text: string) => number): IndexPart {
  const terms = new Map<string, PieceCount[]>();
  const pieces: Piece[] = cutPieces(text, countTokens).map((piece, at) => {
    const found = countWords(`${piece.heading ?? ""}\n${text.slice(piece.start, piece.end)}`);
    let words = 0;
    for (const [term, count] of found) {
      const counts = terms.get(term) ?? [];
      counts.push({ piece: at, count });
      terms.set(term, counts);
      words += count;
    }
    return { ...piece, words };
  });
  const counted = [...terms].map(([term, counts]): CountedTerm => ({ term, counts }));
  counted.sort((one, other) => one.term < other.term ? -1 : 1);
  return { text, pieces, ...encodeTerms(counted) };
}

function countWords(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
