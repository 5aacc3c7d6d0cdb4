/** Texts that are written out as JSON. */

/**
 * The chunks as one text. What a template puts together, the engine keeps in chunks until somebody looks into it,
 * and over an object that holds such a text `JSON.stringify` takes twice as long.
 */
export function joinStrings(...chunks: readonly string[]): string {
  return chunks.join("");
}

/** Texts that are shown in part. */

/**
 * The beginning of a text, `most` UTF-16 units at most. A character that the cut would halve, and half of one
 * that came alone, are shown as the replacement character: strict readers of JSON refuse halves.
 */
export function truncateStart(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}
