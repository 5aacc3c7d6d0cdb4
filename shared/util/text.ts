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

/** The beginning of a text, `most` UTF-16 units at most, without half of a character at its end. */
export function cutWhole(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most);
  return start.isWellFormed() ? start : start.replace(/[\ud800-\udbff]$/, "");
}

/** Whole words of the beginning, `most` UTF-16 units at most; a single long word is cut itself. */
export function cutWords(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = cutWhole(text, most + 1).search(/\s\S*$/);
  return end > 0 ? text.slice(0, end).trimEnd() : cutWhole(text, most);
}
