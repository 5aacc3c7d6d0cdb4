/** Texts that are written out as JSON. */

/**
 * The pieces as one text. What a template puts together, the engine keeps in pieces until somebody looks into it,
 * and over an object that holds such a text `JSON.stringify` takes twice as long.
 */
export function joinStrings(...pieces: readonly string[]): string {
  return pieces.join("");
}
