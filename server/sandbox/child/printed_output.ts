/** Reports a command's output as it is printed: the command may be ended in the middle. */

import { MAX_OUTPUT_BYTES } from "../messages.ts";
import { encodePack } from "../pack.ts";

/** Statements that print more often are told together. */
const EVERY_MS = 100;
/** Number of writes of Python that are reported at once; further ones are reported as those of statements. */
const AT_ONCE = 1_000;

export type OutputName = "stdout" | "stderr";

interface PrintedOutputOptions {
  readonly monotonic: () => number;
  /** Sends a pack; it is on its way when this returns, unless the pipe is being written to. */
  readonly send: (pack: Uint8Array) => Promise<void>;
}

interface Printed {
  readonly name: OutputName;
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();

export class PrintedOutput {
  readonly #options: PrintedOutputOptions;
  #untold: Printed[] = [];
  #toldAt: number;
  /** Bytes that may still be told. */
  #left = MAX_OUTPUT_BYTES;
  #atOnce = AT_ONCE;

  constructor(options: PrintedOutputOptions) {
    this.#options = options;
    this.#toldAt = options.monotonic();
  }

  /** Takes what a part of a script has printed. */
  async add({ stdout, stderr }: Readonly<Record<OutputName, string>>): Promise<void> {
    if (this.#left === 0) return;
    this.#keep("stdout", encoder.encode(stdout));
    this.#keep("stderr", encoder.encode(stderr));
    if (this.#isDue) await this.tell();
  }

  /** Takes what a program writes, in the moment in which it does. The bytes may be the program's own memory. */
  write(name: OutputName, bytes: Uint8Array): void {
    if (this.#left === 0) return;
    this.#keep(name, bytes.slice());
    if (this.#atOnce > 0 || this.#isDue) this.#tellNow();
  }

  /** Tells what is not told yet. */
  async tell(): Promise<void> {
    if (this.#untold.length === 0) return;
    const [stdout, stderr] = [this.#take("stdout"), this.#take("stderr")];
    this.#untold = [];
    this.#toldAt = this.#options.monotonic();
    await this.#options.send(encodePack({ stdout: stdout.length, stderr: stderr.length }, [stdout, stderr]));
  }

  #tellNow(): void {
    this.#atOnce--;
    this.tell().catch(() => {
      // The gateway has gone, and this process ends with the pipe.
    });
  }

  get #isDue(): boolean {
    return this.#options.monotonic() - this.#toldAt >= EVERY_MS;
  }

  #keep(name: OutputName, bytes: Uint8Array): void {
    if (bytes.length > 0) this.#untold.push({ name, bytes });
  }

  #take(wanted: OutputName): Uint8Array {
    const parts = this.#untold.flatMap(({ name, bytes }) => name === wanted ? [bytes] : []);
    const bytes = Buffer.concat(parts).subarray(0, this.#left);
    this.#left -= bytes.length;
    return bytes;
  }
}
