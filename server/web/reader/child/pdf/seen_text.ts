/** The text of a page without what the page hides. */

import type { PaintedText } from "./painted_text.ts";
import { inReadingOrder, type PlacedItem, plainLetters } from "./reading_order.ts";

/** A piece of text in the order of the page, as PDF.js joins what belongs together. */
type TextItem = PlacedItem;

export interface SeenText {
  readonly text: string;
  readonly hidText: boolean;
}

const asText = (items: readonly TextItem[]): string =>
  plainLetters(inReadingOrder(items).map(({ str, hasEOL }) => str + (hasEOL ? "\n" : "")).join("").trim());

export function seenText(
  items: readonly TextItem[],
  { painted, hasPictures }: { readonly painted: readonly PaintedText[]; readonly hasPictures: boolean },
): SeenText {
  const isScan = hasPictures && isMostlyUnpainted(painted);
  const isHidden = ({ hidden }: PaintedText) => hidden !== undefined && !(isScan && hidden === "unpainted");
  if (!painted.some((one) => isHidden(one) && one.text.trim() !== "")) {
    return { text: asText(items), hidText: false };
  }
  const letters = painted.flatMap((one): readonly Letter[] => {
    const isSeen = !isHidden(one);
    return lettersOf(one.text).map((letter) => ({ letter, isSeen }));
  });
  const kept = withoutHidden(items, letters);
  return {
    text: kept === undefined ? joined(painted.filter((one) => !isHidden(one))) : asText(kept),
    hidText: true,
  };
}

/** The text of a scan lies unseen on its picture. */
function isMostlyUnpainted(painted: readonly PaintedText[]): boolean {
  const length = (texts: readonly PaintedText[]) => texts.reduce((sum, { text }) => sum + text.length, 0);
  return length(painted.filter(({ hidden }) => hidden === "unpainted")) * 2 > length(painted);
}

interface Letter {
  readonly letter: string;
  readonly isSeen: boolean;
}

const lettersOf = (text: string): readonly string[] => [...text.normalize("NFKC").replaceAll(/\s/g, "")];

/** Undefined where the items are not the same letters in the same order. */
function withoutHidden(
  items: readonly TextItem[],
  letters: readonly Letter[],
): readonly TextItem[] | undefined {
  const kept: TextItem[] = [];
  let position = 0;
  for (const item of items) {
    const own = lettersOf(item.str);
    const part = letters.slice(position, position + own.length);
    position += own.length;
    // Words from right to left are turned round within their item.
    if (sorted(own) !== sorted(part.map(({ letter }) => letter))) return undefined;
    if (part.every(({ isSeen }) => isSeen)) kept.push(item);
    else if (part.some(({ isSeen }) => isSeen)) kept.push({ ...item, str: seenLetters(part) });
    else kept.push({ ...item, str: "" });
  }
  return position === letters.length ? kept : undefined;
}

const sorted = (letters: readonly string[]): string => letters.toSorted().join("");

const seenLetters = (part: readonly Letter[]): string =>
  part.filter(({ isSeen }) => isSeen).map(({ letter }) => letter).join("");

const joined = (painted: readonly PaintedText[]): string =>
  painted.map(({ text, startsLine }) => (startsLine ? "\n" : "") + text).join("").trim();
