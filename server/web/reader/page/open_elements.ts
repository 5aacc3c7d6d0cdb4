/** The elements of a page that have begun and not ended, with the tags that a page may leave out. */

import { endedBy, reachesOver } from "./element_kinds.ts";

interface NamedElement {
  readonly name: string;
}

export class OpenElements<T extends NamedElement> {
  readonly #open: T[] = [];
  readonly #counts = new Map<string, number>();
  readonly #onEnd: (element: T) => void;

  /** `onEnd` is called for each that ends, when it is open no more. */
  constructor(onEnd: (element: T) => void) {
    this.#onEnd = onEnd;
  }

  get depth(): number {
    return this.#open.length;
  }

  get innermost(): T | undefined {
    return this.#open.at(-1);
  }

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0;
  }

  begin(element: T): void {
    this.#open.push(element);
    this.#counts.set(element.name, (this.#counts.get(element.name) ?? 0) + 1);
  }

  /** Ends what has to end where an element of that name begins. */
  endBefore(name: string): void {
    for (const { names, within } of endedBy(name)) {
      if (![...names].some((one) => this.has(one))) continue;
      const position = this.#findFromTop((open) =>
        names.has(open) ? "found" : within.has(open) ? "border" : "over"
      );
      if (position !== undefined) this.#endFrom(position);
    }
  }

  /** Ends the innermost element of that name, and those in it. What is not open in reach is left alone. */
  end(name: string): void {
    if (!this.has(name)) return;
    const position = this.#findFromTop((open) =>
      open === name ? "found" : reachesOver(name, open) ? "over" : "border"
    );
    if (position !== undefined) this.#endFrom(position);
  }

  endAll(): void {
    this.#endFrom(0);
  }

  #findFromTop(judge: (name: string) => "found" | "border" | "over"): number | undefined {
    for (let position = this.#open.length - 1; position >= 0; position--) {
      const found = judge(this.#open[position]?.name ?? "");
      if (found === "found") return position;
      if (found === "border") return undefined;
    }
    return undefined;
  }

  #endFrom(position: number): void {
    while (this.#open.length > position) {
      const ended = this.#open.pop();
      if (ended === undefined) return;
      this.#counts.set(ended.name, (this.#counts.get(ended.name) ?? 1) - 1);
      this.#onEnd(ended);
    }
  }
}
