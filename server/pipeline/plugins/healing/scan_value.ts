/** Goes through a broken JSON value to its end: brackets, texts, and comments, which it blanks. */

import type { Work } from "../../../../shared/util/run_work.ts";
import { Unhealed } from "./healing_reasons.ts";
import {
  closingQuotes,
  endOfComment,
  endsText,
  isFenceLine,
  isLineStart,
  skipSpace,
  spaceCodes,
  startsComment,
} from "./json_characters.ts";

/** Levels of objects and lists in each other. */
const MOST_DEPTH = 200;
/** Characters between two pauses. */
const STRETCH = 4_096;

export interface ScannedValue {
  /** Behind the last bracket, or where the text of the value ends without one. */
  readonly end: number;
  readonly isClosed: boolean;
  /** The value with its comments blanked. */
  readonly text: string;
  /** Places of the commas between the members of the value itself, from the beginning of `text`. */
  readonly commas: readonly number[];
}

/** Scans the object or list that begins there. Throws Unhealed for what is nested too deeply. */
export function* scanValue(text: string, from: number): Work<ScannedValue> {
  const scan = new ValueScan(text, from);
  for (let steps = 0; !scan.isOver; steps++) {
    if (steps % STRETCH === STRETCH - 1) yield;
    scan.step();
  }
  return scan.result();
}

class ValueScan {
  readonly #text: string;
  readonly #from: number;
  #at: number;
  readonly #open: string[] = [];
  readonly #commas: number[] = [];
  readonly #comments: (readonly [from: number, to: number])[] = [];
  /** The last character that is neither white space nor in a comment. */
  #last = "";
  isOver = false;

  constructor(text: string, from: number) {
    this.#text = text;
    this.#from = this.#at = from;
  }

  step(): void {
    const text = this.#text;
    const char = text[this.#at];
    if (char === undefined || isFenceLine(text, this.#at)) {
      this.isOver = true;
      return;
    }
    if (spaceCodes.has(char.charCodeAt(0))) this.#at = skipSpace(text, this.#at);
    else if (this.#isComment()) this.#skipComment();
    else if (this.#isTextAllowed && closingQuotes(char) !== undefined) this.#skipText(char);
    else this.#structure(char);
  }

  result(): ScannedValue {
    return {
      end: this.#at,
      isClosed: this.#open.length === 0,
      text: blanked(this.#text.slice(this.#from, this.#at), { from: this.#from, comments: this.#comments }),
      commas: this.#commas,
    };
  }

  /** A quote within a word is an apostrophe. */
  get #isTextAllowed(): boolean {
    return "{[,:".includes(this.#last) || this.#last === '"' || this.#last === "'" ||
      spaceCodes.has(this.#text.charCodeAt(this.#at - 1));
  }

  #isComment(): boolean {
    const before = this.#text[this.#at - 1];
    if (!startsComment(this.#text, this.#at)) return false;
    // An address without quotes, and a colour.
    if (this.#text[this.#at] === "#") return this.#last !== ":";
    return before !== ":" || this.#text[this.#at + 1] === "*";
  }

  #skipComment(): void {
    const end = endOfComment(this.#text, this.#at);
    // The rest of a text whose first quote is missing.
    const comment = this.#text.slice(this.#at, end);
    const isLine = isLineStart(this.#text, this.#at);
    if (endsOtherText(comment) || (isLine && comment.includes('"'))) throw new Unhealed("unclear");
    this.#comments.push([this.#at, end]);
    this.#at = end;
  }

  #skipText(quote: string): void {
    this.#at = endOfText(this.#text, this.#at);
    this.#last = quote;
  }

  #structure(char: string): void {
    if (char === "{" || char === "[") this.#open.push(char === "{" ? "}" : "]");
    else if (char === "}" || char === "]") this.#close(char);
    else if (char === "," && this.#open.length === 1) this.#commas.push(this.#at - this.#from);
    if (this.#open.length > MOST_DEPTH) throw new Unhealed("too_deep");
    this.#last = char;
    this.#at++;
  }

  /** The end of a list within it may be missing. */
  #close(char: string): void {
    if (!this.#open.includes(char)) throw new Unhealed("unclear");
    while (this.#open.pop() !== char);
    this.isOver = this.#open.length === 0;
  }
}

/** Whether a comment seems to have the end of a text in it. */
const endsOtherText = (comment: string): boolean =>
  comment.split('"').length % 2 === 0 || comment.includes('\\"') || /["']\s*(?:[,:}\]]|$)/.test(comment);

/** Where a text in quotes ends, behind its last one; the end of everything for one that has none. */
function endOfText(text: string, from: number): number {
  const closing = closingQuotes(text[from]) ?? "";
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "\\") at++;
    else if (closing.includes(char) && endsText(text, at)) return at + 1;
  }
  return text.length;
}

interface Comments {
  readonly from: number;
  readonly comments: readonly (readonly [from: number, to: number])[];
}

/** The text with white space of the same length where its comments stood. */
function blanked(text: string, { from, comments }: Comments): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [begin, end] of comments) {
    pieces.push(text.slice(at, begin - from), " ".repeat(end - begin));
    at = end - from;
  }
  return pieces.join("") + text.slice(at);
}
