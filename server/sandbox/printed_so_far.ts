/** Collects what a command had printed when it was ended. */

import { MAX_OUTPUT_BYTES, printedSchema } from "./messages.ts";
import { decodePack } from "./pack.ts";

export class PrintedSoFar {
  readonly #stdout = new PrintedText();
  readonly #stderr = new PrintedText();

  /** Takes a pack. Throws for what is none. */
  readonly add = (pack: Uint8Array<ArrayBuffer>): void => {
    const { value, bytes } = decodePack(pack);
    const { stdout, stderr } = printedSchema.parse(value);
    this.#stdout.add(bytes.subarray(0, stdout));
    this.#stderr.add(bytes.subarray(stdout, stdout + stderr));
  };

  get texts(): { readonly stdout: string; readonly stderr: string } {
    return { stdout: this.#stdout.text, stderr: this.#stderr.text };
  }
}

/** UTF-8 in parts, its beginning kept. */
class PrintedText {
  readonly #decoder = new TextDecoder();
  #left = MAX_OUTPUT_BYTES;
  text = "";

  add(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, this.#left);
    this.#left -= kept.length;
    this.text += this.#decoder.decode(kept, { stream: true });
  }
}
