/** Sources that an answer names, and where in its text it does. */

import { type Json, numberOf, textOf } from "../json.ts";

export interface Citation {
  /** From 1. */
  readonly number: number;
  readonly title: string;
  /** Undefined for a file. */
  readonly url: string | undefined;
}

/** Stand around the number of a source in a text that is drawn. No model writes them; where one does, they go. */
const [OPEN, CLOSE] = ["\uE000", "\uE001"];
export const citationMark = /\uE000(\d{1,4})\uE001/;

const keyOf = (annotation: Json): string => textOf(annotation, "url") ?? textOf(annotation, "file_id") ?? "";

const titleOf = (annotation: Json): string =>
  textOf(annotation, "title") || textOf(annotation, "filename") || keyOf(annotation);

/** Each source once, in the order in which they are named. */
export function citationsOf(annotations: readonly Json[]): readonly Citation[] {
  const found = new Map<string, Citation>();
  for (const annotation of annotations) {
    const key = keyOf(annotation);
    if (key === "" || found.has(key)) continue;
    const url = textOf(annotation, "url");
    found.set(key, { number: found.size + 1, title: titleOf(annotation), url });
  }
  return [...found.values()];
}

interface CitedSources {
  /** Annotations of the text. */
  readonly own: readonly Json[];
  /** Annotations of the whole answer. */
  readonly sources: readonly Json[];
}

/** A text with the numbers of its sources where they are named. */
export function markCitations(text: string, { own, sources }: CitedSources): string {
  const keys = new Set(sources.map(keyOf).filter((key) => key !== ""));
  const numbers = new Map([...keys].map((key, at) => [key, at + 1]));
  const places = own.flatMap((annotation) => {
    const at = numberOf(annotation, "end_index");
    const number = numbers.get(keyOf(annotation));
    return at === undefined || number === undefined ? [] : [{ at, number }];
  });
  let marked = text;
  for (const { at, number } of places.sort((one, other) => other.at - one.at || other.number - one.number)) {
    marked = `${marked.slice(0, at)}${OPEN}${number}${CLOSE}${marked.slice(at)}`;
  }
  return marked;
}
