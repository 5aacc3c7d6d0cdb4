/** Regular expressions of POSIX with GNU's additions, as those of JavaScript. */

import { failure } from "./script_error.ts";

interface PatternForm {
  /** Extended, as with `-E`. */
  readonly isExtended: boolean;
  readonly flags: string;
}

const classes: ReadonlyMap<string, string> = new Map([
  ["alnum", "\\p{L}\\p{Nd}"],
  ["alpha", "\\p{L}"],
  ["blank", " \\t"],
  ["cntrl", "\\x00-\\x1f\\x7f"],
  ["digit", "0-9"],
  ["graph", "\\x21-\\x7e\\p{L}"],
  ["lower", "\\p{Ll}"],
  ["print", "\\x20-\\x7e\\p{L}"],
  ["punct", "!-\\/:-@\\[-`{-~"],
  ["space", "\\s"],
  ["upper", "\\p{Lu}"],
  ["xdigit", "0-9A-Fa-f"],
]);

/** Escapes that mean the same with and without `-E`. */
const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\\n"],
  ["t", "\\t"],
  ["r", "\\r"],
  ["f", "\\f"],
  ["v", "\\v"],
  ["w", "[\\p{L}\\p{Nd}_]"],
  ["W", "[^\\p{L}\\p{Nd}_]"],
  ["s", "\\s"],
  ["S", "\\S"],
  ["b", "\\b"],
  ["B", "\\B"],
  ["<", "\\b(?=\\w)"],
  [">", "\\b(?<=\\w)"],
  ["`", "(?<![\\s\\S])"],
  ["'", "(?![\\s\\S])"],
]);

const operators = "+?(){}|";
const literal = (char: string): string => /[\^$.*+?()[\]{}|\\/]/.test(char) ? `\\${char}` : char;

/** Reads one pattern from its beginning to its end. */
class PatternReader {
  readonly #source: string;
  readonly #isExtended: boolean;
  #at = 0;
  #out = "";
  #groups = 0;

  constructor(source: string, isExtended: boolean) {
    this.#source = source;
    this.#isExtended = isExtended;
  }

  read(): string {
    while (this.#at < this.#source.length) this.#next();
    return this.#out;
  }

  #next(): void {
    const char = this.#source.charAt(this.#at++);
    if (char === "\\") this.#escape();
    else if (char === "[") this.#out += this.#bracket();
    else if (char === "*") this.#out += this.#isAtStart ? "\\*" : this.#repeat("*");
    else if (char === "^") this.#out += this.#isExtended || this.#isAtStart ? "^" : "\\^";
    else if (char === "$") this.#out += this.#isExtended || this.#isAtEnd ? "$" : "\\$";
    else if (char === ".") this.#out += "[\\s\\S]";
    else if (operators.includes(char) && this.#isExtended) this.#operator(char);
    else this.#literal(char);
  }

  /** A character of the text; both halves of one that has two. */
  #literal(char: string): void {
    const whole = String.fromCodePoint(this.#source.codePointAt(this.#at - 1) ?? 0);
    if (whole.length === 2) this.#at++;
    this.#out += whole.length === 2 ? whole : literal(char);
  }

  #escape(): void {
    const char = this.#source.charAt(this.#at++);
    if (char === "") throw failure("Trailing backslash");
    if (/[1-9]/.test(char)) {
      if (Number(char) > this.#groups) throw failure("Invalid back reference");
      this.#out += `(?:\\${char})`;
    } else if (operators.includes(char) && !this.#isExtended) this.#operator(char);
    else if (char === "x" && /^[0-9a-fA-F]{2}/.test(this.#source.slice(this.#at))) this.#hexadecimal();
    else this.#out += escapes.get(char) ?? literal(char);
  }

  /** A character by its number, which stands for itself. */
  #hexadecimal(): void {
    this.#out += literal(
      String.fromCharCode(Number.parseInt(this.#source.slice(this.#at, this.#at + 2), 16)),
    );
    this.#at += 2;
  }

  #operator(char: string): void {
    if (char === "(") this.#groups++;
    if (char === "{") this.#out += this.#interval();
    else if (char === "}") this.#out += "\\}";
    else this.#out += char === "+" || char === "?" ? this.#repeat(char) : char;
  }

  #interval(): string {
    const end = this.#source.indexOf(this.#isExtended ? "}" : "\\}", this.#at);
    const found = /^(\d*)(,?)(\d*)$/.exec(this.#source.slice(this.#at, end));
    if (end < 0 || found === null) throw failure("Invalid content of \\{\\}");
    this.#at = end + (this.#isExtended ? 1 : 2);
    const [, least = "", comma = "", most = ""] = found;
    return this.#repeat(`{${least === "" ? "0" : least}${comma}${most}}`);
  }

  /** Several of them in a row are allowed. */
  #repeat(operator: string): string {
    if (!/[*+?}]$/.test(this.#out) || /\\[*+?}]$/.test(this.#out)) return operator;
    this.#out = `(?:${this.#out})`;
    return operator;
  }

  #bracket(): string {
    const { close, parts } = this.#bracketParts();
    this.#at = close;
    return parts;
  }

  #bracketParts() {
    const found = /^\^?\]?(?:\[:\w+:\]|\[\.[^\]]*\.\]|\[=[^\]]*=\]|[^\]])*\]/.exec(
      this.#source.slice(this.#at),
    );
    if (found === null) throw failure("unterminated address regex");
    const body = found[0].slice(0, -1);
    const isNegated = body.startsWith("^");
    const inner = (isNegated ? body.slice(1) : body).replaceAll(
      /\[:(\w+):\]|\[[.=]([^\]])[.=]\]|\\([ntrfv\]])|([\s\S])/g,
      (all: string, ...[name, single, escape, plain]: readonly (string | undefined)[]) => {
        if (name !== undefined) return classOf(name);
        if (escape !== undefined && escape !== "]") return `\\${escape}`;
        const char = single ?? plain ?? all;
        return char === "-" ? "-" : all === "\\]" ? "\\\\\\]" : char.replaceAll(/[\\[\]^&~|]/g, "\\$&");
      },
    );
    const hyphens = inner.replace(/^-/, "\\-").replace(/-$/, "\\-");
    return { close: this.#at + found[0].length, parts: `[${isNegated ? "^" : ""}${hyphens}]` };
  }

  get #isAtStart(): boolean {
    return this.#out === "" || /(?:^|[^\\])[(|]$/.test(this.#out) || (!this.#isExtended && this.#out === "^");
  }

  get #isAtEnd(): boolean {
    const rest = this.#source.slice(this.#at);
    return rest === "" || rest.startsWith("\\)") || rest.startsWith("\\|");
  }
}

function classOf(name: string): string {
  const found = classes.get(name);
  if (found === undefined) throw failure("Invalid character class name");
  return found;
}

/** GNU's words for the faults that it has words for. */
function wordsOf({ message }: SyntaxError, source: string): string {
  if (/Unterminated group/i.test(message)) return "Unmatched ( or \\(";
  if (/Unmatched '\)'/i.test(message)) return "Unmatched ) or \\)";
  return `Invalid regular expression: ${source}`;
}

/** Throws a ScriptError. */
export function toRegExp(source: string, { isExtended, flags }: PatternForm): RegExp {
  const pattern = new PatternReader(source, isExtended).read();
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw failure(wordsOf(error, source));
  }
}
