/**
 * Reads a text once, from left to right, as hashes: words, pairs of words, runs of four letters in a word, and for scripts
 * without spaces runs of one to three characters. Case, accents and digits are folded, so that `Résumé` and `resume`
 * are one word.
 */

/** Receives the hashes of a text. */
interface ScanSink {
  gram(hash: number): void;
  /**
   * The hash of a word's beginning, of a word, of a pair of words or of a run of ideographs (`cueHash`), which ends in
   * front of the character `at`.
   */
  cue(hash: number, at: number): void;
}

const WORD_SEED = 0x1234567;
const PAIR_SEED = 0x2345671;
const LETTERS_SEED = 0x3456712;
const IDEOGRAPHS_SEED = 0x4567123;
const PREFIX_SEED = 0x5671234;

const BREAK = 0;
/** Characters of a word that count. */
const LONGEST_WORD = 24;
const SHORTEST_PREFIX = 3;

function mix(hash: number, unit: number): number {
  const product = Math.imul(hash ^ unit, 0x85ebca6b);
  return product ^ (product >>> 13);
}

/** Folded forms of the units below 0x180; 0 for what ends a word. */
const folded = Uint16Array.from({ length: 0x180 }, (_, unit) => foldLatin(String.fromCharCode(unit)));

function foldLatin(char: string): number {
  if (char >= "0" && char <= "9") return 48;
  const [base = ""] = char.toLowerCase().normalize("NFD");
  return base.toUpperCase() === base ? BREAK : base.charCodeAt(0);
}

const isIdeograph = (unit: number): boolean => unit >= 0x3040 && unit <= 0x9fff;

function foldUnit(unit: number): number {
  if (unit < 0x180) return folded[unit] ?? BREAK;
  if (unit >= 0x2000 && unit < 0x3040 || unit >= 0xd800 && unit < 0xf900 || unit >= 0xff00) return BREAK;
  return unit;
}

/** Scans a text, or a part of one: `continues` where it does not begin with the text's first word. */
export function scanText(
  text: string,
  { sink, continues = false }: { readonly sink: ScanSink; readonly continues?: boolean },
): void {
  const scanner = new TextScanner(sink, continues);
  for (let at = 0; at < text.length; at++) scanner.add(foldUnit(text.charCodeAt(at)), at);
  scanner.add(BREAK, text.length);
}

class TextScanner {
  readonly #sink: ScanSink;
  #length = 0;
  #word: number = WORD_SEED;
  /** The word before, 0 for none: the pair of a first word says that it is the first. */
  #before: number;
  /** The last three letters of the word, or the last three ideographs. */
  #one = 0;
  #two = 0;
  #three = 0;

  constructor(sink: ScanSink, continues: boolean) {
    this.#sink = sink;
    this.#before = continues ? 1 : 0;
  }

  add(unit: number, at: number): void {
    if (unit === BREAK) return this.#endWord(at);
    if (isIdeograph(unit)) return this.#addIdeograph(unit, at);
    if (isIdeograph(this.#one)) this.#endWord(at);
    if (++this.#length > LONGEST_WORD) return;
    this.#word = mix(this.#word, unit);
    if (this.#length >= SHORTEST_PREFIX) this.#sink.cue(this.#word ^ PREFIX_SEED, at);
    if (this.#length >= 4) this.#addLetters(unit);
    this.#shift(unit);
  }

  #shift(unit: number): void {
    this.#three = this.#two;
    this.#two = this.#one;
    this.#one = unit;
  }

  #addLetters(last: number): void {
    this.#sink.gram(mix(mix(mix(mix(LETTERS_SEED, this.#three), this.#two), this.#one), last));
  }

  #endWord(at: number): void {
    if (this.#length > 0) {
      if (this.#length >= 3) this.#addLetters(BREAK);
      this.#sink.gram(this.#word);
      this.#sink.cue(this.#word, at);
      const pair = mix(this.#before ^ PAIR_SEED, this.#word);
      this.#sink.gram(pair);
      this.#sink.cue(pair, at);
      this.#before = this.#word;
    }
    this.#length = 0;
    this.#word = WORD_SEED;
    this.#one = this.#two = this.#three = 0;
  }

  /** Runs of one to three characters that end with this one, and as a cue of four too. */
  #addIdeograph(unit: number, at: number): void {
    if (this.#length > 0) this.#endWord(at);
    const one = mix(IDEOGRAPHS_SEED, unit);
    this.#sink.gram(one);
    this.#sink.cue(one, at);
    const two = this.#addRun(one, { before: this.#one, at });
    const three = this.#addRun(two, { before: this.#two, at });
    if (three !== 0 && this.#three !== 0) this.#sink.cue(mix(three, this.#three), at);
    this.#shift(unit);
  }

  /** The run that is longer by the character before; 0 where there is none. */
  #addRun(run: number, { before, at }: { readonly before: number; readonly at: number }): number {
    if (run === 0 || before === 0) return 0;
    const longer = mix(run, before);
    this.#sink.gram(longer);
    this.#sink.cue(longer, at);
    return longer;
  }
}

/** Hash of a cue as a scan puts it out: `word`, the beginning of words (`begin*`), `two words`, or one to four ideographs. */
export function cueHash(cue: string): number {
  const hashes: number[] = [];
  scanText(cue, { sink: { gram: () => {}, cue: (hash) => hashes.push(hash) } });
  // A word ends with its longest beginning, the word, and its pair with the word before.
  const fromEnd = cue.endsWith("*") ? 3 : cue.includes(" ") || isIdeograph(cue.charCodeAt(0)) ? 1 : 2;
  return hashes[hashes.length - fromEnd] ?? 0;
}
