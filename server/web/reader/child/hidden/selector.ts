/** Selectors as functions, by the grammar of the standard: an invalid one makes the rule invalid. */

import { CLASS, type Part, type Selector, type SelectorContext } from "./compiled_selector.ts";
import { ident } from "css-tree";
import { attributeMatcher } from "./attribute_selector.ts";
import { combined, type Matcher } from "./combinators.ts";
import {
  argumentsOf,
  type CssTokens,
  endOf,
  isBlank,
  nestingOf,
  splitAt,
  tokensOf,
  trimmed,
} from "./css/css_tokens.ts";
import { compilePseudoClass, isPseudoElement, type SelectorParsers } from "./pseudo_class.ts";

const ID = 1_000_000;
/** Lists within lists. */
const MAX_NESTING = 100;

/** Undefined for a list that is invalid. */
export function parseSelectors(
  text: string,
  context: SelectorContext = {},
): readonly Selector[] | undefined {
  const tokens = tokensOf(text);
  return nestingOf(tokens) > MAX_NESTING ? undefined : parseList(tokens, context);
}

export function parseList(tokens: CssTokens, context: SelectorContext): readonly Selector[] | undefined {
  const list = splitAt(tokens, "comma-token").map((part) => parseOne(part, context));
  const valid = list.filter((one) => one !== undefined);
  return valid.length === list.length ? valid : undefined;
}

/** Parses a list that forgives what is invalid in it. */
export const parseForgiving = (tokens: CssTokens, context: SelectorContext): readonly Selector[] =>
  splitAt(tokens, "comma-token").flatMap((part) => parseOne(part, context) ?? []);

/** A selector that begins at an element, as those of `:has()`. */
function parseRelative(tokens: CssTokens, anchor: Part): Selector | undefined {
  return parseComplex(tokens, { context: { outer: anchor }, first: anchor });
}

function parseOne(tokens: CssTokens, context: SelectorContext): Selector | undefined {
  const { outer, isNested = false } = context;
  const isRelative = combinatorOf(tokens[0]?.text) !== undefined || !tokens.some(isAmpersand);
  const selector = parseComplex(tokens, { context, first: isNested && isRelative ? outer : undefined });
  const { includes } = context;
  if (selector === undefined || includes === undefined) return selector;
  const { matches } = selector;
  return { ...selector, matches: (element, anchor) => includes(element) && matches(element, anchor) };
}

const isAmpersand = ({ type, text }: CssTokens[number]): boolean => type === "delim-token" && text === "&";

const combinatorOf = (text: string | undefined): string | undefined =>
  text === ">" || text === "+" || text === "~" ? text : undefined;

interface ComplexOptions {
  readonly context: SelectorContext;
  /** Part with which the selector begins, unwritten. */
  readonly first: Part | undefined;
}

function parseComplex(tokens: CssTokens, { context, first }: ComplexOptions): Selector | undefined {
  let whole: Part | undefined = first;
  let combinator: string | undefined = first === undefined ? undefined : " ";
  for (let at = 0; at < tokens.length;) {
    const step = combinatorAt(tokens, at);
    if (step !== undefined) {
      const isFirst = at === 0;
      if (whole === undefined || (combinator !== undefined && !isFirst)) return undefined;
      combinator = step.combinator;
      at = step.to;
      continue;
    }
    const to = compoundEnd(tokens, at);
    const compound = parseCompound(tokens.slice(at, to), context);
    if (compound === undefined) return undefined;
    whole = whole === undefined ? compound : {
      matches: combined(combinator ?? " ", { left: whole.matches, right: compound.matches }),
      specificity: whole.specificity + compound.specificity,
      key: compound.key,
    };
    combinator = undefined;
    at = to;
  }
  if (whole === undefined || combinator !== undefined) return undefined;
  return { ...whole, key: whole.key ?? "*" };
}

/** Blanks, with a sign among them or not. */
function combinatorAt(tokens: CssTokens, from: number) {
  let to = from;
  while (isBlank(tokens[to]?.type)) to++;
  const sign = combinatorOf(tokens[to]?.text);
  if (sign === undefined) return to === from ? undefined : { combinator: " ", to };
  to++;
  while (isBlank(tokens[to]?.type)) to++;
  return { combinator: sign, to };
}

function compoundEnd(tokens: CssTokens, from: number): number {
  let at = from;
  while (at < tokens.length && combinatorAt(tokens, at) === undefined) at = endOf(tokens, at);
  return at;
}

function parseCompound(tokens: CssTokens, context: SelectorContext): Part | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < tokens.length;) {
    const found = parseSimple(tokens, { at, context });
    if (found === undefined) return undefined;
    parts.push(found.part);
    at = found.to;
  }
  const keys = parts.flatMap(({ key }) => key ?? []);
  return parts.length === 0 ? undefined : {
    matches: (element, anchor) => parts.every((part) => part.matches(element, anchor)),
    specificity: parts.reduce((sum, part) => sum + part.specificity, 0),
    key: keys.find((one) => one.startsWith("#")) ?? keys.find((one) => one.startsWith(".")) ?? keys[0],
  };
}

interface Place {
  readonly at: number;
  readonly context: SelectorContext;
}

function parseSimple(
  tokens: CssTokens,
  { at, context }: Place,
): { readonly part: Part; readonly to: number } | undefined {
  const { type = "", text = "" } = tokens[at] ?? {};
  const next = tokens[at + 1];
  // Any namespace: that of the page is the only one.
  if (text === "*" && next?.text === "|" && at === 0) return parseSimple(tokens, { at: at + 2, context });
  switch (type) {
    case "ident-token": {
      if (at !== 0 && tokens[at - 1]?.text !== "|") return undefined;
      const name = ident.decode(text).toLowerCase();
      return {
        part: { matches: ({ localName }) => localName === name, specificity: 1, key: name },
        to: at + 1,
      };
    }
    case "hash-token": {
      const id = ident.decode(text.slice(1));
      const matches: Matcher = (element) => element.getAttribute("id") === id;
      return { part: { matches, specificity: ID, key: `#${id}` }, to: at + 1 };
    }
    case "[-token": {
      const matches = attributeMatcher(argumentsOf(tokens, at));
      return matches && { part: { matches, specificity: CLASS }, to: endOf(tokens, at) };
    }
    case "colon-token":
      return parsePseudo(tokens, { at: at + 1, context });
    default:
      return parseSign(tokens, { at, context });
  }
}

function parseSign(tokens: CssTokens, { at, context }: Place) {
  const { text = "" } = tokens[at] ?? {};
  const next = tokens[at + 1];
  if (text === "*" && at === 0) return { part: { matches: () => true, specificity: 0 }, to: at + 1 };
  if (text === "&") return { part: context.outer ?? rootPart, to: at + 1 };
  if (text !== "." || next?.type !== "ident-token") return undefined;
  const name = ident.decode(next.text);
  const matches: Matcher = (element) => classesOf(element).includes(name);
  return { part: { matches, specificity: CLASS, key: `.${name}` }, to: at + 2 };
}

const rootPart: Part = { matches: (element) => element.parentElement === null, specificity: CLASS };

function parsePseudo(tokens: CssTokens, { at, context }: Place) {
  const { type = "", text = "" } = tokens[at] ?? {};
  const to = endOf(tokens, at);
  const name = ident.decode(text.replace(/\($/, "")).toLowerCase();
  if (type === "colon-token") {
    const element = tokens[at + 1]?.text.replace(/\($/, "").toLowerCase() ?? "";
    // It has no text of the page.
    return isPseudoElement(element) ? { part: nothing, to: endOf(tokens, at + 1) } : undefined;
  }
  if (type !== "ident-token" && type !== "function-token") return undefined;
  if (["before", "after", "first-line", "first-letter"].includes(name)) return { part: nothing, to };
  const list = type === "function-token" ? trimmed(argumentsOf(tokens, at)) : undefined;
  const part = compilePseudoClass(name, { list, context, parsers });
  return part && { part, to };
}

const parsers: SelectorParsers = { list: parseList, forgiving: parseForgiving, relative: parseRelative };

const nothing: Part = { matches: () => false, specificity: 1 };

const classLists = new WeakMap<Element, readonly string[]>();

/** They do not change while a page is judged. */
export function classesOf(element: Element): readonly string[] {
  const known = classLists.get(element);
  if (known !== undefined) return known;
  const list = element.getAttribute("class")?.split(/\s+/).filter(Boolean) ?? [];
  classLists.set(element, list);
  return list;
}
