/** Text whose tokens may have to be counted in the end: its length, and as much of it as tells how it is made. */

import { countUtf8Bytes } from "./media_tokens.ts";
import { addScripts, familyFactor, noScripts, roughTokens, type ScriptCounts } from "./script_tokens.ts";
import type { Tokenizer } from "../tokenizer/tokens.ts";

/** Assumed bytes per token of text of which only the length is known. */
const BYTES_PER_TOKEN = 4;
/** Bytes that are kept as they come, what of the rest is kept, and how many at most. */
const KEPT_WHOLE = 8_192;
const KEPT_OF_REST = 1 / 8;
const KEPT_AT_MOST = 32_768;
/** Longer texts are kept or left out slice by slice. */
const SLICE = 1_024;

/** Tokens of so many bytes of text, where nothing else is known of it. */
export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

/** Slices of a long text that are looked at, and how long each is. */
const SLICES = 8;
const SLICE_UNITS = 512;

/** Tokens of a long text at a model, from a few slices of it. `bytes`: of what of it counts. */
export function likelyTokens(
  text: string,
  { bytes, model }: { readonly bytes: number; readonly model: string },
): number {
  if (bytes <= text.length) return tokensOfBytes(bytes);
  const counts = noScripts();
  let seen = 0;
  const step = Math.max(SLICE_UNITS, Math.ceil(text.length / SLICES));
  for (let at = 0; at < text.length; at += step) {
    const slice = text.slice(at, at + SLICE_UNITS).toWellFormed();
    addScripts(counts, slice);
    seen += countUtf8Bytes(slice);
  }
  return Math.ceil(roughTokens(counts, model) * bytes / seen);
}

export class TextSample {
  /** UTF-8 bytes of all text. */
  bytes = 0;
  #kept = "";
  #keptBytes = 0;
  /** Joined when there are enough of them: deltas are short, and a text of many joints takes much memory. */
  #pending: string[] = [];
  #pendingBytes = 0;
  /** Scripts of the text that is kept and joined; made with the first text. */
  #scripts: ScriptCounts | undefined;
  readonly #model: string;

  /** `model`: the provider's name of the model that reads or writes the text. */
  constructor(model = "") {
    this.#model = model;
  }

  add(text: string): void {
    if (text.length <= SLICE) return this.#add(text);
    for (let at = 0; at < text.length; at += SLICE) this.#add(text.slice(at, at + SLICE));
  }

  /** Without a tokenizer by its scripts. */
  tokens(tokenizer: Tokenizer | undefined): number {
    if (this.#keptBytes === 0) return 0;
    const scripts = this.#join();
    const tokens = tokenizer === undefined
      ? roughTokens(scripts, this.#model)
      : Math.round(tokenizer.countNow(this.#kept) * familyFactor(scripts, this.#model));
    return Math.ceil(tokens * this.bytes / this.#keptBytes);
  }

  #add(text: string): void {
    const bytes = countUtf8Bytes(text);
    if (this.#isKept()) {
      this.#pending.push(text);
      this.#pendingBytes += bytes;
      this.#keptBytes += bytes;
      if (this.#pendingBytes >= SLICE) this.#join();
    }
    this.bytes += bytes;
  }

  #isKept(): boolean {
    const wanted = KEPT_WHOLE + Math.max(0, this.bytes - KEPT_WHOLE) * KEPT_OF_REST;
    return this.#keptBytes <= Math.min(wanted, KEPT_AT_MOST);
  }

  #join(): ScriptCounts {
    const scripts = this.#scripts ??= noScripts();
    const joined = this.#pending.join("");
    addScripts(scripts, joined);
    this.#kept += joined;
    this.#pending = [];
    this.#pendingBytes = 0;
    return scripts;
  }
}
