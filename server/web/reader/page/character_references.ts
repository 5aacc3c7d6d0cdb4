/** Character references of HTML: by number, and by name. */

import { characterNames } from "./character_names.ts";

/** Names with their characters; `old`: it counts without a semicolon too. */
const named = characterNames.split(" ").flatMap((entry) => {
  const [all = "", points = ""] = entry.split("=");
  const text = String.fromCodePoint(...points.split(".").map((point) => Number.parseInt(point, 16)));
  return all.split(",").map((name) => ({ name: name.replace("*", ""), text, old: name.endsWith("*") }));
});
const names: ReadonlyMap<string, string> = new Map(named.map(({ name, text }) => [name, text]));
const oldNames: ReadonlyMap<string, string> = new Map(
  named.filter(({ old }) => old).map(({ name, text }) => [name, text]),
);

const LONGEST_OLD = Math.max(...oldNames.keys().map(({ length }) => length));

/** Longest reference that is looked for: a text may be cut before one, but not within. */
export const MOST_REFERENCE = 128;

const REFERENCE = /&(?:#(\d+);?|#[xX]([\da-fA-F]+);?|([A-Za-z][A-Za-z\d]{1,30})(;?))/g;
/** Without its semicolon a name ends before anything that a name, or a parameter of an address, could go on with. */
const ATTRIBUTE_REFERENCE =
  /&(?:#(\d+);?|#[xX]([\da-fA-F]+);?|([A-Za-z][A-Za-z\d]{1,30})(;|(?![=A-Za-z\d])))/g;

/** The characters instead of their references; what is none stays as it is. */
export function decodeReferences(text: string, place: "text" | "attribute"): string {
  if (!text.includes("&")) return text;
  const pattern = place === "text" ? REFERENCE : ATTRIBUTE_REFERENCE;
  return text.replaceAll(pattern, (whole: string, ...[decimal, hex, name, end]: readonly string[]) => {
    if (decimal !== undefined) return characterOf(Number.parseInt(decimal, 10));
    if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
    const known = (end === ";" ? names : oldNames).get(name ?? "");
    return known ?? (place === "text" ? withOldName(name ?? "", end ?? "") : undefined) ?? whole;
  });
}

/** Decodes an old name that letters follow, as in texts it may be: `&notit;` is `¬it;`. Undefined where there is none. */
function withOldName(name: string, end: string): string | undefined {
  for (let length = Math.min(name.length - 1, LONGEST_OLD); length > 1; length--) {
    const known = oldNames.get(name.slice(0, length));
    if (known !== undefined) return known + name.slice(length) + end;
  }
  return undefined;
}

const UNKNOWN = "\ufffd";
const LAST = 0x10ffff;

/** Numbers of control characters mean those of windows-1252 there. */
function characterOf(number: number): string {
  if (number >= 0x80 && number <= 0x9f) return new TextDecoder("windows-1252").decode(Uint8Array.of(number));
  if (number === 0 || number > LAST || (number >= 0xd800 && number <= 0xdfff)) return UNKNOWN;
  return String.fromCodePoint(number);
}
