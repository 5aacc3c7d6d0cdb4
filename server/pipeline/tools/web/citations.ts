/**
 * Cites what searches have found: where a text links a page or names its address, an annotation says so. It comes with
 * the end of the text, because only then is it sure where an address ends.
 */

import type { AnnotationEvent, ItemKey, OutputEvent } from "../../../protocols/canonical/event.ts";
import type { Annotation } from "../../../protocols/canonical/item.ts";
import type { ToolMemory } from "../tool_memory.ts";

interface OpenText {
  readonly itemKey: ItemKey;
  readonly part: number;
  text: string;
}

export class Citations {
  readonly #memory: ToolMemory;
  /** Texts of items that have not ended. */
  #texts: OpenText[] = [];

  constructor(memory: ToolMemory) {
    this.#memory = memory;
  }

  /** The events, with annotations where a text ends. */
  add(batch: readonly OutputEvent[]): readonly OutputEvent[] {
    return this.#memory.hasSources ? batch.flatMap((event) => this.#addTo(event)) : batch;
  }

  #addTo(event: OutputEvent): readonly OutputEvent[] {
    if (event.type === "text") {
      const { itemKey, part, delta } = event;
      const before = this.#endTexts((one) => one.itemKey === itemKey && one.part < part);
      const open = this.#texts.find((one) => one.itemKey === itemKey);
      if (open === undefined) this.#texts.push({ itemKey, part, text: delta });
      else open.text += delta;
      return [...before, event];
    }
    if (event.type !== "item_done") return [event];
    return [...this.#endTexts(({ itemKey }) => itemKey === event.itemKey), event];
  }

  #endTexts(ends: (one: OpenText) => boolean): readonly AnnotationEvent[] {
    const ended = this.#texts.filter(ends);
    if (ended.length === 0) return [];
    this.#texts = this.#texts.filter((one) => !ends(one));
    return ended.flatMap(({ itemKey, part, text }) =>
      findCitations(text, this.#memory).map((annotation) => ({
        type: "annotation" as const,
        itemKey,
        part,
        annotation,
      }))
    );
  }
}

/** Offsets are UTF-16 units: those of the whole link where it is one, else those of the address. */
function findCitations(text: string, memory: Pick<ToolMemory, "findSource">): readonly Annotation[] {
  const found: Annotation[] = [];
  for (let at = nextAddress(text, 0); at !== -1;) {
    const end = addressEnd(text, at);
    const source = memory.findSource(text.slice(at, end));
    if (source !== undefined) {
      const place = linkAround(text, { start: at, end });
      const { url, title } = source;
      found.push({ type: "url_citation", url, title, start_index: place.start, end_index: place.end });
    }
    at = nextAddress(text, end);
  }
  return found;
}

/** Where the next address begins; -1 where none does. */
function nextAddress(text: string, from: number): number {
  for (let at = text.indexOf("http", from); at !== -1; at = text.indexOf("http", at + 4)) {
    if (text.startsWith("https://", at) || text.startsWith("http://", at)) return at;
  }
  return -1;
}

const ENDS = /[\s<>"`\]|\\^{}]/;
/** Marks of the sentence in which an address stands. */
const TRAILING = /[.,;:!?'*_]/;

/** Round brackets belong to an address as far as they come in pairs. */
function addressEnd(text: string, start: number): number {
  let end = start;
  let open = 0;
  for (; end < text.length; end++) {
    const letter = text.charAt(end);
    if (ENDS.test(letter)) break;
    if (letter === "(") open++;
    if (letter === ")" && --open < 0) break;
  }
  while (end > start && TRAILING.test(text.charAt(end - 1))) end--;
  return end;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** UTF-16 units of a link's text that are looked through. */
const LONGEST_LINK = 1_000;

/** `[title](address)` around an address, where it is one. */
function linkAround(text: string, address: Place): Place {
  const { start, end } = address;
  if (text.slice(start - 2, start) !== "](" || text.charAt(end) !== ")") return address;
  let open = 1;
  for (let at = start - 3; at >= Math.max(0, start - LONGEST_LINK); at--) {
    const letter = text.charAt(at);
    if (letter === "\n") break;
    if (letter === "]") open++;
    if (letter === "[" && --open === 0) return { start: at, end: end + 1 };
  }
  return address;
}
