/** Selectors as functions: those that a page without its reader's doings can be judged by. */

import parse, { type CssNode } from "css-tree/parser";
import { ident } from "css-tree/utils";

type Matcher = (element: Element) => boolean;

export interface Selector {
  readonly matches: Matcher;
  /** Ids, classes and types, as one number. */
  readonly specificity: number;
  /** What an element must have: `#id`, `.class`, a type, or `*` where that is not known. */
  readonly key: string;
}

/** Selectors of a list; what is not understood selects nothing. */
export function parseSelectors(text: string): readonly Selector[] {
  try {
    return selectorsOf(parse(text, { context: "selectorList" }));
  } catch (_error) {
    // A rule whose list is broken is none.
    return [];
  }
}

const selectorsOf = (list: CssNode): readonly Selector[] =>
  childrenOf(list).flatMap((node) => node.type === "Selector" ? compile(childrenOf(node)) ?? [] : []);

const childrenOf = (node: CssNode): readonly CssNode[] => node.children?.toArray() ?? [];

const nameOf = ({ name }: CssNode): string =>
  ident.decode(typeof name === "string" ? name : typeof name?.name === "string" ? name.name : "");

interface Part {
  readonly matches: Matcher;
  readonly specificity: number;
  readonly key?: string;
}

const ID = 1_000_000;
const CLASS = 1_000;

function compile(nodes: readonly CssNode[]): Selector | undefined {
  let matches: Matcher | undefined;
  let combinator = "";
  let specificity = 0;
  let key = "*";
  const rest = [...nodes];
  while (rest.length > 0) {
    const end = rest.findIndex(({ type }) => type === "Combinator");
    const compound = compileCompound(rest.splice(0, end === -1 ? rest.length : end));
    if (compound === undefined) return undefined;
    matches = matches === undefined
      ? compound.matches
      : combined(combinator, { left: matches, right: compound.matches });
    if (matches === undefined) return undefined;
    specificity += compound.specificity;
    key = compound.key ?? "*";
    combinator = rest.length > 0 ? String(rest.shift()?.name).trim() : "";
  }
  return matches && { matches, specificity, key };
}

function compileCompound(nodes: readonly CssNode[]): Part | undefined {
  const parts = nodes.map(compilePart).filter((part) => part !== undefined);
  if (parts.length < nodes.length || parts.length === 0) return undefined;
  const keys = parts.flatMap(({ key }) => key ?? []);
  return {
    matches: (element) => parts.every((part) => part.matches(element)),
    specificity: parts.reduce((sum, part) => sum + part.specificity, 0),
    key: keys.find((one) => one.startsWith("#")) ?? keys.find((one) => one.startsWith(".")) ?? keys[0],
  };
}

function combined(
  combinator: string,
  { left, right }: { readonly left: Matcher; readonly right: Matcher },
): Matcher | undefined {
  switch (combinator) {
    case "":
      return (element) => right(element) && someOf(element, { next: (one) => one.parentElement, test: left });
    case ">":
      return (element) => right(element) && element.parentElement !== null && left(element.parentElement);
    case "+":
      return (element) =>
        right(element) && element.previousElementSibling !== null && left(element.previousElementSibling);
    case "~":
      return (element) =>
        right(element) && someOf(element, { next: (one) => one.previousElementSibling, test: left });
    default:
      return undefined;
  }
}

interface Walk {
  readonly next: (element: Element) => Element | null;
  readonly test: Matcher;
}

function someOf(element: Element, { next, test }: Walk): boolean {
  for (let one = next(element); one !== null; one = next(one)) if (test(one)) return true;
  return false;
}

export const classesOf = (element: Element): readonly string[] =>
  element.getAttribute("class")?.split(/\s+/).filter(Boolean) ?? [];

function compilePart(node: CssNode): Part | undefined {
  const name = nameOf(node);
  switch (node.type) {
    case "TypeSelector": {
      const type = name.toLowerCase();
      if (type === "*") return { matches: () => true, specificity: 0 };
      return { matches: (element) => element.localName === type, specificity: 1, key: type };
    }
    case "IdSelector":
      return { matches: (element) => element.getAttribute("id") === name, specificity: ID, key: `#${name}` };
    case "ClassSelector":
      return { matches: (element) => classesOf(element).includes(name), specificity: CLASS, key: `.${name}` };
    case "AttributeSelector":
      return { matches: attributeMatcher(node, name), specificity: CLASS };
    case "PseudoClassSelector":
      return compilePseudoClass(node, name.toLowerCase());
    default:
      // Pseudo-elements have no text of the page.
      return undefined;
  }
}

const attributeTests: ReadonlyMap<string, (value: string, wanted: string) => boolean> = new Map([
  ["=", (value, wanted) => value === wanted],
  ["~=", (value, wanted) => value.split(/\s+/).includes(wanted)],
  ["|=", (value, wanted) => value === wanted || value.startsWith(`${wanted}-`)],
  ["^=", (value, wanted) => wanted !== "" && value.startsWith(wanted)],
  ["$=", (value, wanted) => wanted !== "" && value.endsWith(wanted)],
  ["*=", (value, wanted) => wanted !== "" && value.includes(wanted)],
]);

function attributeMatcher({ matcher, value, flags }: CssNode, name: string): Matcher {
  const inner = typeof value === "object" ? value : undefined;
  const wanted = typeof inner?.value === "string"
    ? inner.value
    : inner === undefined || inner === null
    ? ""
    : nameOf(inner);
  const test = attributeTests.get(matcher ?? "");
  const folded = (text: string) => flags?.toLowerCase() === "i" ? text.toLowerCase() : text;
  return (element) => {
    const found = element.getAttribute(name);
    return found !== null && (test === undefined || test(folded(found), folded(wanted)));
  };
}

const simplePseudos: ReadonlyMap<string, Matcher> = new Map<string, Matcher>([
  ["root", (element) => element.parentElement === null],
  ["first-child", (element) => element.previousElementSibling === null],
  ["last-child", (element) => element.nextElementSibling === null],
  ["only-child", (element) => element.previousElementSibling === null && element.nextElementSibling === null],
  ["empty", (element) => element.childNodes.length === 0],
  ["link", (element) => element.localName === "a" && element.hasAttribute("href")],
  ["any-link", (element) => element.localName === "a" && element.hasAttribute("href")],
  ["enabled", (element) => !element.hasAttribute("disabled")],
  ["defined", () => true],
]);

function compilePseudoClass(node: CssNode, name: string): Part | undefined {
  const simple = simplePseudos.get(name);
  if (simple !== undefined) return { matches: simple, specificity: CLASS };
  const [argument] = childrenOf(node);
  if (argument === undefined) return undefined;
  if (name === "nth-child" || name === "nth-last-child") return compileNth(argument, name);
  if (name !== "not" && name !== "is" && name !== "where" && name !== "matches" && name !== "any") {
    return undefined;
  }
  const inner = selectorsOf(argument);
  // One that is not understood might have matched.
  if (inner.length < childrenOf(argument).length) return undefined;
  const isOne: Matcher = (element) => inner.some(({ matches }) => matches(element));
  return {
    matches: name === "not" ? (element) => !isOne(element) : isOne,
    specificity: name === "where" ? 0 : Math.max(0, ...inner.map((one) => one.specificity)),
  };
}

function compileNth({ nth }: CssNode, name: string): Part | undefined {
  const word = nth?.type === "Identifier" ? nth.name : undefined;
  const step = word === undefined ? Number(nth?.a ?? 0) : 2;
  const first = word === undefined ? Number(nth?.b ?? 0) : word === "odd" ? 1 : 0;
  const next = (element: Element) =>
    name === "nth-child" ? element.previousElementSibling : element.nextElementSibling;
  return {
    specificity: CLASS,
    matches: (element) => {
      let position = 1;
      for (let one = next(element); one !== null; one = next(one)) position++;
      const beyond = position - first;
      return step === 0 ? beyond === 0 : beyond / step >= 0 && beyond % step === 0;
    },
  };
}
