/** Inputs that a service has let through: a conversation comes again with each turn and need not be judged anew. */

import { hash } from "node:crypto";
import type { ModerationInput } from "./wires/wire.ts";

const MOST = 10_000;
/** Longer ones are judged each time: to hash them would hold up others. */
const LONGEST = 1_000_000;

export class PassedInputs {
  #newer = new Set<string>();
  #older: ReadonlySet<string> = new Set();

  has(input: ModerationInput): boolean {
    if (lengthOf(input) > LONGEST) return false;
    const digest = digestOf(input);
    return this.#newer.has(digest) || this.#older.has(digest);
  }

  add(input: ModerationInput): void {
    if (lengthOf(input) > LONGEST) return;
    this.#newer.add(digestOf(input));
    if (this.#newer.size < MOST) return;
    this.#older = this.#newer;
    this.#newer = new Set();
  }
}

const lengthOf = (input: ModerationInput): number =>
  input.type === "text" ? input.text.length : input.url.length;

const digestOf = (input: ModerationInput): string =>
  hash("sha256", input.type === "text" ? `text:${input.text}` : `image:${input.url}`, "base64");
