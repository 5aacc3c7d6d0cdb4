/**
 * The elements of a page that have begun and not ended, with the tags that a page may leave out. What a tag ends is
 * found without a search, however many are open.
 */

import { type Border, bordersOf, endBorder, endedBy } from "./element_scopes.ts";

interface NamedElement {
  readonly name: string;
}

/** Positions of the innermost elements that are borders, that of the element itself among them. */
type NearestBorders = Readonly<Partial<Record<Border, number>>>;

interface OpenElement<T> {
  readonly element: T;
  readonly nearest: NearestBorders;
}

const noBorders: NearestBorders = {};

export class OpenElements<T extends NamedElement> {
  readonly #open: OpenElement<T>[] = [];
  /** Positions of the open elements of each name. */
  readonly #positions = new Map<string, number[]>();
  readonly #onEnd: (element: T) => void;

  /** `onEnd` is called for each that ends, when it is open no more. */
  constructor(onEnd: (element: T) => void) {
    this.#onEnd = onEnd;
  }

  get depth(): number {
    return this.#open.length;
  }

  get innermost(): T | undefined {
    return this.#open.at(-1)?.element;
  }

  has(name: string): boolean {
    return this.#positions.has(name);
  }

  begin(element: T): void {
    const { name } = element;
    const position = this.#open.length;
    const own = bordersOf(name);
    const outer = this.#nearest;
    const nearest = own.length === 0
      ? outer
      : { ...outer, ...Object.fromEntries(own.map((border) => [border, position])) };
    this.#open.push({ element, nearest });
    const positions = this.#positions.get(name);
    if (positions) positions.push(position);
    else this.#positions.set(name, [position]);
  }

  /** Ends what has to end where an element of that name begins. */
  endBefore(name: string): void {
    for (const { names, within } of endedBy(name)) {
      for (const ended of names) this.#endWithin(ended, within);
    }
  }

  /** Ends the innermost element of that name, and those in it. False: none is open in reach. */
  end(name: string): boolean {
    return this.#endWithin(name, endBorder(name));
  }

  endAll(): void {
    this.#endFrom(0);
  }

  get #nearest(): NearestBorders {
    return this.#open.at(-1)?.nearest ?? noBorders;
  }

  #endWithin(name: string, border: Border): boolean {
    const position = this.#positions.get(name)?.at(-1);
    if (position === undefined || position < (this.#nearest[border] ?? 0)) return false;
    this.#endFrom(position);
    return true;
  }

  #endFrom(position: number): void {
    while (this.#open.length > position) {
      const ended = this.#open.pop();
      if (ended === undefined) return;
      const { name } = ended.element;
      const positions = this.#positions.get(name);
      positions?.pop();
      if (positions?.length === 0) this.#positions.delete(name);
      this.#onEnd(ended.element);
    }
  }
}
