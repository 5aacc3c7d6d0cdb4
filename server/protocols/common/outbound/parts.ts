/** Content parts as most wires see them: text, and what is no text. */

import type { ContentPart } from "../../../canonical/item.ts";

export const isTextPart = (part: ContentPart): boolean => part.type === "text" || part.type === "refusal";

/** The texts of the parts, a line each; a refusal is what the assistant said. */
export function partsText(parts: readonly ContentPart[]): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === "text" || part.type === "refusal") texts.push(part.text);
  }
  return texts.length === 1 ? texts[0] ?? "" : texts.join("\n");
}

/** The parts that are no text. */
export function nonTextParts(parts: readonly ContentPart[]): readonly ContentPart[] {
  return parts.filter((part) => !isTextPart(part));
}
