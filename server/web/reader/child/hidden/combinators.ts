/** How selectors are joined. What was found of an element is remembered, so that chains take no more than their length. */

/** The anchor is the element that a relative selector begins at. */
export type Matcher = (element: Element, anchor?: Element) => boolean;

interface Sides {
  readonly left: Matcher;
  readonly right: Matcher;
}

export function combined(combinator: string, { left, right }: Sides): Matcher {
  switch (combinator) {
    case ">":
      return nextTo(right, { left, next: (element) => element.parentElement });
    case "+":
      return nextTo(right, { left, next: (element) => element.previousElementSibling });
    case "~":
      return beyond(right, { left, next: (element) => element.previousElementSibling });
    default:
      return beyond(right, { left, next: (element) => element.parentElement });
  }
}

interface Walk {
  readonly left: Matcher;
  readonly next: (element: Element) => Element | null;
}

const nextTo = (right: Matcher, { left, next }: Walk): Matcher => (element, anchor) => {
  if (!right(element, anchor)) return false;
  const one = next(element);
  return one !== null && left(one, anchor);
};

function beyond(right: Matcher, { left, next }: Walk): Matcher {
  const known = new WeakMap<Element, boolean>();
  const find = (element: Element): boolean => {
    const passed: Element[] = [];
    let found = false;
    for (let one: Element | null = element; one !== null && !found; one = next(one)) {
      const result = known.get(one);
      if (result !== undefined) {
        found = result;
        break;
      }
      passed.push(one);
      found = left(one);
    }
    for (const one of passed) known.set(one, found);
    return found;
  };
  return (element, anchor) => {
    if (!right(element, anchor)) return false;
    const start = next(element);
    if (start === null) return false;
    return anchor === undefined ? find(start) : findFrom(start, { left, next, anchor });
  };
}

function findFrom(
  start: Element,
  { left, next, anchor }: Walk & { readonly anchor: Element },
): boolean {
  for (let one: Element | null = start; one !== null; one = next(one)) {
    if (left(one, anchor)) return true;
    if (one === anchor) return false;
  }
  return false;
}

/** Remembers the results of a matcher that is asked for the same elements again and again. */
export function remembered(matches: Matcher): Matcher {
  const known = new WeakMap<Element, boolean>();
  return (element, anchor) => {
    if (anchor !== undefined) return matches(element, anchor);
    const result = known.get(element) ?? matches(element);
    known.set(element, result);
    return result;
  };
}
