/** Content parts as most wires see them: text, and what is no text. */

import type { ContentPart } from "../../canonical/item.ts";

/** Whether a part is text. A part that is foreign to this wire counts as text: only its words are known. */
export const isTextPart = (part: ContentPart): boolean =>
  part.type === "text" || part.type === "refusal" || part.type === "foreign";

/** The texts of the parts, a line each; a refusal is what the assistant said. */
export function partsText(parts: readonly ContentPart[]): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === "text" || part.type === "refusal") texts.push(part.text);
    if (part.type === "foreign" && part.textFallback) texts.push(part.textFallback);
  }
  return texts.length === 1 ? texts[0] ?? "" : texts.join("\n");
}

/** The parts that are no text. */
export function nonTextParts(parts: readonly ContentPart[]): readonly ContentPart[] {
  return parts.filter((part) => !isTextPart(part));
}
