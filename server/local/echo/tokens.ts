/**
 * Counts and cuts text by the o200k_base encoding. Its tables take about a quarter of a second and 50 MB, so
 * they are loaded by the first request that needs them.
 *
 * The package's time grows with the square of a run of letters, signs or spaces, so longer runs are cut first:
 * the count of such a run may differ by a token for each {@link LONGEST_RUN} characters.
 */

import { setImmediate } from "node:timers/promises";

const LONGEST_RUN = 128;
const BLOCK = 8_192;

/** The least of a text that can be shown: one token, or several where a character takes several. */
export interface Piece {
  readonly text: string;
  readonly tokens: number;
}

export interface Tokenizer {
  /** The text in pieces; nothing is computed ahead. */
  pieces(text: string): Generator<Piece>;
  /** Tokens of all texts together; lets others run in between. */
  count(texts: Iterable<string>): Promise<number>;
}

let loading: Promise<Tokenizer> | undefined;

export function loadTokenizer(): Promise<Tokenizer> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Tokenizer> {
  const [{ encode, countTokens }, { default: table }] = await Promise.all([
    import("gpt-tokenizer/encoding/o200k_base"),
    import("gpt-tokenizer/bpeRanks/o200k_base"),
  ]);
  const plain = { disallowedSpecial: new Set<string>() };
  return {
    pieces: function* (text) {
      for (const block of blocksOf(text)) yield* joined(encode(block, plain), table);
    },
    count: async (texts) => {
      let total = 0;
      for (const text of texts) {
        for (const block of blocksOf(text)) {
          total += countTokens(block, plain);
          if (block.length > BLOCK / 2) await setImmediate();
        }
      }
      return total;
    },
  };
}

/** What a token stands for: text, or bytes where it holds a part of a character only. */
type Table = readonly (string | readonly number[] | undefined)[];

/** Tokens as text. The package's own decoder keeps half characters from one call to the next. */
function* joined(tokens: readonly number[], table: Table): Generator<Piece> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let held = { text: "", tokens: 0, bytes: 0 };
  for (const token of tokens) {
    const value = table[token] ?? "";
    if (typeof value === "string" && held.tokens === 0) {
      yield { text: value, tokens: 1 };
      continue;
    }
    const bytes = typeof value === "string" ? [...new TextEncoder().encode(value)] : value;
    const text = decoder.decode(Uint8Array.from(bytes), { stream: true });
    held = { text: held.text + text, tokens: held.tokens + 1, bytes: held.bytes + bytes.length };
    if (new TextEncoder().encode(held.text).length < held.bytes) continue;
    yield held;
    held = { text: "", tokens: 0, bytes: 0 };
  }
  if (held.tokens > 0) yield { text: held.text + decoder.decode(), tokens: held.tokens };
}

const longRun = new RegExp(
  `[\\p{L}\\p{M}]{${LONGEST_RUN + 1},}|\\s{${LONGEST_RUN + 1},}|[^\\s\\p{L}\\p{M}\\p{N}]{${
    LONGEST_RUN + 1
  },}`,
  "gu",
);

/** The text in blocks that can be encoded one by one. */
function* blocksOf(text: string): Generator<string> {
  for (const stretch of stretchesOf(text)) {
    let from = 0;
    while (stretch.length - from > BLOCK) {
      const to = breakBefore(stretch, from + BLOCK);
      yield stretch.slice(from, to);
      from = to;
    }
    yield stretch.slice(from);
  }
}

/** Cuts runs that are too long into stretches. */
function* stretchesOf(text: string): Generator<string> {
  let from = 0;
  for (const run of text.matchAll(longRun)) {
    const end = run.index + run[0].length;
    for (let at = run.index + LONGEST_RUN; at < end; at += LONGEST_RUN) {
      const cut = isLow(text, at) ? at - 1 : at;
      yield text.slice(from, cut);
      from = cut;
    }
  }
  yield text.slice(from);
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The last place before `end` where a word starts with one space: no token reaches over it. */
function breakBefore(text: string, end: number): number {
  for (let at = end; at > end - BLOCK / 2; at--) {
    if (text[at] === " " && /^[A-Za-z] [A-Za-z]$/.test(text.slice(at - 1, at + 2))) return at;
  }
  return isLow(text, end) ? end - 1 : end;
}
