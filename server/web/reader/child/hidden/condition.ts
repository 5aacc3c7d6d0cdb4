/** Conditions of at-rules: `not`, `and`, `or` and parentheses around what each kind of them tests. */

import { argumentsOf, type CssTokens, endOf, isBlank, textOf, tokensOf } from "./css/css_tokens.ts";

/** Undefined: nobody knows. */
export type Truth = boolean | undefined;

/** Tests what stands in parentheses, or a function with its parentheses. */
type ConditionTest = (tokens: CssTokens, name: string | undefined) => Truth;

const MAX_DEPTH = 50;

export const conditionHolds = (text: string, test: ConditionTest): Truth =>
  judge(tokensOf(text), { test, depth: 0 });

interface Judging {
  readonly test: ConditionTest;
  readonly depth: number;
}

/** Undefined too for what is no condition: unknown as those of the future are. */
function judge(tokens: CssTokens, { test, depth }: Judging): Truth {
  if (depth > MAX_DEPTH) return undefined;
  const parts = partsOf(tokens);
  const words = parts.filter((part) => part.length === 1).map(([part]) => part?.text.toLowerCase());
  const truths = parts.filter((part) => part.length > 1 || part[0]?.type === "(-token")
    .map((part) => judgePart(part, { test, depth }));
  const [first] = words;
  if (first === "not") {
    return parts.length === 2 && truths.length === 1 ? inverse(truths[0]) : undefined;
  }
  if (truths.length !== words.length + 1 || words.some((word) => word !== first)) return undefined;
  if (first === undefined) return truths[0];
  if (first !== "and" && first !== "or") return undefined;
  const decisive = first === "or";
  if (truths.includes(decisive)) return decisive;
  return truths.includes(undefined) ? undefined : !decisive;
}

const inverse = (truth: Truth): Truth => truth === undefined ? undefined : !truth;

function judgePart(part: CssTokens, { test, depth }: Judging): Truth {
  const inner = argumentsOf(part, 0);
  if (part[0]?.type === "function-token") return test(inner, part[0].text.slice(0, -1).toLowerCase());
  const [start] = inner;
  const isGroup = start?.type === "(-token" || start?.type === "function-token" ||
    (start?.text.toLowerCase() === "not" && inner.length > 1);
  return isGroup ? judge(inner, { test, depth: depth + 1 }) : test(inner, undefined);
}

/** Words, blocks and functions. */
function partsOf(tokens: CssTokens): readonly CssTokens[] {
  const parts: CssTokens[] = [];
  for (let at = 0; at < tokens.length;) {
    const end = endOf(tokens, at);
    if (!isBlank(tokens[at]?.type)) parts.push(tokens.slice(at, end));
    at = end;
  }
  return parts;
}

/** `property: value`, or a name alone. */
export function featureOf(tokens: CssTokens): { readonly name: string; readonly value: string | undefined } {
  const [name = "", value] = textOf(tokens).split(/:([^]*)/);
  return { name: name.trim().toLowerCase(), value: value?.trim() };
}
