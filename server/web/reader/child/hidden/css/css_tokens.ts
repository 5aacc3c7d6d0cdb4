/** Tokens of a part of a style sheet, without comments and the blanks around them. */

import { tokenize, tokenNames } from "css-tree";

interface CssToken {
  readonly type: string;
  readonly text: string;
}

export type CssTokens = readonly CssToken[];

export const closers: ReadonlyMap<string, string> = new Map([
  ["{-token", "}-token"],
  ["(-token", ")-token"],
  ["[-token", "]-token"],
  ["function-token", ")-token"],
]);

export const isBlank = (type: string | undefined): boolean =>
  type === "whitespace-token" || type === "comment-token";

export function tokensOf(css: string): CssTokens {
  const tokens: CssToken[] = [];
  tokenize(css, (type, start, end) => {
    const name = tokenNames[type] ?? "";
    if (name !== "comment-token") tokens.push({ type: name, text: css.slice(start, end) });
  });
  return trimmed(tokens);
}

export function trimmed(tokens: CssTokens): CssTokens {
  let from = 0;
  let to = tokens.length;
  while (from < to && isBlank(tokens[from]?.type)) from++;
  while (to > from && isBlank(tokens[to - 1]?.type)) to--;
  return tokens.slice(from, to);
}

export const textOf = (tokens: CssTokens): string => tokens.map(({ text }) => text).join("");

/** The token behind the block or function that one opens; the next one for any other. */
export function endOf(tokens: CssTokens, from: number): number {
  const open: string[] = [];
  for (let at = from; at < tokens.length; at++) {
    const type = tokens[at]?.type ?? "";
    const closer = closers.get(type);
    if (closer !== undefined) open.push(closer);
    else if (type === open.at(-1)) open.pop();
    if (open.length === 0) return at + 1;
  }
  return tokens.length;
}

/** Lists the tokens within a function or a block. */
export function argumentsOf(tokens: CssTokens, from: number): CssTokens {
  const end = endOf(tokens, from);
  const isClosed = closers.get(tokens[from]?.type ?? "") === tokens[end - 1]?.type && end - 1 > from;
  return trimmed(tokens.slice(from + 1, isClosed ? end - 1 : end));
}

/** Parts between tokens of a type that stand in no block. */
export function splitAt(tokens: CssTokens, type: string): readonly CssTokens[] {
  const parts: CssTokens[] = [];
  let start = 0;
  for (let at = 0; at < tokens.length; at = endOf(tokens, at)) {
    if (tokens[at]?.type !== type) continue;
    parts.push(trimmed(tokens.slice(start, at)));
    start = at + 1;
  }
  return [...parts, trimmed(tokens.slice(start))];
}

/** Blocks and functions within each other, at most. */
export function nestingOf(tokens: CssTokens): number {
  let depth = 0;
  let most = 0;
  for (const { type } of tokens) {
    if (closers.has(type)) depth++;
    else if (/^[\])}]-token$/.test(type)) depth = Math.max(0, depth - 1);
    most = Math.max(most, depth);
  }
  return most;
}
