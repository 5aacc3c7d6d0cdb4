/** Pseudo-classes, as they hold for a page that nobody has touched; unknown ones make their selector invalid. */

import type { Matcher } from "./combinators.ts";
import { type CssTokens, splitAt, textOf } from "./css/css_tokens.ts";
import { nthMatcher } from "./nth_child.ts";
import { CLASS, type Part, type Selector, type SelectorContext } from "./compiled_selector.ts";

/** Pseudo-classes that wait for what a reader or a script does. */
const untouched: ReadonlySet<string> = new Set(
  ("active autofill buffering current focus focus-visible focus-within fullscreen future hover in-range indeterminate " +
    "invalid local-link modal muted out-of-range past paused picture-in-picture playing popover-open seeking stalled " +
    "target target-current user-invalid user-valid valid visited volume-locked -webkit-autofill " +
    "-webkit-full-screen host").split(" "),
);

const pseudoElements: ReadonlySet<string> = new Set(
  ("after backdrop before checkmark column cue details-content file-selector-button first-letter first-line " +
    "grammar-error highlight marker part picker picker-icon placeholder scroll-button scroll-marker " +
    "scroll-marker-group search-text selection slotted spelling-error target-text view-transition " +
    "view-transition-group view-transition-image-pair view-transition-new view-transition-old").split(" "),
);

export const isPseudoElement = (name: string): boolean =>
  pseudoElements.has(name) || /^-webkit-[a-z-]+$/.test(name);

const CONTROLS: ReadonlySet<string> = new Set([
  "button",
  "input",
  "select",
  "textarea",
  "option",
  "optgroup",
  "fieldset",
]);
const TEXT_CONTROLS: ReadonlySet<string> = new Set(["input", "textarea"]);

const isControl = ({ localName }: Element) => CONTROLS.has(localName);
const isLink: Matcher = (element) =>
  (element.localName === "a" || element.localName === "area") && element.hasAttribute("href");
const isDisabled: Matcher = (element) =>
  isControl(element) && (element.hasAttribute("disabled") || element.closest("fieldset[disabled]") !== null);
const isChecked: Matcher = (element) =>
  element.localName === "option"
    ? element.hasAttribute("selected")
    : element.localName === "input" && element.hasAttribute("checked");
const isWritable: Matcher = (element) =>
  TEXT_CONTROLS.has(element.localName) && !element.hasAttribute("readonly") && !isDisabled(element);
const isFirst: Matcher = ({ previousElementSibling }) => previousElementSibling === null;
const isLast: Matcher = ({ nextElementSibling }) => nextElementSibling === null;
const isRoot: Matcher = ({ parentElement }) => parentElement === null;
const isRequired: Matcher = (element) => isControl(element) && element.hasAttribute("required");

const BLANK_NODES: ReadonlySet<number> = new Set([7, 8]);
const isEmpty: Matcher = ({ childNodes }) =>
  [...childNodes].every(({ nodeType, textContent }) => BLANK_NODES.has(nodeType) || textContent === "");

const siblingsOf = (element: Element): readonly Element[] =>
  [...element.parentElement?.children ?? []].filter((one) => one !== element);

const simple: ReadonlyMap<string, Matcher> = new Map<string, Matcher>([
  ["root", isRoot],
  ["first-child", isFirst],
  ["last-child", isLast],
  ["only-child", (element) => isFirst(element) && isLast(element)],
  [
    "only-of-type",
    (element) => siblingsOf(element).every(({ localName }) => localName !== element.localName),
  ],
  ["empty", isEmpty],
  ["link", isLink],
  ["any-link", isLink],
  ["-webkit-any-link", isLink],
  ["enabled", (element) => isControl(element) && !isDisabled(element)],
  ["disabled", isDisabled],
  ["checked", isChecked],
  ["default", isChecked],
  ["required", isRequired],
  ["optional", (element) => isControl(element) && !isRequired(element)],
  ["read-write", isWritable],
  ["read-only", (element) => !isWritable(element)],
  [
    "placeholder-shown",
    (element) =>
      TEXT_CONTROLS.has(element.localName) && element.hasAttribute("placeholder") &&
      !element.getAttribute("value"),
  ],
  [
    "open",
    (element) =>
      (element.localName === "details" || element.localName === "dialog") && element.hasAttribute("open"),
  ],
  // Scripts that this page is made for have defined what it uses.
  ["defined", () => true],
]);

/** Parsers of the selectors that a pseudo-class has within its parentheses. */
export interface SelectorParsers {
  readonly list: (tokens: CssTokens, context: SelectorContext) => readonly Selector[] | undefined;
  readonly forgiving: (tokens: CssTokens, context: SelectorContext) => readonly Selector[];
  readonly relative: (tokens: CssTokens, anchor: Part) => Selector | undefined;
}

interface PseudoClass {
  readonly parsers: SelectorParsers;
  /** Undefined where it has no parentheses. */
  readonly list: CssTokens | undefined;
  readonly context: SelectorContext;
}

export function compilePseudoClass(name: string, { list, context, parsers }: PseudoClass): Part | undefined {
  if (list === undefined) {
    const nth = name.endsWith("-of-type") && name !== "only-of-type"
      ? nthMatcher({ name: `nth-${name}`.replace("first-", ""), formula: "1" })
      : undefined;
    if (nth !== undefined) return { matches: nth, specificity: CLASS };
    if (name === "scope") return context.outer ?? { matches: isRoot, specificity: CLASS };
    const matches = simple.get(name) ?? (untouched.has(name) ? () => false : undefined);
    return matches && { matches, specificity: CLASS };
  }
  const plain = { outer: context.outer };
  switch (name) {
    case "is":
    case "-webkit-any":
      return anyOf(parsers.forgiving(list, plain));
    case "where":
      return { ...anyOf(parsers.forgiving(list, plain)), specificity: 0 };
    case "not": {
      const inner = parsers.list(list, plain);
      if (inner === undefined) return undefined;
      const { matches, specificity } = anyOf(inner);
      return { matches: (element, anchor) => !matches(element, anchor), specificity };
    }
    case "has":
      return compileHas(list, parsers);
    case "lang":
      return compileLang(list);
    case "dir":
      return compileDirection(textOf(list).toLowerCase());
    case "host":
    case "host-context":
    case "state":
    case "active-view-transition-type":
      return { matches: () => false, specificity: CLASS };
    default:
      return compileNth(name, { list, context: plain, parsers });
  }
}

const anyOf = (inner: readonly Selector[]): Part => ({
  matches: (element, anchor) => inner.some(({ matches }) => matches(element, anchor)),
  specificity: inner.reduce((most, { specificity }) => Math.max(most, specificity), 0),
});

/** The elements that one of its selectors may mean: those below, and those behind and below these. */
function* candidates(element: Element): Generator<Element> {
  yield* element.querySelectorAll("*");
  for (let next = element.nextElementSibling; next !== null; next = next.nextElementSibling) {
    yield next;
    yield* next.querySelectorAll("*");
  }
}

function compileHas(list: CssTokens, parsers: Pick<SelectorParsers, "relative">): Part | undefined {
  const anchored: Part = { matches: (element, anchor) => element === anchor, specificity: 0 };
  const inner = splitAt(list, "comma-token").map((part) => parsers.relative(part, anchored));
  const selectors = inner.filter((one) => one !== undefined);
  if (selectors.length < inner.length) return undefined;
  const goesBeside = splitAt(list, "comma-token").some(([first]) =>
    first?.text === "+" || first?.text === "~"
  );
  const any = anyOf(selectors);
  return {
    matches: (element) => {
      const found = goesBeside ? candidates(element) : element.querySelectorAll("*");
      for (const one of found) if (any.matches(one, element)) return true;
      return false;
    },
    specificity: any.specificity,
  };
}

function compileLang(list: CssTokens): Part {
  const ranges = splitAt(list, "comma-token")
    .map((part) => textOf(part).toLowerCase().replaceAll(/["']/g, "").replace(/^\*-/, ""));
  return {
    specificity: CLASS,
    matches: (element) => {
      const tag = element.closest("[lang]")?.getAttribute("lang")?.toLowerCase() ?? "";
      return ranges.some((range) => tag !== "" && (range === "*" || `${tag}-`.includes(`${range}-`)));
    },
  };
}

function compileDirection(direction: string): Part {
  return {
    specificity: CLASS,
    matches: (element) =>
      (element.closest("[dir]")?.getAttribute("dir")?.toLowerCase() ?? "ltr") === direction,
  };
}

function compileNth(
  name: string,
  { list, context, parsers }: Omit<PseudoClass, "list"> & { readonly list: CssTokens },
) {
  const of = list.findIndex(({ text }) => text.toLowerCase() === "of");
  const inner = of === -1 ? undefined : parsers.list(list.slice(of + 1), context);
  if (of !== -1 && inner === undefined) return undefined;
  const formula = textOf(of === -1 ? list : list.slice(0, of));
  const counted = inner && anyOf(inner);
  const matches = nthMatcher({ name, formula, counts: counted?.matches });
  return matches && { matches, specificity: CLASS + (counted?.specificity ?? 0) };
}
