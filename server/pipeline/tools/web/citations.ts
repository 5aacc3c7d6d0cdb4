/**
 * Cites what searches have found: where a text links a page or names its address, an annotation says so, and where
 * results were given with numbers, where it names one (`[2]`). It comes with the end of the text, because only then is it
 * sure where an address ends.
 */

import type { AnnotationEvent, ItemKey, OutputEvent } from "../../../protocols/canonical/event.ts";
import type { Annotation } from "../../../protocols/canonical/item.ts";
import type { ToolMemory, WebSource } from "../tool_memory.ts";
import { addressEnd, nextAddress } from "./addresses.ts";

interface OpenText {
  readonly itemKey: ItemKey;
  readonly part: number;
  text: string;
}

type Found = Pick<AnnotationEvent, "annotation" | "passage">;

export class Citations {
  readonly #memory: ToolMemory;
  readonly #numbered: readonly WebSource[];
  /** Texts of items that have not ended. */
  #texts: OpenText[] = [];

  /** `numbered`: sources that the model was given with numbers, from 1. */
  constructor(memory: ToolMemory, numbered: readonly WebSource[] = []) {
    this.#memory = memory;
    this.#numbered = numbered;
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

  /** Links and addresses first, then numbers. */
  #findIn(text: string): readonly Found[] {
    const links = findLinks(text, this.#memory);
    const numbers = findNumbers(text, { numbered: this.#numbered, links });
    const pages = [...links, ...numbers].map(({ source, place }) => ({
      annotation: citationOf(source, place),
    }));
    return [...pages, ...findMarks(text, this.#memory)];
  }

  #endTexts(ends: (one: OpenText) => boolean): readonly AnnotationEvent[] {
    const ended = this.#texts.filter(ends);
    if (ended.length === 0) return [];
    this.#texts = this.#texts.filter((one) => !ends(one));
    return ended.flatMap(({ itemKey, part, text }) =>
      this.#findIn(text).map((found) => ({ type: "annotation" as const, itemKey, part, ...found }))
    );
  }
}

/** An annotation of a page, as both OpenAI's APIs have it. */
const citationOf = ({ url, title, content }: WebSource, { start, end }: Place): Annotation => ({
  type: "url_citation",
  url,
  title,
  ...(content === undefined ? {} : { content }),
  start_index: start,
  end_index: end,
});

/** Offsets are UTF-16 units: those of the whole link where it is one, else those of the address. */
function findLinks(text: string, memory: Pick<ToolMemory, "findSource">): readonly Citation[] {
  const found: Citation[] = [];
  for (let at = nextAddress(text, 0); at !== -1;) {
    const end = addressEnd(text, at);
    const source = memory.findSource(text.slice(at, end));
    if (source !== undefined) {
      found.push({ source, place: linkAround(text, { start: at, end }) });
    }
    at = nextAddress(text, end);
  }
  return found;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

interface Citation {
  readonly source: WebSource;
  readonly place: Place;
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

interface Numbered {
  readonly numbered: readonly WebSource[];
  readonly links: readonly Citation[];
}

/** At most three digits in brackets, where these are no index (`list[1]`, `list[1][2]`) and no link's. */
const NUMBER = /(?<![\p{L}\p{N}_)]|[\p{L}\p{N}_]\[\d{1,3}\])\[(\d{1,3})\](?![(:])/gu;

/** Numbers of results that are no part of a link. */
function findNumbers(text: string, { numbered, links }: Numbered): readonly Citation[] {
  if (numbered.length === 0) return [];
  return [...text.matchAll(NUMBER)].flatMap(({ 0: whole, 1: digits, index }) => {
    const source = numbered[Number(digits) - 1];
    const place: Place = { start: index, end: index + whole.length };
    const isInLink = links.some((link) => link.place.start < place.end && place.start < link.place.end);
    return source === undefined || isInLink ? [] : [{ source, place }];
  });
}

/** By which passages of files are cited. */
const MARK = /\[F(\d{1,4})\]/g;

/** Passages of files; the index is the UTF-16 unit behind the mark. */
const findMarks = (text: string, memory: Pick<ToolMemory, "findPassage">): readonly Found[] =>
  [...text.matchAll(MARK)].flatMap(({ 0: mark, 1: digits, index }) => {
    const passage = memory.findPassage(Number(digits));
    if (passage === undefined) return [];
    const { fileId, filename } = passage;
    const annotation = { type: "file_citation", file_id: fileId, filename, index: index + mark.length };
    return [{ annotation, passage: Number(digits) - 1 }];
  });
