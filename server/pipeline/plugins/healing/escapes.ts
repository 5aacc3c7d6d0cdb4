/** Backslashes in the texts of faulty JSON. */

import { Unhealed } from "./healing_reasons.ts";

const escapes: ReadonlyMap<string, string> = new Map([
  ...[..."\"\\/'"].map((char) => [char, char] as const),
  ...([["b", "\b"], ["f", "\f"], ["n", "\n"], ["r", "\r"], ["t", "\t"]] as const),
]);

/** Long enough for what stands before a backslash: a letter of a drive, and what is before it. */
const DRIVE_LENGTH = 3;
const DRIVE = /(?:^|[^\p{L}\p{N}])[A-Za-z]:$/u;

/**
 * Whether a backslash seems to stand for itself, though JSON has an escape for what follows: in a path of Windows
 * (`C:\new`), and before letters that make controls which no text has (`\beta`, `\frac`).
 */
export function isUnescaped(
  source: string,
  { at, read }: { readonly at: number; readonly read: string },
): boolean {
  if (read === "\b" || read === "\f") return true;
  return read !== "\\" && DRIVE.test(source.slice(Math.max(0, at - DRIVE_LENGTH), at));
}

/** An escape and the character that it stands for. Throws Unhealed for one that JSON does not have. */
export function readEscape(source: string, at: number): readonly [escape: string, char: string] {
  const letter = source[at + 1] ?? "";
  if (letter === "u") {
    const hex = source.slice(at + 2, at + 6);
    if (!/^[0-9a-fA-F]{4}$/.test(hex)) throw new Unhealed("unclear");
    return [source.slice(at, at + 6), String.fromCharCode(parseInt(hex, 16))];
  }
  const char = escapes.get(letter);
  if (char === undefined) throw new Unhealed("unclear");
  return [source.slice(at, at + 2), char];
}
