/** A page's statements of numbers, defaults and texts, each with what holds it. */

/** A phrase that is made of values of the code: it stands on the page as long as they are what the page says. */
export interface HeldPhrase {
  readonly says: string;
}

/** Part of a page, and a file with what stands there: the line that decides it, or the name of the test that does. */
export type HeldByLine = readonly [says: string, file: string, line: string];

export type HeldRow = HeldPhrase | HeldByLine;

/** Part of a page (of a heading, its whole section) that nothing of the code decides, and why. */
export type NotHeld = readonly [says: string, reason: string];

export interface HeldPage {
  readonly rows: readonly HeldRow[];
  readonly others?: readonly NotHeld[];
}

export const isByLine = (row: HeldRow): row is HeldByLine => Array.isArray(row);

export const phraseOf = (row: HeldRow): string => isByLine(row) ? row[0] : row.says;

/** Writes a number as the documents do: 100,000. */
const written = (value: number | string): string =>
  typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 6 }) : value;

/** Makes a phrase of a page out of values: says`up to ${MAX_WORDS} words`. */
export function says(parts: TemplateStringsArray, ...values: readonly (number | string)[]): HeldPhrase {
  if (values.length === 0) throw new Error(`No value of the code holds: ${parts.join("")}`);
  return { says: String.raw({ raw: parts }, ...values.map(written)) };
}

/** Sizes in MiB, KiB and GiB, times in seconds and minutes, as the documents write them. */
export const mib = (bytes: number): string => `${written(bytes / 1024 ** 2)} MiB`;
export const kib = (bytes: number): string => `${written(bytes / 1024)} KiB`;
export const gib = (bytes: number): string => `${written(bytes / 1024 ** 3)} GiB`;
export const seconds = (ms: number): number => ms / 1000;

const WORDS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

const TIMES: ReadonlyMap<number, string> = new Map([
  [500, "half a second"],
  [1_000, "a second"],
  [60_000, "a minute"],
  [3_600_000, "an hour"],
]);

/** Writes a time as words: a minute. Throws for one that has none. */
export function timeInWords(ms: number): string {
  const words = TIMES.get(ms);
  if (words === undefined) throw new Error(`${ms} ms have no words here`);
  return words;
}

/** Writes a small number as a word. Throws for one above ten. */
export function inWords(value: number): string {
  const word = WORDS[value];
  if (word === undefined) throw new Error(`${value} has no word here`);
  return word;
}
