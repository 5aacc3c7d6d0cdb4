/** Places among brothers: `:nth-child(2n + 1 of .x)` and its kin. */

import type { Matcher } from "./combinators.ts";

const names = ["nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"] as const;
type NthName = (typeof names)[number];

const isNthName = (name: string): name is NthName => names.some((one) => one === name);

interface NthOptions {
  readonly name: string;
  readonly formula: string;
  /** Which are counted; each where it is absent. */
  readonly counts?: Matcher;
}

/** Undefined for an unknown name and for no formula. */
export function nthMatcher({ name, formula, counts = () => true }: NthOptions): Matcher | undefined {
  const steps = parseFormula(formula);
  if (!isNthName(name) || steps === undefined) return undefined;
  const { step, first } = steps;
  const known = new WeakMap<Element, number>();
  const next = (element: Element) =>
    name.includes("last") ? element.nextElementSibling : element.previousElementSibling;
  const isCounted = (one: Element, element: Element) =>
    (!name.endsWith("type") || one.localName === element.localName) && counts(one);
  return (element) => {
    if (!counts(element)) return false;
    const beyond = positionOf(element, { next, isCounted, known }) - first;
    return step === 0 ? beyond === 0 : beyond / step >= 0 && beyond % step === 0;
  };
}

interface Counting {
  readonly next: (element: Element) => Element | null;
  readonly isCounted: (one: Element, element: Element) => boolean;
  readonly known: WeakMap<Element, number>;
}

/** Position of an element among its siblings; the count goes on from one that was counted before. */
function positionOf(element: Element, { next, isCounted, known }: Counting): number {
  let position = 1;
  for (let one = next(element); one !== null; one = next(one)) {
    if (!isCounted(one, element)) continue;
    const before = known.get(one);
    if (before === undefined) {
      position++;
      continue;
    }
    position += before;
    break;
  }
  known.set(element, position);
  return position;
}

function parseFormula(text: string): { readonly step: number; readonly first: number } | undefined {
  const formula = text.toLowerCase().replaceAll(/\s+/g, "");
  if (formula === "odd") return { step: 2, first: 1 };
  if (formula === "even") return { step: 2, first: 0 };
  const [, step, first] = /^([+-]?\d*n)?([+-]?\d+)?$/.exec(formula) ?? [];
  if (step === undefined && first === undefined) return undefined;
  const sign = step?.slice(0, -1);
  return {
    step: step === undefined ? 0 : sign === "" || sign === "+" ? 1 : sign === "-" ? -1 : Number(sign),
    first: Number(first ?? 0),
  };
}
