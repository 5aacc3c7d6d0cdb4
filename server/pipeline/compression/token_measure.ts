/** How many tokens a text is at a model, counted no further than somebody wants to know. */

import type { Work } from "../../../shared/util/run_work.ts";
import { addScripts, familyFactor, noScripts, roughTokens } from "../../billing/pricing/script_tokens.ts";
import { countUtf8Bytes } from "../../billing/pricing/media_tokens.ts";
import { blocksOf } from "../../billing/tokenizer/text_blocks.ts";
import type { Tokenizer } from "../../billing/tokenizer/tokens.ts";

/** Tokens of a piece of a text: so few characters that no pause is needed. */
export type TokenMeasure = (piece: string) => number;

/**
 * By the gateway's tokenizer, which is that of newer GPT models; at a model of another family as many times more as its
 * scripts take there. Without a tokenizer by the scripts alone.
 */
export function tokenMeasure(find: () => Tokenizer | undefined, model: string): TokenMeasure {
  return (piece) => {
    const scripts = noScripts();
    addScripts(scripts, piece);
    const tokenizer = find();
    return tokenizer === undefined
      ? Math.ceil(roughTokens(scripts, model))
      : Math.ceil(tokenizer.countNow(piece) * familyFactor(scripts, model));
  };
}

/** The tokens of one text, counted piece by piece as far as was asked for. */
export class CountedText {
  readonly text: string;
  readonly #measure: TokenMeasure;
  #pieces: Iterator<string> | undefined;
  #tokens = 0;
  #isWhole = false;

  constructor(text: string, measure: TokenMeasure) {
    this.text = text;
    this.#measure = measure;
  }

  /** Tokens of what has been counted. */
  get tokens(): number {
    return this.#tokens;
  }

  /**
   * No text has more tokens than bytes, nor fewer bytes than UTF-16 units: their exact number where it may be within
   * `exact`.
   */
  bound(exact: number | undefined): number {
    const { length } = this.text;
    return exact === undefined || length > exact ? length * MOST_BYTES : countUtf8Bytes(this.text);
  }

  /** Whether the text has more tokens than that; `tokens` are all of them where it has not. */
  *exceeds(most: number): Work<boolean> {
    while (!this.#isWhole && this.#tokens <= most) {
      const next = (this.#pieces ??= piecesOf(this.text)).next();
      if (next.done === true) {
        this.#isWhole = true;
        this.#pieces = undefined;
      } else {
        this.#tokens += this.#measure(next.value);
        if (this.text.length > FEW) yield;
      }
    }
    return this.#tokens > most;
  }
}

/** Characters that are counted in one go, so that little is counted that nobody wants to know. */
const PIECE = 1_024;

/** A text in pieces that are counted one by one, cut where a word starts if there is such a place. */
export function* piecesOf(text: string): Generator<string> {
  for (const block of blocksOf(text)) {
    let from = 0;
    while (block.length - from > PIECE) {
      const space = block.lastIndexOf(" ", from + PIECE);
      const at = space > from ? space : pairStart(block, from + PIECE);
      yield block.slice(from, at);
      from = at;
    }
    yield block.slice(from);
  }
}

/** The place itself, or the one in front of it where it is between two surrogates. */
export function pairStart(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  const isSplit = code >= 0xdc00 && code < 0xe000 && before >= 0xd800 && before < 0xdc00;
  return isSplit ? at - 1 : at;
}

/** UTF-8 bytes of one UTF-16 unit, at most. */
const MOST_BYTES = 3;
/** Characters that take no time. */
const FEW = 256;
