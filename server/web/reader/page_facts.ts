/** Facts that are told of a page besides its text, and why it has none. */

import { cutWhole } from "../../../shared/util/text.ts";
import { visibleText } from "../../../shared/util/visible_text.ts";
import type { ReadDocument, TextLack } from "./messages.ts";

/** Addresses of pictures that nobody describes are no text. */
export function withLack<Read extends Pick<ReadDocument, "text" | "lack">>(read: Read, lack: TextLack): Read {
  const isBlank = read.text.replaceAll(/!\[\]\([^()\s]*\)/g, "").trim() === "";
  return isBlank ? { ...read, text: "", lack: read.lack === "hidden" ? read.lack : lack } : read;
}

export const shownFact = (text: string | undefined, most: number): string | undefined =>
  text === undefined ? undefined : cutWhole(visibleText(text).trim(), most) || undefined;

/** Words of dates, by their first three letters. */
const dateWords: ReadonlySet<string> = new Set(
  ("jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun am pm gmt utc est edt cst cdt mst " +
    "mdt pst pdt cet ces t z th st nd rd of at").split(" "),
);
const LONGEST_WORD = 9;

/** A page shows nobody this fact: it may be a date and nothing else. */
export function asDate(text: string | undefined): string | undefined {
  if (text === undefined || !/\d/.test(text) || /[^\w\s,.:+\/()-]/.test(text)) return undefined;
  const words = text.toLowerCase().match(/[a-z_]+/g) ?? [];
  return words.every((word) => word.length <= LONGEST_WORD && dateWords.has(word.slice(0, 3)))
    ? text
    : undefined;
}
