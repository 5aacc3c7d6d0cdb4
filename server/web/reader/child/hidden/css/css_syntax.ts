/** Style sheets by the algorithms of CSS Syntax: declarations, rules and at-rules, with the recovery from errors. */

import { ident, tokenize, tokenNames } from "css-tree";
import { closers, isBlank } from "./css_tokens.ts";

export interface CssDeclaration {
  readonly type: "declaration";
  /** As it is written, but for escapes. */
  readonly name: string;
  readonly value: string;
  readonly isImportant: boolean;
}

export interface CssRule {
  readonly type: "rule";
  readonly prelude: string;
  readonly items: readonly CssItem[];
}

export interface CssAtRule {
  readonly type: "at_rule";
  /** In small letters. */
  readonly name: string;
  readonly prelude: string;
  /** Undefined where it ends with a semicolon. */
  readonly items: readonly CssItem[] | undefined;
}

export type CssItem = CssDeclaration | CssRule | CssAtRule;

/** Parses a style sheet. */
export const parseSheet = (css: string): readonly CssItem[] => new Parser(css).sheet();

/** Parses a `style` attribute: declarations, and no rule. */
export const parseAttribute = (css: string): readonly CssDeclaration[] =>
  new Parser(css).contents(0).filter((item) => item.type === "declaration");

/** Blocks within blocks. No page that people wrote has so many. */
const MAX_DEPTH = 500;

interface Span {
  readonly from: number;
  /** The token behind it. */
  readonly to: number;
}

class Parser {
  readonly #css: string;
  readonly #types: string[] = [];
  readonly #starts: number[] = [];
  /** Positions by each token that opens a block: of the one that closes it, or of the end. */
  readonly #ends = new Map<number, number>();
  #at = 0;

  constructor(css: string) {
    this.#css = css;
    tokenize(css, (type, start) => {
      this.#types.push(tokenNames[type] ?? "");
      this.#starts.push(start);
    });
    this.#matchBlocks();
  }

  sheet(): readonly CssItem[] {
    const items: CssItem[] = [];
    while (this.#at < this.#types.length) {
      const type = this.#types[this.#at];
      if (isBlank(type) || type === "CDO-token" || type === "CDC-token") this.#at++;
      else this.#push(items, type === "at-keyword-token" ? this.#atRule(0) : this.#rule({ depth: 0 }));
    }
    return items;
  }

  /** Parses a block, up to its end. */
  contents(depth: number): readonly CssItem[] {
    const items: CssItem[] = [];
    for (let type = this.#types[this.#at]; type !== undefined; type = this.#types[this.#at]) {
      if (type === "}-token" && depth > 0) break;
      if (isBlank(type) || type === "semicolon-token" || type === "}-token") this.#at++;
      else this.#push(items, this.#content(type, depth));
    }
    return items;
  }

  #push(items: CssItem[], item: CssItem | undefined): void {
    if (item !== undefined) items.push(item);
  }

  #content(type: string, depth: number): CssItem | undefined {
    if (type === "at-keyword-token") return this.#atRule(depth);
    const start = this.#at;
    const declaration = this.#declaration(depth);
    if (declaration !== undefined) return declaration;
    this.#at = start;
    return this.#rule({ depth, until: "semicolon-token" });
  }

  #declaration(depth: number): CssDeclaration | undefined {
    const name = this.#types[this.#at] === "ident-token"
      ? ident.decode(this.#text(this.#at, this.#at + 1))
      : undefined;
    this.#at++;
    this.#skipBlanks();
    if (name === undefined || this.#types[this.#at] !== "colon-token") return undefined;
    this.#at++;
    const { from, to } = this.#values(["semicolon-token"], depth);
    const isCustom = name.startsWith("--");
    // A block belongs to a rule: `a:hover { … }` looks like a declaration.
    if (!isCustom && this.#hasBlock({ from, to })) return undefined;
    return { type: "declaration", name, ...this.#valueOf({ from, to }) };
  }

  /** Undefined for one without a block. */
  #rule({ depth, until }: { readonly depth: number; readonly until?: string }): CssRule | undefined {
    const { from, to } = this.#values(["{-token", ...until === undefined ? [] : [until]], depth);
    if (this.#types[to] !== "{-token") return undefined;
    return { type: "rule", prelude: this.#text(from, to), items: this.#block(depth) };
  }

  #atRule(depth: number): CssAtRule {
    const name = ident.decode(this.#text(this.#at, this.#at + 1).slice(1)).toLowerCase();
    this.#at++;
    const { from, to } = this.#values(["semicolon-token", "{-token"], depth);
    const prelude = this.#text(from, to);
    if (this.#types[to] === "{-token") return { type: "at_rule", name, prelude, items: this.#block(depth) };
    if (this.#types[to] === "semicolon-token") this.#at++;
    return { type: "at_rule", name, prelude, items: undefined };
  }

  /** At its opening brace. */
  #block(depth: number): readonly CssItem[] {
    const end = this.#ends.get(this.#at) ?? this.#types.length;
    this.#at++;
    const items = depth < MAX_DEPTH ? this.contents(depth + 1) : [];
    this.#at = end + 1;
    return items;
  }

  /** Whole values up to one of these tokens, or to the end of the block around them. */
  #values(until: readonly string[], depth: number): Span {
    const from = this.#at;
    for (let type = this.#types[this.#at]; type !== undefined; type = this.#types[this.#at]) {
      if (until.includes(type) || (type === "}-token" && depth > 0)) break;
      this.#at = (this.#ends.get(this.#at) ?? this.#at) + 1;
    }
    return { from, to: Math.min(this.#at, this.#types.length) };
  }

  #hasBlock({ from, to }: Span): boolean {
    for (let at = from; at < to; at = (this.#ends.get(at) ?? at) + 1) {
      if (this.#types[at] === "{-token") return true;
    }
    return false;
  }

  #valueOf({ from, to }: Span): Pick<CssDeclaration, "value" | "isImportant"> {
    const text = this.#text(from, to);
    const important = /\s*!\s*important$/i.exec(text);
    return important === null
      ? { value: text, isImportant: false }
      : { value: text.slice(0, important.index), isImportant: true };
  }

  #skipBlanks(): void {
    while (isBlank(this.#types[this.#at])) this.#at++;
  }

  /** A comment parts what stands beside it. */
  #text(from: number, to: number): string {
    let text = "";
    for (let at = from; at < to; at++) {
      text += isBlank(this.#types[at]) ? " " : this.#css.slice(this.#starts[at], this.#starts[at + 1]);
    }
    return text.trim();
  }

  #matchBlocks(): void {
    const open: number[] = [];
    for (const [at, type] of this.#types.entries()) {
      const opened = open.at(-1);
      if (closers.has(type)) open.push(at);
      else if (opened !== undefined && closers.get(this.#types[opened] ?? "") === type) {
        this.#ends.set(opened, at);
        open.pop();
      }
    }
    for (const at of open) this.#ends.set(at, this.#types.length);
  }
}
