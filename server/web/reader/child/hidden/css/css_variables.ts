/** Substitutes parts of a value that stand for something else: variables, attributes, and facts of the device. */

import { argumentsOf, type CssTokens, endOf, splitAt, textOf, tokensOf } from "./css_tokens.ts";

export interface Substitutes {
  readonly variable: (name: string) => string | undefined;
  readonly attribute: (name: string) => string | null;
  /** How often what was put in had to be looked at again. */
  readonly depth?: number;
}

const FUNCTIONS = /\b(?:var|env|attr)\(/i;
/** Functions within functions, and characters of what comes of them. */
const MAX_DEPTH = 16;
const MAX_LENGTH = 20_000;

export const hasSubstitutes = (value: string): boolean => FUNCTIONS.test(value);

/** Undefined where something has no value: the declaration says nothing then. */
export function substituted(value: string, substitutes: Substitutes): string | undefined {
  if (!hasSubstitutes(value)) return value;
  const { depth = 0 } = substitutes;
  if (depth > MAX_DEPTH || value.length > MAX_LENGTH) return undefined;
  const tokens = tokensOf(value);
  let result = "";
  for (let at = 0; at < tokens.length;) {
    const { type = "", text = "" } = tokens[at] ?? {};
    const isKnown = type === "function-token" && FUNCTIONS.test(text);
    const end = isKnown ? endOf(tokens, at) : at + 1;
    const own = isKnown ? valueOf(text.toLowerCase(), argumentsOf(tokens, at), substitutes) : text;
    if (own === undefined) return undefined;
    const whole = isKnown ? substituted(own, { ...substitutes, depth: depth + 1 }) : own;
    if (whole === undefined || result.length > MAX_LENGTH) return undefined;
    // What stands beside it stays apart.
    result += isKnown ? ` ${whole} ` : whole;
    at = end;
  }
  return result.trim();
}

function valueOf(
  ...[name, list, { variable, attribute }]: readonly [string, CssTokens, Substitutes]
): string | undefined {
  const [first = [], ...rest] = splitAt(list, "comma-token");
  const fallback = rest.length === 0 ? undefined : rest.map(textOf).join(",");
  if (name === "var(") return variable(textOf(first)) ?? fallback;
  if (name === "env(") return /^safe-area-inset|^keyboard-inset/i.test(textOf(first)) ? "0px" : fallback;
  const [own, , kind] = first;
  const text = attribute(own?.text ?? "");
  if (text === null || hasSubstitutes(text)) return fallback;
  const unit = kind?.type === "ident-token" ? kind.text.replace(/^number$/i, "") : kind?.text ?? "";
  return /^[a-z]*$|^%$/i.test(unit) ? `${text.trim()}${unit}` : text;
}
