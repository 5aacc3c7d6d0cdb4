/** Texts that are shown in part. */

/**
 * The beginning of a text, `most` UTF-16 units at most. A character that the cut would halve, and half of one
 * that came alone, are shown as the replacement character: strict readers of JSON refuse halves.
 */
export function truncateStart(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}
