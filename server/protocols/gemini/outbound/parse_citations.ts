/** Sources that the provider names → annotations of the message (specification, Output items). */

import type { AnnotationEvent } from "../../canonical/event.ts";
import type { Annotation } from "../../canonical/item.ts";
import type { Grounding } from "./response_schema.ts";
import type { GeminiState, OpenMessage } from "./parse_state.ts";

/**
 * They come with the last chunks and speak of the whole text, so they are told when the message closes. A text
 * that a call follows has closed before its sources came; then there is nothing to hang them on.
 */
export function parseCitations(state: GeminiState, { at, text }: OpenMessage): readonly AnnotationEvent[] {
  const all = [...grounded(state.grounding, text), ...quotedSegment(state, text)];
  return all.map((annotation) => ({ type: "annotation", itemKey: at, part: 0, annotation }));
}

type Chunk = NonNullable<NonNullable<Grounding["groundingChunks"]>[number]>;

function grounded(grounding: Grounding | undefined, text: string): readonly Annotation[] {
  const chunks = grounding?.groundingChunks ?? [];
  const supports = grounding?.groundingSupports ?? [];
  if (supports.length === 0) return chunks.flatMap((chunk) => annotation(chunk, { start: 0, end: 0 }));
  return supports.flatMap(({ segment, groundingChunkIndices }) => {
    const place = segment ? placeOf(text, segment) : { start: 0, end: 0 };
    return (groundingChunkIndices ?? []).flatMap((index) => annotation(chunks[index], place));
  });
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function annotation(chunk: Chunk | undefined, { start, end }: Place): readonly Annotation[] {
  const found = chunk?.web ?? chunk?.maps ?? chunk?.retrievedContext;
  if (!found?.uri) return [];
  return [{
    type: "url_citation",
    url: found.uri,
    title: found.title ?? "",
    start_index: start,
    end_index: end,
  }];
}

/** Sources that the model quotes at length, from training or search. */
function quotedSegment({ citations = [] }: GeminiState, text: string): readonly Annotation[] {
  return citations.flatMap(({ uri, title, ...segment }) => {
    const { start, end } = placeOf(text, segment);
    return annotation({ web: { uri, title } }, { start, end });
  });
}

interface Segment {
  readonly startIndex?: number | null;
  readonly endIndex?: number | null;
  readonly text?: string | null;
}

/**
 * Places are counted in bytes here and in characters there. In a stream they are not always counted from the
 * beginning, so the quoted text itself, where it is told, has the last word.
 */
function placeOf(text: string, { startIndex, endIndex, text: quote }: Segment): Place {
  const place = { start: charsIn(text, startIndex ?? 0), end: charsIn(text, endIndex ?? 0) };
  if (!quote || text.slice(place.start, place.end) === quote) return place;
  const found = text.indexOf(quote);
  return found < 0 ? place : { start: found, end: found + quote.length };
}

/** How many characters the first bytes of a text make. */
function charsIn(text: string, bytes: number): number {
  let left = bytes;
  let chars = 0;
  for (const char of text) {
    if (left <= 0) break;
    left -= bytesOf(char.codePointAt(0) ?? 0);
    chars += char.length;
  }
  return chars;
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
