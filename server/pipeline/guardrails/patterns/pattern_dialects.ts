/**
 * Finds what other dialects of regular expressions write and JavaScript reads otherwise, or not at all: each with
 * what to write instead. JavaScript without the flag `u` takes most of it for plain letters, which nobody means.
 */

import { truncateStart } from "../../../../shared/util/text.ts";
import { delimiterFault } from "./pattern_delimiters.ts";

/** A pattern with what only the loose reading takes written out for the strict one. */
interface ReadPattern {
  readonly strict: string;
  /** Fault of the pattern, as the rest of a sentence; the first one, where there are several. */
  readonly fault: string | undefined;
}

const unknownTo = (construct: string, advice: string) =>
  `has ${construct}, which is not JavaScript's: ${advice}`;

/** By letter: what stands behind a backslash elsewhere, and what to write here. */
const escapeAdvice: ReadonlyMap<string, string> = new Map([
  ["A", "write ^ for the beginning of the text"],
  ["z", "write $ for the end of the text"],
  ["Z", "write $ for the end of the text"],
  ["G", "there is no place where the last match ended"],
  ["K", "the match cannot begin later than what is matched; match less"],
  ["Q", "write a backslash before each special character"],
  ["E", "write a backslash before each special character"],
  ["h", "write [ \\t] for white space within a line"],
  ["H", "write [^ \\t] for what is no white space within a line"],
  ["R", "write (?:\\r\\n|[\\n\\v\\f\\r\\u0085\\u2028\\u2029]) for the end of a line"],
  ["X", "write (?:\\P{M}\\p{M}*) for a character with its marks"],
  ["N", "write . for anything but the end of a line, or \\u{…} for a character by its number"],
  ["V", "write [^\\n\\v\\f\\r] for what ends no line"],
  ["C", "write [^] for any character"],
  ["e", "write \\x1b for the escape character"],
  ["a", "write \\x07 for the bell"],
  ["o", "write \\x and two hexadecimal digits, or \\u{…}"],
  ["g", "references to groups are not allowed"],
  ["y", "write \\b for the edge of a word"],
  ["Y", "write \\B for no edge of a word"],
  ["m", "write \\b for the edge of a word"],
  ["M", "write \\b for the edge of a word"],
  ["l", "write (?i:…) where letters may be of either case"],
  ["L", "write (?i:…) where letters may be of either case"],
  ["U", "write \\u{…} for a character by its number"],
]);

/** By sign, outside of classes: what a backslash makes of it in grep, sed, vi and Emacs. */
const signAdvice: readonly (readonly [form: RegExp, advice: string])[] = [
  [/^\\[<>]/, "write \\b for the edge of a word, or the sign without a backslash"],
  [/^\\`/, "write ^ for the beginning of the text, or ` without a backslash"],
  [/^\\'/, "write $ for the end of the text, or ' without a backslash"],
  [/^\\_[<>]/, "write \\b for the edge of a word, or _ without a backslash"],
  [/^\\\{\d+(?:,\d*)?\\\}/, "write { and } without a backslash to count, or [{] and [}] for braces"],
  [
    /^\\\((?:\\[^)]|[^()|\\])*\\\|(?:\\[^)]|[^()|\\])*\\\)/,
    "write ( and | and ) without a backslash, or [|] for the sign",
  ],
];

/** Groups by how they begin, the longest first. */
const groupAdvice: readonly (readonly [begin: RegExp, name: string, advice: string])[] = [
  [/^\(\?>/, "an atomic group", "write (?:…); the time is bounded without it"],
  [/^\(\?P</, "a named group of Python's", "write (?<name>…)"],
  [/^\(\?P=/, "a reference to a group", "references to groups are not allowed"],
  [/^\(\?(?:P>|R\)|&|[-+]?\d+\))/, "a call of a group", "write the group once more"],
  [/^\(\?'/, "a named group in quotes", "write (?<name>…)"],
  [/^\(\?#/, "a comment", "leave it out"],
  [/^\(\?\|/, "a group that resets numbers", "write (?:…)"],
  [/^\(\?\(/, "a condition", "write both cases with |"],
  [/^\(\?\^/, "flags that are reset", "write (?-i:…) and the like"],
  [
    /^\(\?[a-zA-Z-]*\)/,
    "flags for the rest of the pattern",
    "put what they hold for in a group, as in (?i:x)",
  ],
  [/^\(\?[ims-]*[^ims:\s<=!-][a-zA-Z-]*:/, "a flag", "only i, m and s are known, as in (?i:x)"],
  [/^\(\*/, "a verb", "leave it out"],
];

const posixClasses: Readonly<Record<string, string>> = {
  alpha: "\\p{L}",
  alnum: "\\p{L}\\p{N}",
  ascii: "\\x00-\\x7f",
  blank: " \\t",
  cntrl: "\\p{Cc}",
  digit: "\\d",
  lower: "\\p{Ll}",
  punct: "\\p{P}\\p{S}",
  space: "\\s",
  upper: "\\p{Lu}",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};

/** Properties that have another name elsewhere: those of scripts most of all. */
function propertyAdvice(name: string): string {
  const bare = name.replace(/^\^?(?:Is|In|is|in)?_?/, "");
  const known = [`Script=${bare}`, bare, `General_Category=${bare}`].find(isProperty);
  const sign = name.startsWith("^") ? "P" : "p";
  if (known !== undefined) return `write \\${sign}{${known}}`;
  return "there are \\p{L}, \\p{Lu}, \\p{N}, \\p{Script=Han} and so on";
}

function isProperty(name: string): boolean {
  try {
    return /^[\w=]+$/.test(name) && new RegExp(`\\p{${name}}`, "u").unicode;
  } catch {
    // There is no such property.
    return false;
  }
}

/** Escapes that mean the same in every reading; each is the whole of what stands behind the backslash. */
const escapes =
  /(?:[dDwWsSbBnrtfv]|c[A-Za-z]|0(?!\d)|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|u\{0*(?:10|[0-9A-Fa-f])?[0-9A-Fa-f]{1,4}\}|k<[^>]*>)/y;
const property = /[pP]\{([^}]*)\}/y;
/** Characters that may follow a backslash in the strict reading, apart from letters and digits. */
const syntax = /[$()*+./?[\\\]^{|}]/;

class DialectReader {
  readonly #pattern: string;
  #at = 0;
  #strict = "";
  #fault: string | undefined;
  /** Whether a class has begun that may be meant to have another one in it. */
  #mayNest = false;
  /** Whether a quantifier has just been read. */
  #isQuantified = false;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  read(): ReadPattern {
    while (this.#at < this.#pattern.length) this.#readOutside();
    return { strict: this.#strict, fault: this.#fault };
  }

  #refuse(fault: string): void {
    this.#fault ??= fault;
  }

  #take(length: number, written = this.#pattern.slice(this.#at, this.#at + length)): void {
    this.#strict += written;
    this.#at += length;
  }

  #rest(length: number): string {
    return this.#pattern.slice(this.#at, this.#at + length);
  }

  #readOutside(): void {
    const char = this.#pattern[this.#at] ?? "";
    const wasQuantified = this.#isQuantified;
    this.#isQuantified = false;
    if (char === "\\") return this.#readEscape(false);
    if (char === "[") return this.#readClass();
    if (char === "]") return this.#readBracket();
    if (char === "(") return this.#readGroup();
    if (char === "{" || char === "}") return this.#readBrace();
    if (char === "+" && wasQuantified) {
      this.#refuse(
        unknownTo("a possessive quantifier", "leave out the second +; the time is bounded without it"),
      );
    }
    this.#isQuantified = (char === "*" || char === "+" || char === "?") && !wasQuantified;
    this.#take(1);
  }

  #readGroup(): void {
    const begin = this.#rest(64);
    const found = groupAdvice.find(([form]) => form.test(begin));
    if (found !== undefined) this.#refuse(unknownTo(found[1], found[2]));
    this.#take(begin.startsWith("(?") ? 2 : 1);
  }

  #readBrace(): void {
    const counted = /^\{(?:\d+(?:,\d*)?)\}/.exec(this.#rest(64));
    if (counted !== null) {
      this.#isQuantified = true;
      return this.#take(counted[0].length);
    }
    const other = /^\{\s*(\d*)\s*(,?)\s*(\d*)\s*\}/.exec(this.#rest(64));
    if (other !== null && (other[1] || other[2])) {
      const [text, from = "", comma = "", to = ""] = other;
      this.#refuse(unknownTo(`the quantifier ${text}`, `write {${from || "0"}${comma}${to}}`));
    }
    this.#take(1, `\\${this.#rest(1)}`);
  }

  #readBracket(): void {
    if (this.#mayNest) {
      this.#refuse(
        "has a class within a class, or a bracket at the beginning of one, which is not JavaScript's: " +
          "list all characters in one class, and write \\[ and \\] for brackets",
      );
    }
    this.#take(1, "\\]");
  }

  #readClass(): void {
    const begin = this.#rest(3);
    if (begin.startsWith("[]")) {
      this.#refuse(
        "has the class [], which matches nothing: write \\] for a bracket, and [^] for any character",
      );
    }
    this.#mayNest ||= begin.startsWith("[]") || begin.startsWith("[^]");
    this.#take(begin.startsWith("[^") ? 2 : 1);
    while (this.#at < this.#pattern.length) {
      const char = this.#pattern[this.#at];
      if (char === "]") return this.#take(1);
      if (char === "\\") this.#readEscape(true);
      else this.#readMember();
    }
  }

  #readMember(): void {
    const rest = this.#rest(16);
    if (/^\[:[<>]:\]\]/.test(rest)) {
      this.#refuse(unknownTo(`the class [${rest.slice(0, 5)}]`, "write \\b for the edge of a word"));
    }
    const posix = /^\[?([:.=])(\^?)([a-z]+)\1\]/.exec(rest);
    const isPosix = posix !== null && (rest.startsWith("[") || this.#pattern[this.#at - 1] === "[");
    if (isPosix) {
      const name = posix[3] ?? "";
      const written = Object.hasOwn(posixClasses, name) ? posixClasses[name] : undefined;
      this.#refuse(unknownTo(`the class [${posix[1]}${name}${posix[1]}]`, `write [${written ?? "…"}]`));
    }
    if (/^(?:&&|--\[|~~|\|\|)/.test(rest)) {
      this.#refuse(unknownTo(`${rest.slice(0, 2)} in a class`, "list the characters that are meant"));
    }
    this.#mayNest ||= rest.startsWith("[");
    this.#take(1);
  }

  #readEscape(isInClass: boolean): void {
    const at = this.#at + 1;
    escapes.lastIndex = property.lastIndex = at;
    const [known] = escapes.exec(this.#pattern) ?? [];
    if (known !== undefined && !(isInClass && /^[Bk]/.test(known))) return this.#take(known.length + 1);
    const named = property.exec(this.#pattern);
    if (named !== null) {
      const [text, name = ""] = named;
      if (!isProperty(name)) this.#refuse(unknownTo(`the property \\${text}`, propertyAdvice(name)));
      return this.#take(text.length + 1);
    }
    if (!isInClass) this.#refuseSign();
    const next = String.fromCodePoint(this.#pattern.codePointAt(at) ?? 0);
    if (at >= this.#pattern.length) this.#refuse("ends in a backslash: write \\\\ for one");
    else if (/[A-Za-z]/.test(next)) this.#refuse(letterFault(next, this.#pattern.slice(at, at + 12)));
    else if (/\d/.test(next)) this.#refuse(digitFault(next, isInClass));
    else if (!syntax.test(next) && !(isInClass && next === "-")) return this.#take(1 + next.length, next);
    this.#take(1 + next.length);
  }

  #refuseSign(): void {
    const begin = this.#rest(LONGEST_SIGN);
    for (const [form, advice] of signAdvice) {
      const found = form.exec(begin);
      if (found !== null) this.#refuse(unknownTo(truncateStart(found[0], 30), advice));
    }
  }
}

/** How far an escaped group of grep's is looked for. */
const LONGEST_SIGN = 64;

function letterFault(letter: string, rest: string): string {
  const [, bare] = /^[pP]([A-Z])/.exec(rest) ?? [];
  if (bare !== undefined) return unknownTo(`the property \\${letter}${bare}`, `write \\${letter}{${bare}}`);
  if (/^[xuc]/.test(rest)) {
    const [, number] = /^[xu]\{([0-9A-Fa-f]+)\}/.exec(rest) ?? [];
    const advice = number === undefined ? `write ${letter} for the letter` : `write \\u{${number}}`;
    return unknownTo(`\\${letter} without a character's number`, advice);
  }
  if (/^k['{]/.test(rest)) return unknownTo(`\\${letter}`, "references to groups are not allowed");
  return unknownTo(`\\${letter}`, escapeAdvice.get(letter) ?? `write ${letter} for the letter`);
}

const digitFault = (digit: string, isInClass: boolean): string =>
  digit === "0" || isInClass
    ? unknownTo(`the octal number \\${digit}`, "write \\x and two hexadecimal digits")
    : "has a reference to a group, which is not allowed";

export function readDialect(pattern: string): ReadPattern {
  const { strict, fault } = new DialectReader(pattern).read();
  return { strict, fault: delimiterFault(pattern) ?? fault };
}
