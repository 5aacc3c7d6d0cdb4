/** Content parts as most wires see them: text, and what is no text. */

import type { Part } from "../../../canonical/item.ts";

export const isText = (part: Part): boolean => part.type === "text" || part.type === "refusal";

/** The texts of the parts, a line each; a refusal is what the assistant said. */
export function textOf(parts: readonly Part[]): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === "text" || part.type === "refusal") texts.push(part.text);
  }
  return texts.length === 1 ? texts[0] ?? "" : texts.join("\n");
}

/** The parts that are no text. */
export function mediaOf(parts: readonly Part[]): readonly Part[] {
  return parts.filter((part) => !isText(part));
}
