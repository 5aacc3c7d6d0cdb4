/** What a command has printed before it ends, told now and then: it may be ended in the middle. */

import { MAX_OUTPUT_BYTES } from "../messages.ts";
import { encodePack } from "../pack.ts";

/** A command that ends sooner tells all of it at once. */
const EVERY_MS = 100;

export interface PrintedOutputOptions {
  readonly monotonic: () => number;
  /** Sends a pack. */
  readonly send: (pack: Uint8Array) => Promise<void>;
}

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

export class PrintedOutput {
  readonly #options: PrintedOutputOptions;
  #untold: Printed[] = [];
  #toldAt: number;
  /** Bytes that may still be told. */
  #left = MAX_OUTPUT_BYTES;

  constructor(options: PrintedOutputOptions) {
    this.#options = options;
    this.#toldAt = options.monotonic();
  }

  async add(printed: Printed): Promise<void> {
    const { monotonic, send } = this.#options;
    this.#untold.push(printed);
    if (monotonic() - this.#toldAt < EVERY_MS || this.#left === 0) return;
    const [stdout, stderr] = [this.#take("stdout"), this.#take("stderr")];
    this.#untold = [];
    await send(encodePack({ stdout: stdout.length, stderr: stderr.length }, [stdout, stderr]));
    this.#toldAt = monotonic();
  }

  /** UTF-8. */
  #take(name: keyof Printed): Uint8Array {
    const text = this.#untold.map((printed) => printed[name]).join("");
    const bytes = new TextEncoder().encode(text).subarray(0, this.#left);
    this.#left -= bytes.length;
    return bytes;
  }
}
