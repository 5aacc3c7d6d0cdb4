/** How differences are shown. */

import type { Change } from "./lines.ts";

export interface FileLines {
  readonly lines: readonly string[];
  readonly isTerminated: boolean;
}

interface Compared {
  readonly a: FileLines;
  readonly b: FileLines;
  readonly changes: readonly Change[];
}

const NO_END = "\\ No newline at end of file\n";

function shownLine(mark: string, { file, at }: { readonly file: FileLines; readonly at: number }): string {
  const isCut = at === file.lines.length - 1 && !file.isTerminated;
  return `${mark}${file.lines[at] ?? ""}\n${isCut ? NO_END : ""}`;
}

const shownLines = (mark: string, { file, from, to }: {
  readonly file: FileLines;
  readonly from: number;
  readonly to: number;
}): string =>
  Array.from({ length: to - from }, (_none, at) => shownLine(mark, { file, at: from + at })).join("");

/** Numbers as the normal form has them. */
const rangeOf = (from: number, to: number): string =>
  to - from > 1 ? `${from + 1},${to}` : String(to > from ? from + 1 : from);

export function normalForm({ a, b, changes }: Compared): string {
  return changes.map(({ oldFrom, oldTo, newFrom, newTo }) => {
    const [goes, comes] = [oldTo > oldFrom, newTo > newFrom];
    const letter = goes && comes ? "c" : goes ? "d" : "a";
    const removed = shownLines("< ", { file: a, from: oldFrom, to: oldTo });
    const added = shownLines("> ", { file: b, from: newFrom, to: newTo });
    return `${rangeOf(oldFrom, oldTo)}${letter}${rangeOf(newFrom, newTo)}\n${removed}${
      goes && comes ? "---\n" : ""
    }${added}`;
  }).join("");
}

const unifiedRange = (from: number, to: number): string =>
  to - from === 1 ? String(from + 1) : `${to > from ? from + 1 : from},${to - from}`;

/** With `context` lines around each change. */
export function unifiedForm(compared: Compared, context: number): string {
  const groups: Change[][] = [];
  for (const change of compared.changes) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && change.oldFrom - last.oldTo <= 2 * context) groups.at(-1)?.push(change);
    else groups.push([change]);
  }
  return groups.map((group) => hunk(compared, { group, context })).join("");
}

function hunk(
  { a, b }: Compared,
  { group, context }: { readonly group: readonly Change[]; readonly context: number },
) {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return "";
  const before = Math.min(context, first.oldFrom);
  const behind = Math.min(context, a.lines.length - last.oldTo);
  const [from, to] = [first.oldFrom - before, last.oldTo + behind];
  const range = `-${unifiedRange(from, to)} +${unifiedRange(first.newFrom - before, last.newTo + behind)}`;
  let [out, at] = [`@@ ${range} @@\n`, from];
  for (const { oldFrom, oldTo, newFrom, newTo } of group) {
    out += shownLines(" ", { file: a, from: at, to: oldFrom });
    out += shownLines("-", { file: a, from: oldFrom, to: oldTo });
    out += shownLines("+", { file: b, from: newFrom, to: newTo });
    at = oldTo;
  }
  return out + shownLines(" ", { file: a, from: at, to });
}
