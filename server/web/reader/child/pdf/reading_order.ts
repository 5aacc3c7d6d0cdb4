/** The order in which a line is read: some programs place each letter of a line from right to left by itself. */

export interface PlacedItem {
  readonly str: string;
  readonly dir: string;
  /** The fifth number says how far from the left it begins. */
  readonly transform: readonly number[];
  readonly hasEOL: boolean;
}

/** Turns runs of items from right to left round that lie from left to right. */
export function inReadingOrder<Item extends PlacedItem>(items: readonly Item[]): readonly Item[] {
  const ordered: Item[] = [];
  let run: Item[] = [];
  const endRun = () => {
    for (const item of turned(run)) ordered.push(item);
    run = [];
  };
  for (const item of items) {
    const goesOn = item.dir === "rtl" || run.length > 0 && item.str.trim() === "" && !item.hasEOL;
    if (!goesOn) endRun();
    if (goesOn) run.push(item);
    else ordered.push(item);
    if (item.hasEOL) endRun();
  }
  endRun();
  return ordered;
}

function turned<Item extends PlacedItem>(run: readonly Item[]): readonly Item[] {
  const last = run.at(-1);
  const [start, end] = [leftOf(run[0]), leftOf(last)];
  if (run.length < 2 || last === undefined || start >= end) return run;
  const ends = run.map(({ hasEOL }) => hasEOL);
  return run.toReversed().map((item, at) => ({ ...item, hasEOL: ends[at] ?? false }));
}

const leftOf = (item: PlacedItem | undefined): number => item?.transform[4] ?? 0;

/** Letters in the form that they have at their place in a word, as the letters that they are. */
export const plainLetters = (text: string): string =>
  text.replaceAll(/[\uFB50-\uFDFF\uFE70-\uFEFC]+/g, (letters) => letters.normalize("NFKC"));
