/** One program in a sandbox: started, fed, watched and ended by the keeper. */

import { statfsSync } from "node:fs";
import type { Cancel, Clock } from "../../runtime.ts";
import { CLOCK_FACTOR } from "../keeper/messages.ts";
import type { BoxEnd } from "./box_messages.ts";
import { CutOutput } from "./box_output.ts";
import { type BoxProgramName, boxPrograms } from "./box_programs.ts";
import { endSandbox, firstProcess, treeUsage } from "./process_tree.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type OutputName = "stdout" | "stderr";

interface BoxRunOptions {
  readonly chain: readonly string[];
  readonly program: BoxProgramName;
  /** Milliseconds of the processor; {@link CLOCK_FACTOR} times as many by the clock. */
  readonly timeMs: number;
  /** Limit for all processes together and the files that the container holds in memory. */
  readonly memoryKib: number;
  /** Folder that the container's files are mounted on, as this process sees it. */
  readonly files: string;
  readonly clock: Clock;
  readonly onOutput: (name: OutputName, bytes: Uint8Array) => Promise<void>;
}

const ERROR_BYTES = 1024 * 1024;
const BYTES_PER_KIB = 1024;

export class BoxRun {
  readonly #options: BoxRunOptions;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Bytes>;
  readonly #clockEnd: number;
  #watch: Cancel;
  /** The limit at which it was ended. */
  #limit: BoxEnd["limit"];
  readonly ended: Promise<BoxEnd>;

  /** Throws where the system does not start it. */
  constructor(options: BoxRunOptions) {
    const { chain, clock, timeMs } = options;
    const [command = "", ...args] = chain;
    this.#options = options;
    this.#child = new Deno.Command(command, { ...PIPED, args }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#clockEnd = clock.monotonic() + CLOCK_FACTOR * timeMs;
    this.#watch = clock.after(0, this.#look);
    this.ended = this.#run();
  }

  /** Hands bytes to the program; resolves when it has room for more. One that reads no more gets nothing. */
  async write(bytes: Bytes, isLast: boolean): Promise<void> {
    try {
      if (bytes.length > 0) await this.#input.write(bytes);
      if (isLast) await this.#input.close();
    } catch (_error) {
      // The pipe is broken: its status says why.
    }
  }

  /** Ends it with all of its processes; harmless when it has ended. */
  kill(limit: BoxEnd["limit"] = "stopped"): void {
    this.#limit ??= limit;
    endSandbox(this.#child);
  }

  async #run(): Promise<BoxEnd> {
    const { program } = this.#options;
    const { outputBytes, cutsMiddle } = boxPrograms[program];
    const [{ code }] = await Promise.all([
      this.#child.status,
      cutsMiddle ? this.#cut("stdout", outputBytes) : this.#pass(outputBytes),
      this.#cut("stderr", ERROR_BYTES),
    ]);
    this.#watch();
    return this.#limit === undefined ? { code } : { code, limit: this.#limit };
  }

  /** Reads everything, and tells what is kept at the end. */
  async #cut(name: OutputName, limit: number): Promise<void> {
    const output = new CutOutput(limit);
    for await (const chunk of this.#child[name]) output.add(chunk);
    await this.#options.onOutput(name, output.bytes);
  }

  /** Tells everything as it comes. */
  async #pass(limit: number): Promise<void> {
    let size = 0;
    for await (const chunk of this.#child.stdout) {
      size += chunk.length;
      if (size > limit) this.kill("output");
      else await this.#options.onOutput("stdout", chunk);
    }
  }

  /** At every tick of the clock: each 50 ms. */
  readonly #look = (): void => {
    const { clock, timeMs, memoryKib } = this.#options;
    const first = firstProcess(this.#child.pid);
    const usage = first === undefined ? { memoryKib: 0, cpuMs: 0 } : treeUsage(first);
    if (usage.cpuMs > timeMs || clock.monotonic() > this.#clockEnd) this.kill("time");
    else if (usage.memoryKib + this.#filesKib() > memoryKib) this.kill("memory");
    this.#watch = clock.after(0, this.#look);
  };

  #filesKib(): number {
    try {
      const { bsize, blocks, bfree } = statfsSync(this.#options.files);
      return (blocks - bfree) * bsize / BYTES_PER_KIB;
    } catch (_error) {
      // Their holder ends in this moment, and all with it.
      return 0;
    }
  }
}

/** Nothing of this process's environment goes along. */
export const PIPED = {
  clearEnv: true,
  env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
  cwd: "/",
  stdin: "piped",
  stdout: "piped",
  stderr: "piped",
} as const;
