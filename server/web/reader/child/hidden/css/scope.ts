/** `@scope (from) to (limit)`: which elements its rules may mean. */

import type { Matcher } from "../combinators.ts";
import { argumentsOf, endOf, isBlank, tokensOf, trimmed } from "./css_tokens.ts";
import { parseForgiving } from "../selector.ts";
import type { Selector } from "../compiled_selector.ts";

export interface Scope {
  readonly root: Matcher;
  /** Whether an element is below a root, and not below a limit within that. */
  readonly includes: Matcher;
}

/** Undefined for what is no scope. */
export function parseScope(prelude: string): Scope | undefined {
  const tokens = tokensOf(prelude);
  const hasRoot = tokens[0]?.type === "(-token";
  const rootEnd = hasRoot ? endOf(tokens, 0) : 0;
  const rest = trimmed(tokens.slice(rootEnd));
  const limitStart = rest.findIndex(({ type }) => type === "(-token");
  const isWord = ({ text }: { readonly text: string }) => text.toLowerCase() === "to";
  if (rest.length > 0 && (limitStart === -1 || !rest.slice(0, limitStart).some(isWord))) return undefined;
  if (rest.slice(0, Math.max(0, limitStart)).some((token) => !isWord(token) && !isBlank(token.type))) {
    return undefined;
  }
  const roots = hasRoot ? parseForgiving(argumentsOf(tokens, 0), {}) : [];
  // Without a root it is the element around the sheet, which may be any.
  const root: Matcher = hasRoot ? (element) => matchesAny(roots, element) : () => true;
  const limits = limitStart === -1
    ? []
    : parseForgiving(argumentsOf(rest, limitStart), { outer: { matches: root, specificity: 0 } });
  return { root, includes: (element) => isWithin(element, { root, limits }) };
}

const matchesAny = (selectors: readonly Selector[], element: Element): boolean =>
  selectors.some(({ matches }) => matches(element));

function isWithin(
  element: Element,
  { root, limits }: { readonly root: Matcher; readonly limits: readonly Selector[] },
): boolean {
  for (let one: Element | null = element; one !== null; one = one.parentElement) {
    if (root(one)) return true;
    if (matchesAny(limits, one)) return false;
  }
  return false;
}
