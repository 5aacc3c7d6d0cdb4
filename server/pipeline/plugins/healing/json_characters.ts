/** Characters of JSON, and of what models write instead. */

export const spaceCodes: ReadonlySet<number> = new Set([
  ...[0x09, 0x0a, 0x0d, 0x20],
  // What is no white space in JSON, and is written for it.
  ...[0xa0, 0x180e, 0x202f, 0x205f, 0x3000, 0xfeff],
  ...Array.from({ length: 12 }, (_, index) => 0x2000 + index),
]);

/** Where the white space that begins there ends. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && spaceCodes.has(text.charCodeAt(at))) at++;
  return at;
}

/** Closing quotes by the opening one. */
const quotes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["“", "”“"],
  ["”", "”“"],
  ["‘", "’‘"],
  ["’", "’‘"],
  ["`", "`'"],
]);

/** The quotes that may end a text which the character begins; undefined where it begins none. */
export const closingQuotes = (opening: string | undefined): string | undefined =>
  opening === undefined ? undefined : quotes.get(opening);

export const FENCE = "```";

export const isFence = (text: string, at: number): boolean => text[at] === "`" && text.startsWith(FENCE, at);

/** Whether nothing but white space stands before it in its line. */
export function isLineStart(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === " " || text[before] === "\t") before--;
  return before < 0 || text[before] === "\n" || text[before] === "\r";
}

/** A fence within a line is part of a text. */
export const isFenceLine = (text: string, at: number): boolean => isFence(text, at) && isLineStart(text, at);

/** Characters between which names and numbers without quotes stand. */
export const isDelimiter = (char: string | undefined): boolean =>
  char === undefined || ",:{}[]".includes(char) || spaceCodes.has(char.charCodeAt(0));

/** Whether a quote at that place ends a text: what follows is what can follow a value or a name. */
export function endsText(text: string, quoteAt: number): boolean {
  const next = skipSpace(text, quoteAt + 1);
  const char = text[next];
  if (char === undefined || ",:}]".includes(char) || isFenceLine(text, next)) return true;
  if (startsComment(text, next)) return next > quoteAt + 1;
  // A comma is missing: the next name or value stands on a line of its own, or is a name.
  if (!beginsValue(text, next)) return false;
  return text.slice(quoteAt + 1, next).includes("\n") || (next > quoteAt + 1 && beginsName(text, next));
}

const beginsValue = (text: string, at: number): boolean => /["'“‘{[\d\-a-zA-Z_]/.test(text[at] ?? "");

/** The longest name that is looked for behind a missing comma. */
const MOST_NAME = 64;

/** Whether a name with its colon stands there. */
function beginsName(text: string, at: number): boolean {
  const closing = closingQuotes(text[at]);
  if (closing === undefined) return false;
  for (let end = at + 1; end < Math.min(text.length, at + MOST_NAME); end++) {
    const char = text[end] ?? "";
    if ("\\\n,{}[]".includes(char)) return false;
    if (closing.includes(char)) return text[skipSpace(text, end + 1)] === ":";
  }
  return false;
}

export function startsComment(text: string, at: number): boolean {
  const char = text[at];
  if (char === "#") return true;
  return char === "/" && (text[at + 1] === "/" || text[at + 1] === "*");
}

/** Where a comment ends. */
export function endOfComment(text: string, at: number): number {
  const isBlock = text[at + 1] === "*" && text[at] === "/";
  const end = text.indexOf(isBlock ? "*/" : "\n", at + (isBlock ? 2 : 1));
  if (end < 0) return text.length;
  return isBlock ? end + 2 : end;
}
