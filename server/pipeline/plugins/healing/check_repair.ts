/**
 * Holds a repaired JSON text against the text as it came: every name, text, number and word of it stands there, in the
 * same order and whole, and nothing of the text is left out but quotes, commas and white space.
 */

import { isUnescaped, readEscape } from "./escapes.ts";
import { Unhealed } from "./healing_reasons.ts";
import { closingQuotes, endsText, isDelimiter, skipSpace } from "./json_characters.ts";

interface RepairedText {
  /** As it came, without comments. */
  readonly source: string;
  /** JSON that was made of it. */
  readonly repaired: string;
  /** Whether there is a schema, which says what the names are. */
  readonly isTyped: boolean;
}

export interface CheckedRepair {
  /** The repaired text, with the words of JSON for those in capitals, which the library takes for texts. */
  readonly text: string;
  /** Brackets that were added behind the end. */
  readonly added: number;
  /** Values that had no quotes, and are texts now. */
  readonly bare: readonly string[];
}

/** Throws Unhealed. */
export function checkRepair(text: RepairedText): CheckedRepair {
  return new RepairCheck(text).run();
}

const token = /[{}[\]:,]|"(?:[^"\\]|\\.)*"|[^\s{}[\]:,"]+/gs;

/** Words, numbers and signs that stand in words and dates. */
const plainText = /^[\p{L}\p{N}_ .@/-]+$/u;

/** Words that are no text, though they may stand where one can, and how several of them in a row begin. */
const noText =
  /^(?:nil|nan|[-+]?inf|infinity|undefined|void|n\/a|na|yes|no|on|off)$|^(?:true|false|null|none)/i;

/** Python's words by those of JSON. */
const otherWords: ReadonlyMap<string, string> = new Map([["true", "True"], ["false", "False"], [
  "null",
  "None",
]]);
/** JSON's words by those in capitals. */
const capitalWords: ReadonlyMap<string, string> = new Map(
  ["true", "false", "null"].map((word) => [word.toUpperCase(), word]),
);

class RepairCheck {
  readonly #source: string;
  readonly #repaired: string;
  readonly #isTyped: boolean;
  #at = 0;
  #added = 0;
  readonly #bare: string[] = [];
  #before = "";
  /** Quotes without a backslash in the text that is read. */
  #inner = 0;
  /** The text before was ended by a quote or a bracket, and not by what follows it. */
  #hasEnd = false;
  readonly #names: (Set<string> | undefined)[] = [];

  constructor({ source, repaired, isTyped }: RepairedText) {
    this.#source = source;
    this.#repaired = repaired;
    this.#isTyped = isTyped;
  }

  run(): CheckedRepair {
    const tokens = [...this.#repaired.matchAll(token)];
    const words: PlacedWord[] = [];
    for (const [index, { 0: written, index: at }] of tokens.entries()) {
      this.#at = skipSpace(this.#source, this.#at);
      const next = tokens[index + 1]?.[0];
      const word = this.#capitalWord(written, next);
      if (word === undefined) this.#token(written, next);
      else {
        this.#word(word);
        words.push({ at, end: at + written.length, word });
      }
      this.#before = written;
    }
    this.#at = skipSpace(this.#source, this.#at);
    if (this.#at < this.#source.length) throw new Unhealed("unclear");
    return { text: withWords(this.#repaired, words), added: this.#added, bare: this.#bare };
  }

  /** A word of JSON in capitals, where a value stands without quotes. */
  #capitalWord(json: string, next: string | undefined): string | undefined {
    const isName = next === ":" && this.#names.at(-1) !== undefined;
    if (isName || closingQuotes(this.#char) !== undefined) return undefined;
    return capitalWords.get(json.slice(1, -1));
  }

  get #char(): string | undefined {
    return this.#source[this.#at];
  }

  #token(text: string, next: string | undefined): void {
    if (text === "{" || text === "[") this.#open(text);
    else if (text === "}" || text === "]") this.#close(text);
    else if (text === ",") this.#comma();
    else if (text === ":") this.#take(":");
    else if (text.startsWith('"')) this.#text(text, next === ":" && this.#names.at(-1) !== undefined);
    else this.#word(text);
  }

  #take(char: string): void {
    if (this.#added > 0 || this.#char !== char) throw new Unhealed("unclear");
    this.#at++;
    this.#hasEnd = false;
  }

  #open(bracket: string): void {
    this.#take(bracket);
    this.#names.push(bracket === "{" ? new Set() : undefined);
  }

  #close(bracket: string): void {
    this.#names.pop();
    const isFilled = this.#before !== "{" && this.#before !== "[";
    if (this.#char === "," && isFilled && this.#added === 0) {
      this.#at = skipSpace(this.#source, this.#at + 1);
      if (this.#char === undefined) throw new Unhealed("no_end");
    }
    if (this.#char === undefined) {
      if (!this.#hasEnd) throw new Unhealed("no_end");
      this.#added++;
      return;
    }
    this.#take(bracket);
    this.#hasEnd = true;
  }

  #comma(): void {
    if (this.#char === ",") {
      this.#at++;
      return;
    }
    if (this.#char === undefined) throw new Unhealed("no_end");
    // Missing between two values that are clearly apart.
    const before = this.#source[this.#at - 1] ?? "";
    const isApart = skipSpace(this.#source, this.#at - 1) > this.#at - 1;
    const areBounded = "}]\"'".includes(before) && "{[\"'".includes(this.#char);
    if (!isApart && !areBounded) throw new Unhealed("unclear");
  }

  #text(json: string, isName: boolean): void {
    const text = toText(JSON.parse(json));
    if (isName) this.#name(text);
    const closing = closingQuotes(this.#char);
    if (closing === undefined) this.#bareText(text, isName);
    else this.#quotedText(text, { closing, isName });
  }

  /** A name with a sign of JSON in it is one, or what a quote too few has made of two. */
  #name(text: string): void {
    const names = this.#names.at(-1);
    const isOdd = /[\n"]/.test(text) || (!this.#isTyped && /[{}[\]:,]/.test(text));
    if (isOdd || names?.has(text) === true) throw new Unhealed("unclear");
    names?.add(text);
  }

  #quotedText(
    text: string,
    { closing, isName }: { readonly closing: string; readonly isName: boolean },
  ): void {
    this.#at++;
    this.#inner = 0;
    for (const letter of codeUnits(text)) this.#letter(letter, { closing, isName });
    // Quotes within a text come in pairs: one alone is one too many, or the end of another text.
    if (this.#inner % 2 > 0) throw new Unhealed("unclear");
    const char = this.#char;
    if (char === undefined) throw new Unhealed("no_end");
    if (!closing.includes(char) || !endsText(this.#source, this.#at)) throw new Unhealed("unclear");
    this.#at++;
    if (isName && this.#source[skipSpace(this.#source, this.#at)] !== ":") throw new Unhealed("unclear");
    this.#hasEnd = true;
  }

  #letter(letter: string, { closing, isName }: { readonly closing: string; readonly isName: boolean }): void {
    const source = this.#source;
    const char = source[this.#at];
    if (char === undefined) throw new Unhealed("no_end");
    if (char === "\\") return this.#escape(letter);
    if (char !== letter) throw new Unhealed("unclear");
    if (closing.includes(char)) this.#innerQuote(isName);
    this.#at++;
  }

  /** A quote within the text, which nothing can follow but more of it. */
  #innerQuote(isName: boolean): void {
    if (isName || mayEnd(this.#source, this.#at)) throw new Unhealed("unclear");
    this.#inner++;
  }

  #escape(letter: string): void {
    const source = this.#source;
    const [escape, read] = readEscape(source, this.#at);
    if (read !== letter || isUnescaped(source, { at: this.#at, read })) throw new Unhealed("unclear");
    this.#at += escape.length;
  }

  #bareText(text: string, isName: boolean): void {
    const source = this.#source;
    const end = this.#at + text.length;
    if (source.slice(this.#at, end) !== text) throw new Unhealed("unclear");
    const next = skipSpace(source, end);
    if (isName) {
      if (!/^[\p{L}\p{N}_$-]+$/u.test(text)) throw new Unhealed("unclear");
      // The quote before a name may be missing alone.
      this.#at = source[next] === '"' ? skipSpace(source, next + 1) : next;
      if (this.#char !== ":") throw new Unhealed("unclear");
      return;
    }
    this.#checkBare(text, { end, next });
    this.#at = end;
    this.#hasEnd = false;
  }

  #checkBare(text: string, { end, next }: { readonly end: number; readonly next: number }): void {
    if (!plainText.test(text) || noText.test(text)) throw new Unhealed("unclear");
    if (this.#source[next] === undefined) throw new Unhealed("no_end");
    const isAtLine = this.#source.slice(end, next).includes("\n");
    if (!",}]".includes(this.#source[next] ?? "") && !isAtLine) throw new Unhealed("unclear");
    this.#bare.push(text);
  }

  /** A number, or `true`, `false` or `null`. */
  #word(word: string): void {
    const source = this.#source;
    const spellings = [word, otherWords.get(word) ?? word, word.toUpperCase()];
    const written = spellings.find((one) => source.startsWith(one, this.#at));
    if (written === undefined) throw new Unhealed("unclear");
    const end = this.#at + written.length;
    if (!isDelimiter(source[end])) throw new Unhealed("unclear");
    // A number at the end may have had more digits.
    if (/\d/.test(word) && skipSpace(source, end) === source.length) throw new Unhealed("no_end");
    this.#at = end;
    this.#hasEnd = true;
  }
}

interface PlacedWord {
  readonly at: number;
  readonly end: number;
  readonly word: string;
}

function withWords(text: string, words: readonly PlacedWord[]): string {
  const pieces = words.map(({ at, word }, index) => text.slice(words[index - 1]?.end ?? 0, at) + word);
  return pieces.join("") + text.slice(words.at(-1)?.end ?? 0);
}

function* codeUnits(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++) yield text.charAt(at);
}

const toText = (value: unknown): string => {
  if (typeof value !== "string") throw new Error("A token in quotes is no text");
  return value;
};

/** Whether a quote within a text could as well be its end. */
function mayEnd(source: string, quoteAt: number): boolean {
  const next = source[skipSpace(source, quoteAt + 1)];
  return next === undefined || ",:}]\"'”’".includes(next) || endsText(source, quoteAt);
}
