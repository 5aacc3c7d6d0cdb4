/** A selector as a function, whole or a part of it. */

import type { Matcher } from "./combinators.ts";

export interface Selector {
  readonly matches: Matcher;
  /** Ids, classes and types, as one number. */
  readonly specificity: number;
  /** Key that an element must have: `#id`, `.class`, a type, or `*` where that is not known. */
  readonly key: string;
}

/** Meaning of `&`, and whether a selector without it is within it. */
export interface SelectorContext {
  readonly outer?: { readonly matches: Matcher; readonly specificity: number };
  readonly isNested?: boolean;
  /** Which elements may be meant at all. */
  readonly includes?: Matcher;
}

export interface Part {
  readonly matches: Matcher;
  readonly specificity: number;
  readonly key?: string;
}

export const CLASS = 1_000;
