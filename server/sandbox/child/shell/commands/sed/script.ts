/** Reads a script of `sed` into commands. */

import { UsageError } from "../options.ts";
import { toRegExp } from "./patterns.ts";
import { failure, ScriptError } from "./script_error.ts";

export type Address =
  | { readonly type: "line"; readonly line: number }
  | { readonly type: "last" }
  | { readonly type: "step"; readonly first: number; readonly step: number }
  | { readonly type: "match"; readonly pattern: RegExp | undefined };

export type AddressEnd =
  | Address
  | { readonly type: "plus"; readonly count: number }
  | { readonly type: "multiple"; readonly of: number };

export interface Substitution {
  /** Undefined: the last one that was used. */
  readonly pattern: RegExp | undefined;
  readonly replacement: string;
  /** The first match that is replaced. */
  readonly from: number;
  readonly isGlobal: boolean;
  readonly prints: boolean;
  readonly file: string | undefined;
}

export interface SedCommand {
  readonly name: string;
  readonly start: Address | undefined;
  readonly end: AddressEnd | undefined;
  readonly isNegated: boolean;
  /** Text, label, file name or number. */
  readonly text: string;
  readonly substitution: Substitution | undefined;
  readonly translation: ReadonlyMap<string, string> | undefined;
  /** The end of the block that `{` begins. */
  blockEnd: number;
}

const withoutText = "=dDgGhHlnNpPxFz}{";
const withLabel = ":btT";
const withText = "aic";
const withFile = "rw";
const withNumber = "qQ";

export class ScriptReader {
  readonly #source: string;
  readonly #isExtended: boolean;
  readonly #commands: SedCommand[] = [];
  readonly #blocks: SedCommand[] = [];
  #at = 0;

  constructor(source: string, isExtended: boolean) {
    this.#source = source;
    this.#isExtended = isExtended;
  }

  /** Throws a UsageError, which says how far the script could be read. */
  read(): readonly SedCommand[] {
    try {
      return this.#read();
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      const at = this.#blocks.length > 0 && this.#isRead ? 0 : Math.min(this.#at, this.#source.length);
      throw new UsageError(`-e expression #1, char ${at}: ${error.message}`);
    }
  }

  get #isRead(): boolean {
    return this.#at >= this.#source.length;
  }

  #read(): readonly SedCommand[] {
    for (;;) {
      this.#skip(/[\s;]*/y);
      if (this.#at >= this.#source.length) break;
      if (this.#peek() === "#") this.#skip(/[^\n]*/y);
      else this.#command();
    }
    if (this.#blocks.length > 0) throw failure("unmatched `{'");
    return this.#commands;
  }

  #command(): void {
    const start = this.#address();
    this.#skip(/ */y);
    const end = start !== undefined && this.#take(",") ? this.#addressEnd() : undefined;
    this.#skip(/ */y);
    const isNegated = this.#take("!");
    this.#skip(/[ !]*/y);
    const name = this.#source.charAt(this.#at++);
    const command = { name, start, end, isNegated, ...this.#rest(name), blockEnd: -1 };
    if (name === "}") {
      const block = this.#blocks.pop();
      if (block === undefined) throw failure("unexpected `}'");
      block.blockEnd = this.#commands.length;
      return;
    }
    if (name === "{") this.#blocks.push(command);
    this.#commands.push(command);
  }

  #rest(name: string): Pick<SedCommand, "text" | "substitution" | "translation"> {
    const none = { text: "", substitution: undefined, translation: undefined };
    if (name === "") throw failure("missing command");
    if (name === "s") return { ...none, substitution: this.#substitution() };
    if (name === "y") return { ...none, translation: this.#translation() };
    if (withoutText.includes(name)) return none;
    this.#skip(/[ \t]*/y);
    if (withText.includes(name)) return { ...none, text: this.#text() };
    if (withFile.includes(name)) return { ...none, text: this.#skip(/[^\n]*/y) };
    if (withNumber.includes(name)) return { ...none, text: this.#skip(/\d*/y) };
    if (withLabel.includes(name)) {
      return { ...none, text: this.#skip(name === ":" ? /[^\n;]*/y : /[^\n;}]*/y).trim() };
    }
    if ("eRW".includes(name)) throw failure(`the command \`${name}' is not there`);
    throw failure(`unknown command: \`${name}'`);
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#source) ?? [];
    this.#at += found.length;
    return found;
  }

  #address(): Address | undefined {
    if (this.#take("$")) return { type: "last" };
    const digits = this.#skip(/\d+/y);
    if (digits !== "") {
      const step = this.#take("~") ? this.#skip(/\d+/y) : undefined;
      if (step !== undefined) return { type: "step", first: Number(digits), step: Number(step) };
      return { type: "line", line: Number(digits) };
    }
    const isOther = this.#peek() === "\\";
    if (this.#peek() !== "/" && !isOther) return undefined;
    if (isOther) this.#at++;
    const delimiter = this.#source.charAt(this.#at++);
    const source = this.#until(delimiter, { isPattern: true, what: "address regex" });
    const flags = this.#skip(/[IM]*/y);
    return { type: "match", pattern: this.#pattern(source, flags) };
  }

  #addressEnd(): AddressEnd {
    this.#skip(/ */y);
    if (this.#take("+")) return { type: "plus", count: Number(this.#skip(/\d+/y)) };
    if (this.#take("~")) return { type: "multiple", of: Number(this.#skip(/\d+/y)) };
    const address = this.#address();
    if (address === undefined) throw failure("unexpected `,'");
    return address;
  }

  /** Undefined for an empty one: the last that was used. */
  #pattern(source: string, flags: string): RegExp | undefined {
    if (source === "") return undefined;
    const more = `${/i/i.test(flags) ? "i" : ""}${/m/i.test(flags) ? "m" : ""}`;
    return toRegExp(source, { isExtended: this.#isExtended, flags: `gu${more}` });
  }

  /** Reads to the delimiter, which may be escaped. */
  #until(
    delimiter: string,
    { isPattern, what = "`s' command" }: { readonly isPattern: boolean; readonly what?: string },
  ): string {
    let text = "";
    for (let inBracket = false;;) {
      const char = this.#source.charAt(this.#at++);
      if (char === "") throw failure(`unterminated ${what}`);
      if (char === delimiter && !inBracket) return text;
      if (isPattern && char === "[" && !inBracket) {
        inBracket = true;
        text += char + this.#skip(/\^?\]?/y);
        continue;
      }
      if (inBracket && char === "[") text += char + this.#skip(/:\w+:\]/y);
      else if (char === "\\" && !inBracket) text += this.#escaped(delimiter);
      else text += char;
      if (char === "]") inBracket = false;
    }
  }

  #escaped(delimiter: string): string {
    const next = this.#source.charAt(this.#at++);
    return next === delimiter && delimiter !== "&" && !/[\w&]/.test(next)
      ? escapedDelimiter(next)
      : `\\${next}`;
  }

  #substitution(): Substitution {
    const delimiter = this.#source.charAt(this.#at++);
    if (/[\n\\]/.test(delimiter) || delimiter === "") throw failure("unterminated `s' command");
    const source = this.#until(delimiter, { isPattern: true });
    const replacement = this.#until(delimiter, { isPattern: false });
    const flags = this.#skip(/[gpimIMe\d]*/y);
    if (flags.includes("e")) throw failure("the flag `e' is not there");
    const file = this.#take("w") ? this.#skip(/[^\n]*/y).trim() : undefined;
    this.#endOfCommand();
    const pattern = this.#pattern(source, flags);
    this.#requireGroups(pattern, replacement);
    const number = /\d+/.exec(flags)?.[0];
    if (number === "0") throw failure("number option to `s' command may not be zero");
    return {
      pattern,
      replacement,
      from: Number(number ?? 1),
      isGlobal: flags.includes("g"),
      prints: flags.includes("p"),
      file,
    };
  }

  /** Groups that the text names have to be there. */
  #requireGroups(pattern: RegExp | undefined, replacement: string): void {
    if (pattern === undefined) return;
    const most = (new RegExp(`${pattern.source}|`, pattern.flags).exec("")?.length ?? 1) - 1;
    for (const [, digit] of replacement.matchAll(/\\(?:([1-9])|[\s\S])/g)) {
      if (Number(digit) > most) throw failure(`invalid reference \\${digit} on \`s' command's RHS`);
    }
  }

  #endOfCommand(): void {
    this.#skip(/[ \t]*/y);
    if (/^(?:[;\n}#]|$)/.test(this.#peek())) return;
    this.#at++;
    throw failure("unknown option to `s'");
  }

  #translation(): ReadonlyMap<string, string> {
    const delimiter = this.#source.charAt(this.#at++);
    const [from, to] = [1, 2].map(() => {
      const text = this.#until(delimiter, { isPattern: false });
      return [...text.replaceAll(/\\([n\\])/g, (_all, char: string) => char === "n" ? "\n" : char)];
    });
    if (from?.length !== to?.length) throw failure("strings for `y' command are different lengths");
    return new Map((from ?? []).map((char, at) => [char, to?.[at] ?? ""]));
  }

  /** One line, or those that a backslash goes on with. */
  #text(): string {
    if (this.#peek() === "\\") {
      this.#at++;
      this.#skip(/[ \t]*\n/y);
    }
    const text = this.#skip(/(?:\\[\s\S]|[^\\\n])*/y);
    if (text === "" && this.#at >= this.#source.length) throw failure("expected \\ after `a', `c' or `i'");
    return text.replaceAll(/\\([\s\S])/g, "$1");
  }
}

/** In a pattern, a delimiter that is escaped stands for itself, or for what it means as an operator elsewhere. */
const escapedDelimiter = (delimiter: string): string =>
  /[.*[\]^$]/.test(delimiter) ? `\\${delimiter}` : delimiter;
