/**
 * The escapes of JSON as they stand in texts: `\u0040`, `\/`, `\"`, `\n`. In JSON that stands in a text of other JSON
 * each has more backslashes.
 */

/** Most backslashes that an escape begins with, as in JSON in JSON in JSON. */
export const MAX_BACKSLASHES = 8;
/** Code units of the longest escape, in which a backslash may be one itself: `\u005cu0040`. */
export const MAX_ESCAPE = MAX_BACKSLASHES + 10;

/** Source of an expression. */
export const jsonEscape = `\\\\{1,${MAX_BACKSLASHES}}(?:u[\\dA-Fa-f]{4}|["/bfnrt])`;

const characters: ReadonlyMap<string, string> = new Map(
  Object.entries({ '"': '"', "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }),
);

/** The code unit that an escape means, by the text behind its backslashes. */
export const meaningOf = (body: string): string =>
  characters.get(body) ?? (body.length === 1 ? body : String.fromCharCode(parseInt(body.slice(1), 16)));

/** The code unit that an escape stands for. */
export const unescapeJson = (escape: string): string => meaningOf(escape.replace(/^\\+/, ""));
