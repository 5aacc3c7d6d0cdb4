/** Parts of an item, whatever its type. */

import type { ContentPart, Item } from "./item.ts";

const none: readonly ContentPart[] = [];

/** Parts of a message or of a tool's result; none where the result is a plain text. */
export function contentParts(item: Item): readonly ContentPart[] {
  if (item.type === "message") return item.parts;
  return item.type === "result" && typeof item.output !== "string" ? item.output : none;
}
