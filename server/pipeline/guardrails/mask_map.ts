/**
 * Maps placeholders to texts in one request: providers see `[EMAIL_1]`, the client its own text. It lives for the
 * request only and is written down nowhere.
 */

import type { Work } from "../../../shared/util/run_work.ts";
import type { FilterView } from "./content_filters.ts";
import {
  LONGEST_WRITTEN,
  openPlaceholder,
  placeholdersIn,
  writeIn,
  type WrittenPlaceholder,
} from "./mask_spellings.ts";
import type { TextFilter } from "./text_filter.ts";
import type { KnownMasks } from "./scanners/scan_options.ts";

/** Code units in which placeholders are looked for before a pause is offered. */
const RESERVED_AT_ONCE = 4_096;

interface Kept {
  /** By the placeholder's name and the text. */
  readonly placeholders: Map<string, string>;
  /** By the placeholder. */
  readonly texts: Map<string, string>;
  /** By the name in which a placeholder stands without its brackets. */
  readonly identifiers: Map<string, string>;
  readonly numbers: Map<string, number>;
  /** Placeholders that the caller's own text has: each stands for itself. */
  readonly reserved: Set<string>;
}

export class MaskMap implements KnownMasks {
  #kept: Kept | undefined;

  /** Made when it is first written to: most requests have nothing that is masked. */
  get #made(): Kept {
    return this.#kept ??= {
      placeholders: new Map(),
      texts: new Map(),
      identifiers: new Map(),
      numbers: new Map(),
      reserved: new Set(),
    };
  }

  get isEmpty(): boolean {
    return this.#kept === undefined || this.#kept.texts.size === 0;
  }

  /** A text of the caller's, before the first of them is masked. */
  *reserve(text: string): Work<void> {
    for (let start = 0; start < text.length; start += RESERVED_AT_ONCE) {
      if (start > 0) yield;
      const window = text.slice(Math.max(0, start - 2 * LONGEST_WRITTEN), start + RESERVED_AT_ONCE);
      for (const { placeholder } of placeholdersIn(window)) this.#made.reserved.add(placeholder);
    }
  }

  placeholder(name: string, masked: string): string {
    const text = this.unmask(masked);
    const key = `${name}\0${text}`;
    const known = this.#made.placeholders.get(key);
    if (known !== undefined) return known;
    const made = this.#next(name.replace(/^\[|\]$/g, ""));
    this.#made.placeholders.set(key, made);
    this.#made.texts.set(made, text);
    return made;
  }

  #next(name: string): string {
    for (;;) {
      const number = (this.#made.numbers.get(name) ?? 0) + 1;
      this.#made.numbers.set(name, number);
      const made = `[${name}_${number}]`;
      if (!this.#made.reserved.has(made) && !this.#made.texts.has(made)) return made;
    }
  }

  noteIdentifier(masked: string, original: string): void {
    this.#made.identifiers.set(masked, original);
  }

  identifier(masked: string): string | undefined {
    return this.#kept?.identifiers.get(masked);
  }

  /** A placeholder that the map has not made stays as it is. */
  unmask(text: string): string {
    if (this.isEmpty) return text;
    let unmasked = "";
    let copied = 0;
    for (let found = this.#find(text, 0); found !== undefined; found = this.#find(text, found.end)) {
      unmasked += text.slice(copied, found.start) + this.#written(found);
      copied = found.end;
    }
    return copied === 0 ? text : unmasked + text.slice(copied);
  }

  /** Finds the placeholders in a response and puts the texts in their place, also in streams. */
  get view(): FilterView {
    const replace = (text: string) => {
      const found = this.#find(text, 0);
      return found === undefined ? text : this.#written(found);
    };
    const filter: TextFilter = {
      maxMatch: LONGEST_WRITTEN,
      lookAhead: 0,
      lookBehind: 0,
      spansSpace: true,
      find: (text, from) => this.#find(text, from),
      undecidedFrom: (text) => openPlaceholder(text, this.#made.numbers.keys()),
    };
    return {
      filters: [{ filter, members: [], action: "redact", placeholder: "", replace }],
      isEnforced: true,
    };
  }

  /** The text, as its placeholder is written. */
  #written({ placeholder, form }: WrittenPlaceholder): string {
    return writeIn(form, this.#made.texts.get(placeholder) ?? placeholder);
  }

  #find(text: string, from: number): WrittenPlaceholder | undefined {
    for (const found of placeholdersIn(text, from)) {
      if (this.#made.texts.has(found.placeholder)) return found;
    }
    return undefined;
  }
}
