/** Reasoning that the gateway has encoded for its way to a client and back: its texts can be read, not replaced. */

import type { Work } from "../../../../shared/util/run_work.ts";
import { readMarkedReasoning } from "../../../protocols/canonical/encrypted_reasoning.ts";

export class SealedText {
  readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    this.texts = texts;
  }

  /** A signature is of the texts as they were, so nothing of it can go on. */
  // deno-lint-ignore require-yield -- others have more to write
  *write(): Work<undefined> {
    return undefined;
  }
}

/** Undefined for what only its maker can read. */
export function parseSealed(encrypted: string): SealedText | undefined {
  const inside = readMarkedReasoning(encrypted);
  return inside && new SealedText([...inside.content, ...inside.summary]);
}
