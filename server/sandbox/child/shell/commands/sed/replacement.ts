/** Makes the text that a match is replaced with, as GNU's sed: groups, and the case of what follows. */

type CaseOf = "" | "U" | "L";

const inCase = (text: string, to: string): string =>
  to.toUpperCase() === "U" ? text.toUpperCase() : to.toUpperCase() === "L" ? text.toLowerCase() : text;

/** Characters of `\x41`. */
const HEXADECIMAL = 4;
const controls: ReadonlyMap<string, string> = new Map([["n", "\n"], ["t", "\t"], ["r", "\r"], ["f", "\f"]]);

export function replaced(replacement: string, groups: readonly (string | undefined)[]): string {
  let out = "";
  let lasting: CaseOf = "";
  let next = "";
  const add = (text: string) => {
    if (text === "") return;
    const [first = ""] = text;
    out += next === ""
      ? inCase(text, lasting)
      : inCase(first, next) + inCase(text.slice(first.length), lasting);
    next = "";
  };
  for (const [part] of replacement.matchAll(/\\x[0-9a-fA-F]{2}|\\[\s\S]|&|[^\\&]+/g)) {
    const letter = part.charAt(1);
    if (part === "&") add(groups[0] ?? "");
    else if (!part.startsWith("\\")) add(part);
    else if (part.length === HEXADECIMAL) add(String.fromCharCode(Number.parseInt(part.slice(2), 16)));
    else if (/\d/.test(letter)) add(groups[Number(letter)] ?? "");
    else if (letter === "U" || letter === "L") [lasting, next] = [letter, ""];
    else if (letter === "E") [lasting, next] = ["", ""];
    else if (letter === "u" || letter === "l") next = letter;
    else add(controls.get(letter) ?? letter);
  }
  return out;
}
