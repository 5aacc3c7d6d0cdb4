/** One run of a program that reads its input, writes its output and ends. */

import type { Clock } from "../../runtime.ts";
import type { RunOutcome } from "./messages.ts";
import type { Program } from "./programs.ts";
import { WatchedChild } from "./watched_child.ts";

interface ChildRunOptions {
  readonly program: Omit<Program, "installArgs">;
  readonly input: Uint8Array<ArrayBuffer>;
  /** All of the environment that the program gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

export interface RunResult {
  readonly outcome: RunOutcome;
  readonly output: Uint8Array<ArrayBuffer>;
  /** Text that the program wrote on its standard error, cut. */
  readonly errorText: string;
}

export class ChildRun {
  readonly #child: WatchedChild;
  readonly result: Promise<RunResult>;

  /** Throws when the system does not start it. */
  constructor({ program, input, env, clock }: ChildRunOptions) {
    const { args, memoryKib, niceness } = program;
    this.#child = new WatchedChild({ args, env, memoryKib, niceness, clock });
    this.#child.limitTime(program.timeMs);
    this.result = this.#run(input, program.outputBytes);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Ends it at once, as `outcome`; harmless when it has ended. */
  kill(outcome: RunOutcome): void {
    this.#child.kill(outcome);
  }

  async #run(input: Uint8Array<ArrayBuffer>, outputBytes: number): Promise<RunResult> {
    const [output] = await Promise.all([this.#collect(outputBytes), send(this.#child.stdin, input)]);
    const { outcome, errorText } = await this.#child.end();
    return { outcome, output: outcome === "done" ? output : new Uint8Array(0), errorText };
  }

  /** Beyond `limit` the program is ended. */
  async #collect(limit: number): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for await (const chunk of this.#child.stdout) {
      size += chunk.length;
      if (size > limit) this.kill("output_limit");
      else chunks.push(chunk);
    }
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  }
}

/** A program that ends before it has read everything has its reasons. */
async function send(
  stdin: WritableStream<Uint8Array<ArrayBuffer>>,
  input: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(input);
    await writer.close();
  } catch (_error) {
    // The pipe is broken: its status says why.
  }
}
