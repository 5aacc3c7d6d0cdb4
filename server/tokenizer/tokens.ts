/**
 * Counts and cuts text by the o200k_base encoding. Its tables take about a quarter of a second and 50 MB, so
 * they are loaded by the first request that needs them.
 *
 * The package's time grows with the square of a run of letters, signs or spaces, so longer runs are cut first:
 * the count of such a run may differ by a token for each {@link LONGEST_RUN} characters.
 */

import { setImmediate } from "node:timers/promises";
import { Memo } from "../../shared/util/memo.ts";

const LONGEST_RUN = 128;
const BLOCK = 8_192;

/** The least of a text that can be shown: one token, or several where a character takes several. */
export interface Chunk {
  readonly text: string;
  readonly tokens: number;
}

export interface Tokenizer {
  /** The text in chunks; nothing is computed ahead. */
  chunks(text: string): Generator<Chunk>;
  /** Tokens of all texts together, no further than a little above `most`; lets others run in between. */
  count(texts: Iterable<string>, bound: { readonly most: number }): Promise<number>;
  /** Tokens of a short text, without letting others run: about 0.2 ms per 1,000 characters. */
  countNow(text: string): number;
}

const tokenizer = new Memo(load);
let loaded: Tokenizer | undefined;

export const loadTokenizer = (): Promise<Tokenizer> => tokenizer.get();

/** The tokenizer if it has been loaded already. */
export const loadedTokenizer = (): Tokenizer | undefined => loaded;

async function load(): Promise<Tokenizer> {
  const [{ encode, countTokens }, { default: table }] = await Promise.all([
    import("gpt-tokenizer/encoding/o200k_base"),
    import("gpt-tokenizer/bpeRanks/o200k_base"),
  ]);
  const plain = { disallowedSpecial: new Set<string>() };
  loaded = {
    chunks: function* (text) {
      for (const block of blocksOf(text)) yield* joined(encode(block, plain), table);
    },
    count: async (texts, { most }) => {
      let total = 0;
      let busy = 0;
      for (const text of texts) {
        for (const block of blocksOf(text)) {
          total += countTokens(block, plain);
          if (total > most) return total;
          busy += block.length;
          if (busy < BLOCK) continue;
          busy = 0;
          await setImmediate();
        }
      }
      return total;
    },
    countNow: (text) => {
      let total = 0;
      for (const block of blocksOf(text)) total += countTokens(block, plain);
      return total;
    },
  };
  return loaded;
}

/** What a token stands for: text, or bytes where it holds a part of a character only. */
type Table = readonly (string | readonly number[] | undefined)[];

/** Tokens as text. The package's own decoder keeps half characters from one call to the next. */
function* joined(tokens: readonly number[], table: Table): Generator<Chunk> {
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

/** The text in blocks that can be encoded one by one; found in one pass, lazily. */
function* blocksOf(text: string): Generator<string> {
  let from = 0;
  let run = 0;
  let last: Kind = "digit";
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    const kind = kindOf(code);
    const goesOn = kind === last && kind !== "digit";
    const isFull = at - from >= BLOCK && (startsWord(text, at) || at - from >= 2 * BLOCK);
    if (isFull || goesOn && run >= LONGEST_RUN) {
      yield text.slice(from, at);
      from = at;
      run = 0;
    }
    run = goesOn ? run + 1 : 1;
    last = kind;
    if (code > 0xffff) at += 1;
  }
  yield text.slice(from);
}

/** What the encoding takes together. Digits are never more than three. */
type Kind = "letter" | "space" | "sign" | "digit";

const kinds = new Map<number, Kind>();

function kindOf(code: number): Kind {
  const known = kinds.get(code);
  if (known !== undefined) return known;
  const char = String.fromCodePoint(code);
  const kind = /\p{N}/u.test(char)
    ? "digit"
    : /\s/.test(char)
    ? "space"
    : /[\p{L}\p{M}]/u.test(char)
    ? "letter"
    : "sign";
  if (kinds.size < 20_000) kinds.set(code, kind);
  return kind;
}

/** Where a word starts with one space: no token reaches over it. */
function startsWord(text: string, at: number): boolean {
  return text[at] === " " && /^[A-Za-z] [A-Za-z]$/.test(text.slice(at - 1, at + 2));
}
