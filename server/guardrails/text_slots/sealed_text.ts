/** Reasoning that the gateway has encoded for its way to a client and back: its texts can be read, not replaced. */

import { readMarkedReasoning } from "../../canonical/encrypted_reasoning.ts";

export class SealedText {
  readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    this.texts = texts;
  }

  /** A signature is of the texts as they were, so nothing of it can go on. */
  write(): undefined {
    return undefined;
  }
}

/** Undefined for what only its maker can read. */
export function parseSealed(encrypted: string): SealedText | undefined {
  const inside = readMarkedReasoning(encrypted);
  return inside && new SealedText([...inside.content, ...inside.summary]);
}
