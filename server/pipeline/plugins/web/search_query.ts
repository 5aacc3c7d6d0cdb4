/** The query of the search that the plugin `web` makes: the user's latest text. */

import { cutWords } from "../../../../shared/util/text.ts";
import type { Item, MessageItem } from "../../../protocols/canonical/item.ts";

/** UTF-16 units. */
const LONGEST = 400;

/** The latest message of the user that has a text; -1 where there is none. */
export const questionAt = (input: readonly Item[]): number =>
  input.findLastIndex((item) =>
    item.type === "message" && item.role === "user" && textOf(item).trim() !== ""
  );

/** Without blocks of code and quoted lines; empty where nothing else was said. */
export function searchQuery(input: readonly Item[]): string {
  const item = input[questionAt(input)];
  if (item?.type !== "message") return "";
  return cutWords(ownWords(textOf(item)), LONGEST);
}

/** The texts of a message. */
const textOf = ({ parts }: MessageItem): string =>
  parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n");

/** Lines that are neither code between fences nor quoted, as one. */
function ownWords(text: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of text.split(/\r\n|[\n\r]/)) {
    const mark = fenceOf(line);
    if (fence !== undefined) {
      if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) fence = mark;
    else if (!line.trimStart().startsWith(">")) kept.push(line);
  }
  return kept.join(" ").split(/\s+/).filter(Boolean).join(" ");
}

/** The marks with which a line begins or ends a block of code. */
function fenceOf(line: string): string | undefined {
  const start = line.trimStart();
  const [letter] = start;
  if (letter !== "`" && letter !== "~") return undefined;
  let length = 0;
  while (start[length] === letter) length++;
  return length < 3 ? undefined : letter.repeat(length);
}
