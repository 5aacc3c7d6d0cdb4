/** The marks in front of the items of a Word document's lists, counted as Word does. */

import type { XmlElement } from "../xml.ts";
import type { ListPlace } from "./word_styles.ts";

interface ListLevel {
  /** Its name in the file: bullets, decimal numbers, letters … */
  readonly format: string;
  /** With `%1` for the number of the first level. */
  readonly template: string;
  readonly start: number;
}

interface WordList {
  /** Lists of one kind count together. */
  readonly kind: string;
  readonly levels: ReadonlyMap<number, ListLevel>;
}

const bullet: ListLevel = { format: "bullet", template: "", start: 1 };

export class ListMarkers {
  readonly #lists: ReadonlyMap<string, WordList>;
  /** Numbers of each kind of list, by level. */
  readonly #counts = new Map<string, number[]>();

  constructor(numbering: XmlElement | undefined) {
    this.#lists = listsOf(numbering);
  }

  /** `-`, or the number that Word shows. Undefined where the paragraph is in no list. */
  next({ id, level }: ListPlace): string | undefined {
    const list = this.#lists.get(id);
    if (list === undefined) return undefined;
    const own = list.levels.get(level) ?? bullet;
    const counts = this.#counts.get(list.kind) ?? [];
    counts[level] = (counts[level] ?? own.start - 1) + 1;
    counts.length = level + 1;
    this.#counts.set(list.kind, counts);
    if (own.format === "bullet") return "-";
    if (own.format === "none") return undefined;
    const shown = own.template.replaceAll(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const { format, start } = list.levels.get(at) ?? own;
      return ordinal(counts[at] ?? start, format);
    });
    return shown.trim() === "" ? "-" : shown.trim();
  }
}

function listsOf(numbering: XmlElement | undefined): ReadonlyMap<string, WordList> {
  const kinds = new Map(
    (numbering?.all("abstractNum") ?? []).map((kind) => [kind.attribute("w:abstractNumId") ?? "", kind]),
  );
  return new Map((numbering?.all("num") ?? []).map((list) => {
    const kind = list.find("abstractNumId")?.attribute("w:val") ?? "";
    const levels = (kinds.get(kind)?.all("lvl") ?? []).map((level) =>
      [Number(level.attribute("w:ilvl") ?? 0), levelOf(level)] as const
    );
    return [list.attribute("w:numId") ?? "", { kind, levels: new Map(levels) }];
  }));
}

const levelOf = (level: XmlElement): ListLevel => ({
  format: level.find("numFmt")?.attribute("w:val") ?? "decimal",
  template: level.find("lvlText")?.attribute("w:val") ?? "",
  start: Number(level.find("start")?.attribute("w:val") ?? 1) || 0,
});

const LETTERS = 26;
const roman: readonly (readonly [number, string])[] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];
/** Longer ones nobody reads. */
const LAST_ROMAN = 3_999;

function ordinal(count: number, format: string): string {
  const lower = format.replace(/^(?:upper|lower)/, "");
  const shown = lower === "Letter" ? letterOf(count) : lower === "Roman" ? romanOf(count) : String(count);
  return format.startsWith("upper") ? shown.toUpperCase() : shown;
}

/** As Word counts: z, aa, bb. */
function letterOf(count: number): string {
  if (count < 1) return String(count);
  const letter = String.fromCharCode("a".charCodeAt(0) + (count - 1) % LETTERS);
  return letter.repeat(Math.min(9, Math.ceil(count / LETTERS)));
}

function romanOf(count: number): string {
  if (count < 1 || count > LAST_ROMAN) return String(count);
  let [rest, text] = [count, ""];
  for (const [value, letters] of roman) {
    for (; rest >= value; rest -= value) text += letters;
  }
  return text;
}
